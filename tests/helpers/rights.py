"""Rows of one account, the callers that may not reach them, and the requests that name them.

Each door of the API gets all of them in `tests/product/test_policy_matrix.py`.
"""

from __future__ import annotations

import secrets
from typing import Any

import httpx2

from tableapi.app.features.mcp.endpoint import Mcp
from tests.helpers.desk import Staff, view
from tests.helpers.oauth import OAuthClient, signed_in
from tests.helpers.product import API, KEY, TABLE, Account, Product

KEYS = {
    "appuser": "appuserid", "client": "clientid", "usercredit": "usercreditid", "creditledger": "ledgerid",
    "usersubscription": "subscriptionid", "apikeys": "keyid", "apiusage": "usageid", "usercontact": "contactid",
    "webhook": "webhookid", "webhookdelivery": "deliveryid",
    "contactfeedback": "feedbackid", "transactionhistory": "transactionid", "usersession": "usersessionid",
    "auditlog": "auditid", "contactmeta": "contactid", "bulkjob": "jobid",
    "contactlist": "listid", "contactlistitem": "itemid", "savedsearch": "savedsearchid", "creditback": "clientid",
}  # fmt: skip
MARK, OWN_MARK = "victim-mark", "own-mark"
NO_KEY = "no key"
INSIDERS = ("owner", "admin", "member")  # of another account
CHANGE = {"isactive": 0, "deleted": 1, "purpose": "taken", "companyname": "taken", "name": "taken", "note": "taken"}


async def furnish(product: Product, account: Account, mark: str = MARK) -> None:
    """Insert a row with a recognizable text into every exposed table of an account."""
    person = await product.person(full_name=f"Name {mark}")
    for kind in ("businessemail", "directdial"):
        body = {"linkedinurl": f"linkedin.com/{person.key}", "type": kind, "action": "reveal"}
        assert (await account.owner.post("getcontact", **body)).status_code == 200
    vote = {
        "linkedin_url": f"linkedin.com/{person.key}",
        "info": "jd@acme.example",
        "action": "upvote",
        "type": "businessemail",
    }
    assert (await account.owner.table("POST", "contactfeedback", vote)).status_code == 200
    contact = (await account.owner.table("GET", "usercontact", limit="1")).json()["resource"][0]
    note = {"contactid": contact["contactid"], "tags": [mark], "note": mark}
    assert (await account.owner.post("contactmeta_addupdate", **note)).status_code == 200
    job = {"urls": [f"linkedin.com/{person.key}"], "kinds": ["directdial"], "max_credits": 0}
    assert (await account.owner.post("bulklookup", **job)).status_code == 202
    key = (await account.owner.table("POST", "apikeys", {"purpose": mark})).json()["resource"][0]
    query = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdials", "apikey": key["apikey"]}
    assert (await product.caller(key="").get("/api/v2/keylookup", params=query)).status_code == 200
    made = (await account.owner.table("POST", "contactlist", {"name": mark, "shared": 1})).json()["resource"][0]
    item = {"listid": made["listid"], "linkedinurl": f"linkedin.com/{person.key}", "tags": [mark], "note": mark}
    assert (await account.owner.table("POST", "contactlistitem", item)).status_code == 200
    hook = {"url": f"https://hooks.example.com/{mark}", "events": ["contact.revealed"]}
    made = (await account.owner.table("POST", "webhook", hook)).json()["resource"][0]
    await product.db.execute(
        "insert into webhookdelivery (clientid, webhookid, event, payload) values ($1, $2, 'test', $3)",
        account.clientid,
        made["webhookid"],
        f'{{"key": {{}}, "record": {{"note": "{mark}"}}}}',
    )
    search = {"name": mark, "filters": {"name": mark}, "shared": 1}
    assert (await account.owner.table("POST", "savedsearch", search)).status_code == 200
    await product.db.execute(
        "insert into creditback (clientid, personid, kind, cause) values ($1, $2, 'directdial', 'proof')",
        account.clientid,
        person.personid,
    )
    await product.db.execute("update client set companyname = $2 where clientid = $1", account.clientid, mark)
    await product.db.execute(
        "insert into transactionhistory (clientid, planid, invoicenumber, planname, price) values ($1, 4, $2, $2, 1)",
        account.clientid,
        f"{mark}-{secrets.token_hex(3)}",
    )
    await account.user(name=f"Member {mark}")


async def outsiders(product: Product, victim: Account, other: Account, support: Staff) -> dict[str, str]:
    """Return the session tokens of callers outside an account, and of some that belonged to it; "" for none."""
    fresh = await product.account()
    await product.db.execute("update appuser set isverified = 0 where appuserid = $1", fresh.owner.appuserid)
    removed, disabled = await victim.user(), await victim.user()
    for user in (removed, disabled):
        assert (await user.table("GET", "client")).status_code == 200
    assert (await victim.owner.table("DELETE", f"appuser/{removed.appuserid}")).status_code == 200
    path = f"{TABLE}appuser/{disabled.appuserid}"
    assert (await victim.owner.http.patch(path, json={"isactive": 0})).status_code == 200
    ended = await victim.session(victim.owner.appuserid)
    assert (await product.caller(ended).delete(f"{API}user/session")).status_code == 200
    async with product.caller(key="") as http:
        client = OAuthClient(http)
        await client.discover()
        assert (await client.register()).status_code == 201
        await signed_in(client, victim.owner, "read")
        token = client.tokens["access_token"]
    await product.app.feature(Mcp).close()
    member = await other.user()
    return {
        NO_KEY: "", "key": "", "unverified": fresh.owner.token, "removed": removed.token, "disabled": disabled.token,
        "ended": ended, "agent": token,
        "view of an owner": (await view(support, other.owner)).headers["X-Session-Token"],
        "view of a member": (await view(support, member)).headers["X-Session-Token"],
        "owner": other.owner.token, "admin": (await other.user("admin")).token, "member": member.token,
    }  # fmt: skip


