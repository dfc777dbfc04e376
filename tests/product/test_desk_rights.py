"""The rights of every role at the desk: staff read every table with masks, others nothing of it."""

from __future__ import annotations

import asyncio
import re

import httpx2
import pytest

import policy
from tests.helpers.desk import Staff
from tests.helpers.product import API, TABLE, Account, Product

CALLS = {
    ("POST", "find"), ("POST", "client"), ("POST", "credits"), ("POST", "plan"), ("GET", "feedback"),
    ("POST", "feedback"), ("POST", "suppress"), ("POST", "sessions"), ("POST", "secondfactor"), ("POST", "mail"),
    ("GET", "jobs"), ("POST", "jobs"), ("GET", "payments"), ("POST", "payments"), ("POST", "view"),
}  # fmt: skip
CONTACT = ("jane@home.example", "jane.doe@acme.example", "jd@acme.example", "+12025550123", "12025550123")
SEALED = [
    (table, column)
    for tables in policy.POLICIES.values()
    for table, access in tables.items()
    for column in sorted(access.sealed)
]
SECRET = re.compile(r"^password|hash$|cipher$|^token|payload|payurl|^url$|^path$", re.IGNORECASE)


@pytest.fixture(scope="module")
async def others(product: Product, victim: Account, support: Staff) -> dict[str, httpx2.AsyncClient]:
    fresh, other = await product.account(), await product.account()
    await product.db.execute("update appuser set isverified = 0 where appuserid = $1", fresh.owner.appuserid)
    return {
        "nobody": product.caller(key=""),
        "key": product.caller(),
        "unverified": fresh.owner.http,
        "member": (await victim.user()).http,
        "admin": (await victim.user("admin")).http,
        "owner": victim.owner.http,
        "other client": other.owner.http,
    }


@pytest.mark.parametrize(("method", "call"), sorted(CALLS))
async def test_other_roles_cannot_call_the_desk(others: dict[str, httpx2.AsyncClient], method: str, call: str) -> None:
    for name, http in others.items():
        response = await http.request(method, f"{API}desk/{call}", json={})
        assert response.status_code in (401, 403), (name, response.text)


async def test_every_call_of_the_desk_is_for_staff_only(product: Product) -> None:
    desk_scripts = [script for script in product.scripts if script.name.startswith("desk/")]
    assert {(script.method, script.name.removeprefix("desk/")) for script in desk_scripts} == CALLS
    assert {script.roles for script in desk_scripts} == {("staff",)}


@pytest.mark.parametrize("table", sorted(policy.POLICIES["staff"].keys() - policy.POLICY.keys()))
async def test_tables_of_staff_do_not_exist_for_others(others: dict[str, httpx2.AsyncClient], table: str) -> None:
    # All at once, because requests with unknown names wait for a check of the schema, which they then share.
    await asyncio.gather(*(_knows_nothing_of(table, name, http) for name, http in others.items()))


async def _knows_nothing_of(table: str, name: str, http: httpx2.AsyncClient) -> None:
    """Check that the responses to a caller equal those for a missing table, also for relations and writes."""
    relations = [f"{table}_by_clientid", f"{table}_by_personid", f"{table}_by_staffid"]
    answer, same, written, *related = await asyncio.gather(
        http.get(TABLE + table),
        http.get(f"{TABLE}nosuchtable"),
        http.post(TABLE + table, json={"resource": [{"clientid": 1}]}),
        *(http.get(f"{TABLE}client", params={"related": relation}) for relation in relations),
    )
    assert answer.status_code in (401, 404), (name, answer.text)
    assert answer.json()["error"].get("code") == same.json()["error"].get("code")
    assert written.status_code in (401, 404), (name, written.text)
    for relation, response in zip(relations, related, strict=True):
        assert response.status_code in (400, 401), (name, relation, response.text)


async def test_nothing_of_the_desk_is_described_to_others(others: dict[str, httpx2.AsyncClient]) -> None:
    for name, http in others.items():
        for path in ("_spec", "leads/_spec", "leads/_table", "leads/_schema", "leads"):
            text = (await http.get(API + path)).text
            for word in ("desk/", "staff", "feedbackdecision", "stripeevent", "viewclient", "support"):
                assert word not in text.replace("X-DreamFactory", ""), (name, path, word)


@pytest.mark.parametrize("table", sorted(policy.POLICIES["staff"]))
async def test_staff_read_every_table_and_write_none(support: Staff, victim: Account, table: str) -> None:
    response = await support.table(table, limit="5", include_count="true")
    assert response.status_code == 200, response.text
    for method, path, body in (
        ("POST", table, {"resource": [{"clientid": victim.clientid}]}),
        ("PATCH", f"{table}/1", {"clientid": 1}),
        ("PUT", f"{table}/1", {"clientid": 1}),
        ("DELETE", f"{table}/1", None),
        ("DELETE", f"{table}?force=true", None),
    ):
        refused = await support.http.request(method, TABLE + path, json=body)
        assert refused.status_code == 403, refused.text
        assert refused.json()["error"]["context"]["reason"] == "desk_only"


