"""Rows of another account: every caller, table, verb, and way to name a row (docs/reference/rules.md).

The rows belong to one client, the callers do not. No row may be read, counted, changed, deleted or distinguished from
a missing one. tests/data/access.txt lists the rights of every role, so that a change of rights is visible in a diff.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

import policy
from tests.helpers.product import TABLE, Account, Product

KEYS = {
    "appuser": "appuserid", "client": "clientid", "usercredit": "usercreditid", "creditledger": "ledgerid",
    "usersubscription": "subscriptionid", "apikeys": "keyid", "apiusage": "usageid", "usercontact": "contactid",
    "webhook": "webhookid", "webhookdelivery": "deliveryid",
    "contactfeedback": "feedbackid", "transactionhistory": "transactionid", "usersession": "usersessionid",
    "auditlog": "auditid", "contactmeta": "contactid", "bulkjob": "jobid",
    "contactlist": "listid", "contactlistitem": "itemid", "savedsearch": "savedsearchid", "creditback": "clientid",
}  # fmt: skip
HIDDEN_FROM_ALL = {
    "person",
    "personalias",
    "company",
    "searchuse",
    "searchseen",
    "reveal",
    "onetimetoken",
    "stripeevent",
    "paymentcatchup",
    "suppression",
    "dropbatch",
    "dropitem",
    "listmapping",
    "pgqueuer",
    "upload",
}
MARK = "victim-mark"


@pytest.fixture(scope="module")
async def victim(product: Product) -> Account:
    account = await product.account()
    await furnish(product, account)
    return account


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


@pytest.fixture(scope="module")
async def callers(product: Product) -> AsyncIterator[dict[str, httpx2.AsyncClient]]:
    """Create callers of every role, restricted by nothing but the policy."""
    product.app.state.limited = False
    other = await product.account()
    fresh = await product.account()
    await product.db.execute("update appuser set isverified = 0 where appuserid = $1", fresh.owner.appuserid)
    yield {
        "nobody": product.caller(key=""),
        "key": product.caller(),
        "unverified": fresh.owner.http,
        "member": (await other.user()).http,
        "owner": other.owner.http,
    }
    product.app.state.limited = True


async def _rows(product: Product, table: str, victim: Account) -> list[dict[str, Any]]:
    key = KEYS[table]
    whose = (
        "appuserid in (select appuserid from appuser where clientid = $1)"
        if table == "usersession"
        else "clientid = $1"
    )
    rows = await product.db.fetch(f"select t.* from {table} t where {whose} order by {key}", victim.clientid)
    assert rows, f"the victim has no row in {table}"
    return [dict(row) for row in rows]


def _ways(table: str, ident: int) -> list[tuple[str, dict[str, str]]]:
    """Yield every way to name one row in a read."""
    key = KEYS[table]
    exact = f"({key}={ident})"
    return [
        (f"{table}/{ident}", {}),
        (table, {"ids": str(ident)}),
        (table, {"filter": exact}),
        (table, {"filter": f"{exact} or (1=1)"}),
        (table, {"filter": f"{key}={ident}) or ({key}={ident}"}),
        (table, {"filter": f"not ({key}!={ident})"}),
        (table, {"filter": f"{exact} or 1=1"}),
        (table, {"filter": f"{exact} or '1'='1'"}),
        (table, {"filter": f"{exact}) or (1=1) -- "}),
        (table, {"filter": f"{exact} /* and */ or true"}),
        (table, {"filter": f"(({exact}"}),
        (table, {"filter": exact, "having": f"COUNT(*)>0 or {key}={ident}", "group": key, "fields": key}),
        (table, {"filter": exact, "count_only": "true"}),
        (table, {"filter": exact, "include_count": "true", "related": "*"}),
        (table, {"filter": exact, "group": key, "fields": f"{key},COUNT(*)"}),
        (table, {"order": f"{key} desc", "limit": "1000"}),
    ]


@pytest.mark.parametrize("table", sorted(KEYS))
async def test_rows_of_another_account_cannot_be_read(
    product: Product, victim: Account, callers: dict[str, httpx2.AsyncClient], table: str
) -> None:
    for row in (await _rows(product, table, victim))[:2]:
        for name, http in callers.items():
            for path, query in _ways(table, row[KEYS[table]]):
                response = await http.get(TABLE + path, params=query)
                assert response.status_code < 500, (name, path, query, response.text)
                assert MARK not in response.text, (name, path, query)
                if response.status_code != 200:
                    continue
                body = response.json()
                if query.get("count_only"):
                    assert body == 0, (name, path, query)
                elif "order" not in query:
                    assert body.get("resource", [body]) == [], (name, path, query, response.text)
                else:
                    keys = {record.get(KEYS[table]) for record in body["resource"]}
                    assert row[KEYS[table]] not in keys, (name, path, query)


@pytest.mark.parametrize("table", sorted(KEYS))
async def test_rows_of_another_account_cannot_be_changed_or_deleted(
    product: Product, victim: Account, callers: dict[str, httpx2.AsyncClient], table: str
) -> None:
    before = await _rows(product, table, victim)
    ident, key = before[0][KEYS[table]], KEYS[table]
    change = {"isactive": 0, "isdeleted": 1, "deleted": 1, "purpose": "taken", "companyname": "taken", "name": "taken"}
    for name, http in callers.items():
        for method, path, query, body in (
            ("PATCH", f"{table}/{ident}", {}, change),
            ("PUT", f"{table}/{ident}", {}, change),
            ("PATCH", table, {}, {"resource": [{key: ident} | change]}),
            ("PATCH", table, {"ids": str(ident)}, {"resource": [change]}),
            ("PATCH", table, {"filter": f"({key}={ident})"}, {"resource": [change]}),
            ("POST", table, {"upsert": "true"}, {"resource": [{key: ident} | change]}),
            ("POST", table, {"method": "DELETE", "ids": str(ident)}, {}),
            ("DELETE", f"{table}/{ident}", {}, None),
            ("DELETE", table, {"ids": str(ident)}, None),
            ("DELETE", table, {"filter": f"({key}={ident})"}, None),
        ):
            response = await http.request(method, TABLE + path, params=query, json=body)
            assert response.status_code < 500, (name, method, path, query, response.text)
            assert MARK not in response.text, (name, method, path)
    assert await _rows(product, table, victim) == before


async def test_related_rows_of_other_accounts_are_not_included(
    product: Product, victim: Account, callers: dict[str, httpx2.AsyncClient]
) -> None:
    """Plans are public, subscriptions to them are not."""
    for name, http in callers.items():
        response = await http.get(TABLE + "subscriptionplan", params={"related": "usersubscription_by_planid"})
        if response.status_code != 200:
            continue
        for plan in response.json()["resource"]:
            clients = {record["clientid"] for record in plan["usersubscription_by_planid"]}
            assert victim.clientid not in clients, name


@pytest.mark.parametrize("table", sorted(HIDDEN_FROM_ALL))
async def test_tables_without_a_policy_do_not_exist(callers: dict[str, httpx2.AsyncClient], table: str) -> None:
    for name, http in callers.items():
        response = await http.get(TABLE + table)
        assert response.status_code in (401, 404), (name, response.text)


def test_the_table_of_rights_equals_the_reviewed_one() -> None:
    """Compare with tests/data/access.txt; update it by: python -m tests.product.test_policy_matrix"""
    assert rights() == (Path(__file__).parents[1] / "data" / "access.txt").read_text()


def rights() -> str:
    """Return one line per table, verb and role, with rows and fields."""
    lines = []
    tables = [*sorted(policy.POLICY.items()), *sorted(policy.POLICIES["staff"].items())]
    for table, access in tables:
        for action in ("read", "create", "update", "delete"):
            for role in ("key", "unverified", "member", "client", "viewmember", "viewclient", "staff"):
                rule = access.rule(action, role)
                if rule is None:
                    continue
                rows = rule.rows.__name__ if rule.rows else "all"
                fields = "*" if rule.fields is None else ",".join(sorted(rule.fields)) or "none"
                but = f" but {','.join(sorted(rule.hidden))}" if rule.hidden else ""
                wider = (
                    f" or {','.join(sorted(rule.rows_when_filtered_by))} own_client"
                    if rule.rows_when_filtered_by
                    else ""
                )
                only = "".join(
                    f" {name} in {rows_rule.__name__}" for name, rows_rule in sorted(rule.editable_in.items())
                )
                dropped = f" ignored {','.join(sorted(rule.ignored))}" if rule.ignored else ""
                masked = f" masked {','.join(sorted(access.sealed))}" if role in access.masked else ""
                lines.append(f"{table:20}{action:8}{role:11}{rows}{wider}: {fields}{but}{only}{dropped}{masked}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (Path(__file__).parents[1] / "data" / "access.txt").write_text(rights())
