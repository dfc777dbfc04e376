"""Random input to every table hook and script of the product: a JSON error, never a 500, and no write."""

from __future__ import annotations

from typing import Any

import pytest

from tests.helpers.product import API, TABLE, Account, Product

RUBBISH: list[Any] = [
    None, True, -1, 0, 2**63, 1.5, "", " ", "x" * 10_000, "a\x00b", "\ud7ff", "'; drop table appuser; --", [],
    ["x"], {}, {"a": {"b": []}}, [[]], "NaN", "1e999", "../../etc/passwd", "%00", "<script>alert(1)</script>",
]  # fmt: skip
FIELDS = {
    "appuser": ("appuserid", "email", "name", "firstname", "lastname", "role", "isactive", "phonenumber", "avatar",
                "country", "salespeoplecount", "companyname", "verifytoken", "clientid"),
    "client": ("type", "email", "name", "password", "terms", "proof", "companyname"),
    "apikeys": ("keyid", "purpose", "name", "apikey", "isactive", "isdeleted"),
    "contactfeedback": ("linkedin_url", "info", "action", "type", "downvotereason", "reasonnote"),
    "usersession": ("usersessionid",),
    "usersubscription": ("subscriptionid", "type", "planid", "clientid", "downgrade_startson"),
}  # fmt: skip
GOOD: dict[str, dict[str, Any]] = {
    "client": {"type": "register", "name": "N", "email": "n@n.example", "password": "weak", "terms": False},
    "contactfeedback": {"linkedin_url": "linkedin.com/in/x", "info": "x", "action": "upvote", "type": "phone"},
}


@pytest.mark.parametrize("table", sorted(FIELDS))
async def test_hooks_handle_random_values_without_server_errors(
    unlimited: Product, account: Account, table: str
) -> None:
    for field in FIELDS[table]:
        for value in RUBBISH:
            record = GOOD.get(table, {}) | {field: value}
            for method in ("POST", "PATCH", "DELETE"):
                response = await account.owner.http.request(method, TABLE + table, json={"resource": [record]})
                assert response.status_code < 500, (method, field, value, response.text)
                if response.status_code != 200:
                    assert response.json()["error"]["message"], (method, field, value)
    # The caller's own row is unchanged.
    row = await unlimited.db.fetchrow("select * from appuser where appuserid = $1", account.owner.appuserid)
    assert row is not None
    assert (row["role"], row["isactive"], row["isdeleted"], row["clientid"]) == ("client", 1, 0, account.clientid)


async def test_scripts_handle_random_values_without_server_errors(unlimited: Product, account: Account) -> None:
    """Send random values for every field of every script."""
    for endpoint in unlimited.scripts:
        path = API + endpoint.name.replace("{" + endpoint.tail + "}", "1")
        for name in endpoint.input.model_fields if endpoint.input else ("email",):
            for value in RUBBISH:
                if endpoint.method == "GET":
                    response = await account.owner.http.get(path, params={name: str(value).replace("\x00", "")})
                else:
                    response = await account.owner.http.request(endpoint.method, path, json={name: value})
                refused = response.status_code == 503 and response.json()["error"]["context"]["reason"] != "busy"
                assert response.status_code < 500 or refused, (endpoint.name, name, value, response.text)
        if endpoint.name == "user/session":  # one of its methods signs out
            account = await unlimited.account()


@pytest.mark.parametrize(
    ("table", "record", "field", "hint"),
    [
        ("apikeys", {"purpose": "CRM", "scope": ["search"]}, "scope", "Did you mean 'scopes'?"),
        ("apikeys", {"purpose": "CRM", "is_test": 1}, "is_test", "Did you mean 'istest'?"),
        ("webhook", {"url": "https://example.com", "event": ["bulk.finished"]}, "event", "Did you mean 'events'?"),
        ("contactlist", {"name": "A", "share": 1}, "share", "Did you mean 'shared'?"),
        ("contactlistitem", {"listid": 1, "linkedinurl": "x", "tag": []}, "tag", "Did you mean 'tags'?"),
        ("savedsearch", {"name": "A", "filter": {}}, "filter", "Did you mean 'filters'?"),
        ("contactfeedback", GOOD["contactfeedback"] | {"reason": "x"}, "reason", "Unknown field"),
    ],
)
async def test_a_misspelt_field_of_a_record_is_named(
    product: Product, account: Account, table: str, record: dict[str, Any], field: str, hint: str
) -> None:
    response = await account.owner.table("POST", table, record)
    error = response.json()["error"]
    assert (response.status_code, [*error["context"]["fields"]][-1]) == (422, field), response.text
    assert f"{field}: Unknown field." in error["message"] or hint in error["context"]["fields"][field]
    assert hint in error["context"]["fields"][field]


async def test_a_record_is_sent_back_as_it_was_read(product: Product, account: Account) -> None:
    await account.owner.table("POST", "apikeys", {"purpose": "CRM"})
    await account.owner.table("POST", "contactlist", {"name": "A"})
    for table, related in (("apikeys", "apiusage_by_apikey"), ("contactlist", "")):
        (row,) = (await account.owner.table("GET", table, related=related)).json()["resource"]
        response = await account.owner.table("PATCH", table, row)
        assert response.status_code == 200, response.text