@pytest.mark.parametrize("table", sorted(policy.POLICIES["staff"]))
async def test_no_secret_column_exists(product: Product, support: Staff, table: str) -> None:
    rows = await product.db.fetch("select attname from pg_attribute where attrelid = $1::text::regclass", table)
    columns = {row["attname"] for row in rows if SECRET.search(row["attname"])}
    for column in columns:
        for query in ({"fields": column}, {"filter": f"{column} is null"}, {"order": column}):
            response = await support.table(table, **query)
            assert response.status_code == 400, (column, response.text)
            assert response.json()["error"]["context"]["reason"] == "unknown_field"
    described = (await support.http.get(f"{API}leads/_spec", params={"compact": "true"})).text
    assert table in described
    assert not columns & {name for shown in (await support.table(table)).json()["resource"] for name in shown}


async def test_secret_tables_do_not_exist_for_staff(support: Staff) -> None:
    for table in ("onetimetoken", "stafftoken", "signinfailure", "idempotency", "reservedkey", "suppression",
                  "socialaccount", "pgqueuer", "personalias", "formeraddress"):  # fmt: skip
        assert (await support.table(table)).status_code == 404, table


@pytest.mark.parametrize(("table", "column"), SEALED)
async def test_sealed_values_are_never_returned(
    product: Product, support: Staff, victim: Account, table: str, column: str
) -> None:
    stored = await product.db.fetchval(
        f"select {column} from {table} where clientid = $1 and {column} is not null limit 1", victim.clientid
    )
    if stored is None:  # only a downvote has a note
        await product.db.execute(f"update {table} set {column} = 's1.{'A' * 40}' where clientid = $1", victim.clientid)
        stored = "s1."
    mine = f"clientid = {victim.clientid}"
    wire = {"X-Field-Encryption": "session-v1"}
    key = {"usercontact": "contactid", "contactfeedback": "feedbackid", "apikeys": "keyid",
           "webhook": "webhookid"}[table]  # fmt: skip
    row = (await support.table(table, filter=mine, limit="1")).json()["resource"][0]
    reads = [
        (table, {"filter": mine}, {}),
        (table, {"filter": mine}, wire),
        (table, {"filter": mine, "fields": f"{column} AS x, {key}"}, {}),
        (table, {"filter": mine, "as_list": "true", "id_field": column}, {}),
        (table, {"filter": mine, "file": "x.csv"}, {}),
        (table, {"filter": mine}, {"Accept": "text/csv"}),
        (table, {"filter": mine}, {"Accept": "application/x-ndjson"}),
        (f"{table}/{row[key]}", {}, {}),
        (f"{table}/{row[key]}", {"raw": column}, {}),
        (table, {"ids": str(row[key])}, {}),
        (table, {"filter": mine, "explain": "true"}, {}),
        (table, {"filter": mine, "include_schema": "true", "cursor": ""}, {}),
        ("client", {"filter": mine, "related": f"{table}_by_clientid"}, {}),
        ("client", {"filter": mine, "related": "*"}, {}),
    ]
    for path, query, headers in reads:
        response = await support.http.get(TABLE + path, params=query, headers=headers)
        assert response.status_code in (200, 400, 403), (path, query, response.text)
        assert not [value for value in (*CONTACT, stored, "s1.", '"v1.') if value in response.text], (path, query)
    shown = (await support.table(table, filter=mine)).json()["resource"]
    assert {record[column] for record in shown} <= {None, "*****"}
    for query in (
        {"filter": f"{column} like 's1.%'"},
        {"filter": f"{column} is null"},
        {"filter": f"{mine} and {column} = 'x'"},
        {"order": column},
        {"group": column, "fields": column},
        {"fields": f"MAX({column})", "group": "clientid"},
        {"fields": f"COUNT({column})", "group": "clientid"},
        {"having": f"MAX({column}) > 'a'", "group": "clientid", "fields": "clientid"},
        {"fields": f"{column}::text"},
        {"fields": f"highlight({column})"},
    ):
        response = await support.table(table, **query)
        assert response.status_code == 400, (query, response.text)
        assert stored not in response.text
    related = await support.table("client", filter=f"{table}_by_clientid.{column} like 's1.%'")
    assert related.status_code == 400, related.text


async def test_the_tag_of_a_list_does_not_follow_a_sealed_value(
    product: Product, support: Staff, victim: Account
) -> None:
    mine = {"filter": f"clientid = {victim.clientid}", "fields": "contactid,emails"}
    before = (await support.table("usercontact", **mine)).headers["ETag"]
    other = product.scripts.vault.seal('[{"address": "other@home.example", "type": "personal"}]')
    sql = "update usercontact set emails = $2 where clientid = $1 and emails is not null"
    await product.db.execute(sql, victim.clientid, other)
    assert (await support.table("usercontact", **mine)).headers["ETag"] == before


def test_every_table_with_sealed_values_masks_them_for_staff() -> None:
    for table, access in policy.POLICY.items():
        if access.sealed:
            assert set(access.masked) == set(policy.VIEWS), table
            assert policy.POLICIES["staff"][table].sealed == access.sealed, table
    assert all(set(access.masked) == {"staff"} for access in policy.POLICIES["staff"].values())


async def test_staff_use_no_call_of_the_app(product: Product, support: Staff, victim: Account) -> None:
    for script in product.scripts:
        if script.public or "staff" in script.roles:
            continue
        path = script.name.partition("{")[0] + ("1" if script.tail else "")
        response = await support.http.request(script.method, API + path, json={})
        assert response.status_code == 403, (script.name, response.text)
        assert response.json()["error"]["context"]["reason"] == "desk_only"
