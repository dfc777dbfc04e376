"""Seeds: a valid request for every call of the product and for the tables, with existing values."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

PERSON = "https://www.linkedin.com/in/fuzz-1"
TABLES = ("contactlist", "contactlistitem", "savedsearch", "creditback", "appuser", "client", "usercredit",
          "creditledger", "usersubscription", "subscriptionplan", "apikeys", "apiusage", "usercontact",
          "contactfeedback", "transactionhistory", "usersession", "auditlog")  # fmt: skip
FIELDS = ("clientid", "appuserid", "email", "role", "createdon", "isactive", "deleted", "name", "planid", "contactid",
          "linkedinurl", "password", "emails", "delta", "keyid", "purpose", "subscriptionid")  # fmt: skip


@dataclass
class Sent:
    """The parts of a request that mutations change."""

    method: str
    path: str
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    data: Any = None  # the body, if it is JSON

    def filled(self) -> bytes:
        return self.body if self.data is None else json.dumps(self.data).encode()


def _script(path: str, method: str = "POST", /, **body: Any) -> Sent:
    if method == "GET":
        return Sent(method, f"/api/v2/{path}", [(name, str(value)) for name, value in body.items()])
    return Sent(method, f"/api/v2/{path}", data=body)


def _table(method: str, path: str, *records: dict[str, Any], **query: Any) -> Sent:
    data = {"resource": list(records)} if records else None
    return Sent(method, f"/api/v2/leads/_table/{path}", [(n, str(v)) for n, v in query.items()], data=data)


def _calls() -> list[Sent]:
    day = {"startdate": "2026-01-01", "enddate": "2026-01-31", "clientid": 900, "search": ""}
    return [
        _script("account/credits", "GET"), _script("addoncredits_email", transactionid=1),
        _script("addonpayment", tokenid="tok_visa", planid=101, clientid=900),
        _script("addonpaymentintent", planid=101), _script("bulklookup", urls=[PERSON], kinds=["directdial"]),
        _script("bulklookup/1", "GET"), _script("bulklookup/1", "DELETE"),
        _script("checkemailavailable", email="a@buyer.example"), _script("checkemailexists", email="a@buyer.example"),
        _script("contactmeta_addupdate", contactid=1, tags=["a"], note="b"), _script("datascript/appcounters"),
        _script("emailcodeverification", oldemail="fuzz-900@f.example", newemail="new@buyer.example", password="x"),
        _script("emailundo", code="x", confirm=True), _script("user/identities", "DELETE", identityid=1, password="x"),
        _script("emailtonewuser", appuserid=901, type="verification"),
        _script("emailupdate", type="update", newemail="new@buyer.example", code="123"), _script("generateapikey"),
        _script("getapiusagedata", **day), _script("getappuserbyemail", email="a@b.example", checktoken="x"),
        _script("getcontact", linkedinurl=PERSON, type="directdial", action="reveal"),
        _script("getplatformusagedata", **day), _script("getrevealcount", revealedby=900, date="2026-01-01"),
        _script("google_accesstoken", code="c", state="s", redirect_uri="http://127.0.0.1/x"),
        _script("google_userdetails", access_token="t", credential="c", nonce="n"),
        _script("invoicepdf", "GET", invoicenumber="INV-1"),
        _script("keylookup", "GET", linkedinurl=PERSON, type="directdials", apikey="k"),
        _script("linkedin_accesstoken", code="c", state="s", redirect_uri="http://127.0.0.1/x"),
        _script("linkedin_userdetails", access_token="t"), _script("registration_confirmation", appuserid=900),
        _script("removalrequest", email="r@buyer.example", linkedinurl="https://www.linkedin.com/in/nobody-1"),
        _script("removalrequest/abc", "GET"), _script("removalrequest/abc"),
        _script("scheduledemoemail", name="A", email="a@buyer.example", query="q"),
        _script("searchname", limit=10, offset=0, searchtext="a"),
        _script("searchurl", linkedinurl=PERSON, personal=True, business=True, phone=True),
        _script("sendappuserinviteemail", appuserid=901), _script("sendinvoice", clientid=900),
        _script("sendverificationemail", email="a@b.example", checktoken="x"),
        _script("socialstart", provider="google"),
        _script("stripe", plan=7, email="x@y.example", custId=""), _script("stripe", "GET", res="invoice", plan=7),
        _script("stripe", "PATCH", res="sub", plan=7, subId=1), _script("stripe", "DELETE", subId=1),
        _script("updateclient_credit", afid="1", clientid=900),
        _script("updatinvitedappuser", email="a@b.example", verifytoken="x"),
        _script("upgradeplan", planid=8, clientid=900, subscriptionid=1),
        _script("user/password", email="a@b.example"),
        _script("user/password", email="a@b.example", code="c", new_password="Abcdefg1"),
        _script("user/password", old_password="no", new_password="Abcdefg1", confirm_password="Abcdefg1"),
        _script("user/session", email="a@b.example", password="Wrong123"), _script("user/session", session_token="x"),
        _script("user/session", "GET", session_token="x"), Sent("PUT", "/api/v2/user/session"),
        _script("searchpeople", name="a", title="b", company=["c"], country=["USA"], has=["directdial"],
                verification=["valid"], limit=5, cursor="", order="full_name DESC", **{"not": {"city": ["x"]}}),
        _script("searchcompanies", company=["c"], industry=["d"], order="people", **{"not": {"country": ["USA"]}}),
        _script("agent/price", linkedinurls=[PERSON], kinds=["directdial"]), _script("agent/lists", listid=1, limit=2),
        _script("agent/reveal", search={"name": "a"}, first=2, kinds=["businessemail"], max_credits=1),
        _script("searchfacets", field="country", text="a", people={"title": "b"}),
        _script("listpeople", listid=1, text="a"),
        _script("listimport", listid=1, text="Name,Company\na,b", mapping={"Name": "name", "Company": "company"}),
        _script("listexport", "GET"), _script("rotateapikey", keyid=1, hours=2), _script("trust", "GET"),
        _script("revealmany", linkedinurls=[PERSON], kinds=["directdial"], max_credits=1, dry_run=True),
        _script("revealmany", search={"name": "a", "not": {"has": ["directdial"]}}, first=2, kinds=["personalemail"]),
        _script("enrich", people=[{"reference": "a", "linkedinurl": PERSON}, {"email": "a@b.example"},
                                  {"name": "a", "company": "b"}], kinds=["directdial"], max_credits=0, dry_run=True),
        _script("findemail", name="a b", domain="acme.example"), _script("verifyemail", email="a@acme.example"),
        _script("searchnews", seen=1),
        _script("validatedomain", email="a@buyer.example"), _script("webhooks/payment", id="evt_1", type="x"),
        _script("userimage/x.png", "GET"), _script("files/1", "GET"), _script("files"), _script("userimage"),
        _script("_spec", "GET"), _script("leads/_spec", "GET"), _script("leads/_schema", "GET"),
        _script("leads/_table", "GET"), _script("leads/_func/x", "GET"), _script("leads/_proc/x"),
        _script("config", "GET"), _script("", "GET"), Sent("GET", "/"), Sent("GET", "/healthz"), Sent("GET", "/login"),
        Sent("GET", "/metrics"), Sent("GET", "/readyz"), Sent("OPTIONS", "/api/v2/getcontact"),
        Sent("GET", "/sandbox/mail"), Sent("GET", "/assets/../../../etc/passwd"), Sent("GET", "/api/docs"),
    ]  # fmt: skip


def _tables() -> list[Sent]:
    tables = []
    for name in TABLES:
        tables += [
            _table("GET", name), _table("GET", name, limit=5, offset=0, include_count="true", order="createdon DESC"),
            _table("GET", name, filter="(clientid=900)", fields="*"), _table("GET", name, related="*"),
            _table("GET", f"{name}/1"), _table("GET", name, ids="1,2,900"), _table("GET", name, count_only="true"),
            _table("GET", name, filter="(name like 'a%') and (clientid in (1,2,900))", group="clientid"),
            _table("POST", name, {"clientid": 901, "name": "x"}), _table("PATCH", name, {"name": "x"}, ids="1,901"),
            _table("PATCH", name, {"isactive": 0}, filter="clientid=901"),
            _table("PATCH", f"{name}/901", {"name": "x"}),
            _table("PUT", f"{name}/901", {"clientid": 900}), _table("DELETE", f"{name}/901"),
            _table("DELETE", name, filter="(clientid=901) or (1=1)"), _table("DELETE", name, ids="901"),
            _table("DELETE", name, force="true"), _script(f"leads/_schema/{name}", "GET"),
        ]  # fmt: skip
    tables += [
        _table("POST", "client", {"email": "n@new-buyer.example", "name": "N", "password": "Abcdefg1", "terms": True,
                                  "type": "register"}),
        _table("POST", "client", {"email": "n@new-buyer.example", "socialid": "1", "type": "social", "proof": "x"}),
        _table("POST", "appuser", {"email": "m@new-buyer.example", "firstname": "M", "lastname": "M"}),
        _table("POST", "apikeys", {"purpose": "CRM", "apikey": "x"}),
        _table("POST", "contactfeedback", {"linkedin_url": PERSON, "info": "a@b.example", "action": "up",
                                           "type": "email"}),
        _table("POST", "contactlist", {"name": "a", "shared": 1}),
        _table("POST", "contactlistitem", {"listid": 1, "linkedinurl": PERSON, "tags": ["a"], "note": "b"}),
        _table("POST", "savedsearch", {"name": "a", "kind": "people", "filters": {"name": "a"}, "shared": 0}),
        _table("PATCH", "usersubscription", {"subscriptionid": 1, "type": "downgrade", "planid": 2}),
    ]  # fmt: skip
    return tables


SEEDS = _calls() + _tables()