def caller(product: Product, name: str, token: str) -> httpx2.AsyncClient:
    """Return a client at an address of its own, because guesses of a token are limited by address."""
    return product.caller(token, key="" if name == NO_KEY else KEY)


async def rows_of(product: Product, table: str, account: Account) -> list[dict[str, Any]]:
    """Return the rows of an account without the time of their last use."""
    users = "appuserid in (select appuserid from appuser where clientid = $1)"
    mine = users if table == "usersession" else "clientid = $1"
    sql = f"select t.* from {table} t where {mine} order by {KEYS[table]}"
    rows = await product.db.fetch(sql, account.clientid)
    assert rows, f"the account has no row in {table}"
    return [{name: value for name, value in dict(row).items() if name != "lastused"} for row in rows]


def selections(table: str, ident: int) -> list[dict[str, str]]:
    """Return the options of reads that name one row, and of one that names all."""
    key = KEYS[table]
    exact = f"({key}={ident})"
    return [
        {"ids": str(ident)},
        {"filter": exact},
        {"filter": f"{exact} or (1=1)", "limit": "1000"},
        {"filter": f"{key}={ident}) or ({key}={ident}"},
        {"filter": f"not ({key}!={ident})"},
        {"filter": f"{exact} or 1=1", "limit": "1000"},
        {"filter": f"{exact} or '1'='1'"},
        {"filter": f"{exact}) or (1=1) -- "},
        {"filter": f"{exact} /* and */ or true"},
        {"filter": f"(({exact}"},
        {"filter": exact, "having": f"COUNT(*)>0 or {key}={ident}", "group": key, "fields": key},
        {"filter": exact, "count_only": "true"},
        {"filter": exact, "include_count": "true", "related": "*"},
        {"filter": exact, "group": key, "fields": f"{key},COUNT(*)"},
        {"filter": exact, "fields": f"{key} AS a,{key} AS b"},
        {"order": f"{key} desc", "limit": "1000"},
    ]


def steps(table: str, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return requests for a row of another account."""
    key, ident = KEYS[table], row[KEYS[table]]
    path, change = f"_table/{table}", {name: value for name, value in CHANGE.items() if name in row} or {"name": "x"}
    where = f"{key} = {ident} or {key} = {ident}"
    return [
        {"method": "PATCH", "path": f"{path}/{ident}", "body": CHANGE | {"isdeleted": 1}},
        {"method": "POST", "path": path, "query": {"method": "DELETE", "ids": str(ident)}, "body": {}},
        {"method": "PATCH", "path": f"{path}/{ident}", "body": change},
        {"method": "PUT", "path": f"{path}/{ident}", "body": change},
        {"method": "DELETE", "path": f"{path}/{ident}"},
        {"method": "PATCH", "path": path, "query": {"ids": ident}, "body": {"resource": [change]}},
        {"method": "PATCH", "path": path, "query": {"filter": where}, "body": {"resource": [change]}},
        {"method": "DELETE", "path": path, "query": {"filter": where}},
        {"method": "DELETE", "path": path, "query": {"ids": [ident]}},
        {"method": "PATCH", "path": path, "body": {"resource": [{key: ident} | change]}},
        {"method": "PATCH", "path": path,
         "body": {"resource": [{key: ident, "clientid": {"$ref": "own.resource.0.clientid"}} | change]}},
        {"method": "POST", "path": path, "query": {"upsert": "true"}, "body": {"resource": [{key: ident} | change]}},
        {"method": "POST", "path": path, "query": {"upsert": "get"}, "body": {"resource": [{key: ident} | change]}},
        {"method": "POST", "path": path, "query": {"upsert": "true", "id_field": "clientid"},
         "body": {"resource": [{"clientid": row.get("clientid")} | change]}},
        {"method": "GET", "path": f"{path}/{ident}"},
        {"method": "GET", "path": path, "query": {"ids": ident}},
        {"method": "GET", "path": path, "query": {"filter": where, "related": "*"}},
        {"method": "GET", "path": path, "query": {"filter": f"{where} or 1=1", "limit": 1000}},
    ]  # fmt: skip


def check_hidden(body: Any, query: dict[str, Any], table: str, ident: int, case: object) -> None:
    """Check that the body of a successful response has nothing of a row, and no row at all if only that was named."""
    if not isinstance(body, dict):
        assert body == 0, case
    elif "order" in query:
        assert ident not in {record.get(KEYS[table]) for record in body["resource"]}, case
    else:
        assert body.get("resource", [body]) == [], case
