"""Rows of another account in batches, QUERY requests, channels and webhooks: every caller, every table.

`test_policy_matrix` does the same for plain reads and writes, `test_other_ways_matrix` for exports, tools and streams.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from tableapi.app.features.mcp.endpoint import Mcp
from tests.helpers.desk import Staff, unlimited_staff, view
from tests.helpers.oauth import OAuthClient
from tests.helpers.product import API, KEY, TABLE, Account, Product, User
from tests.helpers.support import until
from tests.product.test_authorization import signed_in
from tests.product.test_desk_audit import newest, recorded
from tests.product.test_policy_matrix import KEYS, furnish

MARK = "batch-victim"
NO_KEY = "no key"
BATCH = f"{API}leads/_batch"
_SEARCH = "insert into savedsearch (clientid, appuserid, name, kind, filters) values ($1, $2, $3, 'people', '{}')"
CHANGE = {"isactive": 0, "deleted": 1, "purpose": "taken", "companyname": "taken", "name": "taken", "note": "taken"}


@pytest.fixture(scope="module")
async def victim(product: Product) -> Account:
    account = await product.account()
    await furnish(product, account, MARK)
    return account


@pytest.fixture(scope="module")
async def support(product: Product) -> AsyncIterator[Staff]:
    async with unlimited_staff(product) as one:
        yield one


@pytest.fixture(scope="module")
async def other(product: Product) -> Account:
    return await product.account()


@pytest.fixture(scope="module")
async def writers(other: Account) -> dict[str, User]:
    return {"owner": other.owner, "member": await other.user()}


@pytest.fixture(scope="module")
async def callers(
    product: Product, victim: Account, other: Account, writers: dict[str, User], support: Staff
) -> dict[str, str]:
    """Return session tokens of callers outside the account, and of some that belonged to it; "" for none."""
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
    return {
        NO_KEY: "", "key": "", "unverified": fresh.owner.token, "removed": removed.token, "disabled": disabled.token,
        "ended": ended, "agent": token,
        "view of an owner": (await view(support, other.owner)).headers["X-Session-Token"],
        "view of a member": (await view(support, writers["member"])).headers["X-Session-Token"],
        **{name: user.token for name, user in writers.items()},
    }  # fmt: skip


def _caller(product: Product, name: str, token: str) -> httpx2.AsyncClient:
    """Return a client at an address of its own, because guesses of a token are limited by address."""
    return product.caller(token, key="" if name == NO_KEY else KEY)


async def _rows(product: Product, table: str, victim: Account) -> list[dict[str, Any]]:
    column, value = ("appuserid", victim.owner.appuserid) if table == "usersession" else ("clientid", victim.clientid)
    order = f"order by {KEYS[table]}"
    rows = await product.db.fetch(f"select t.* from {table} t where {column} = $1 {order}", value)
    assert rows, f"the victim has no row in {table}"
    return [{k: v for k, v in dict(row).items() if k != "lastused"} for row in rows]


def _steps(table: str, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return requests for a row of another account."""
    key, ident = KEYS[table], row[KEYS[table]]
    path, change = f"_table/{table}", {name: value for name, value in CHANGE.items() if name in row} or {"name": "x"}
    where = f"{key} = {ident} or {key} = {ident}"
    return [
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


@pytest.mark.parametrize("table", sorted(KEYS))
async def test_a_batch_with_a_row_of_another_account_writes_nothing(
    product: Product, victim: Account, other: Account, callers: dict[str, str],
    writers: dict[str, User], table: str,
) -> None:  # fmt: skip
    """An own search is read and, by a reference to it, deleted; the third request names the row of another account."""
    before = await _rows(product, table, victim)
    for name, token in callers.items():
        for step in _steps(table, before[0]):
            mark = secrets.token_hex(6)
            user = writers["member" if name.endswith("member") else "owner"]
            await product.db.execute(_SEARCH, other.clientid, user.appuserid, mark)
            own = [
                {"id": "own", "path": "_table/savedsearch", "query": {"filter": f"name = {mark}", "fields": "*"}},
                {"method": "DELETE", "path": "_table/savedsearch",
                 "query": {"ids": {"$ref": "own.resource.0.savedsearchid"}}},
            ]  # fmt: skip
            async with _caller(product, name, token) as http:
                response = await http.post(BATCH, json={"requests": [*own, step]})
            case = (name, step, response.text)
            assert response.status_code < 500, case
            assert MARK not in response.text, case
            if name not in writers:
                assert response.status_code in (401, 403, 404), case
            elif response.status_code != 200:
                assert response.json()["error"]["context"]["index"] == 2, case
            elif "1=1" not in str(step):
                assert response.json()["responses"][2]["body"]["resource"] == [], case
            deleted = not await product.db.fetchval("select count(*) from savedsearch where name = $1", mark)
            assert deleted == (response.status_code == 200), case
    assert await _rows(product, table, victim) == before


@pytest.mark.parametrize("table", sorted(KEYS))
async def test_query_requests_find_no_rows_of_another_account(
    product: Product, victim: Account, callers: dict[str, str], table: str
) -> None:
    before = await _rows(product, table, victim)
    key, ident = KEYS[table], before[0][KEYS[table]]
    for name, token in callers.items():
        for query in (
            {"filter": f"{key} = {ident}"},
            {"filter": f"{key} = {ident} or 1 = 1", "limit": 1000},
            {"filter": f"{key} = :id", "params": {"id": ident}},
            {"ids": [ident]},
            {"filter": f"{key} = {ident}", "related": "*", "include_count": True},
            {"order": f"{key} desc", "limit": 1000},
            {"method": "PATCH", "filter": f"{key} = {ident}", "resource": [{"name": "taken"}]},
        ):
            for headers in ({}, {"X-HTTP-Method": "PATCH"}, {"X-HTTP-Method-Override": "DELETE"}):
                async with _caller(product, name, token) as http:
                    response = await http.request("QUERY", TABLE + table, json=query, headers=headers)
                case = (name, query, headers, response.text)
                assert response.status_code < 500, case
                assert MARK not in response.text, case
                if response.status_code == 200 and "order" not in query and "1 = 1" not in str(query):
                    assert response.json()["resource"] == [], case
    assert await _rows(product, table, victim) == before


async def test_channels_webhooks_and_routines_reject_every_caller(
    product: Product, victim: Account, support: Staff, callers: dict[str, str]
) -> None:
    """The project declares neither. Its own channel announces sessions by their hash."""
    for name, token in (callers | {"victim": victim.owner.token, "staff": support.token}).items():
        for method, path in (
            ("GET", "_channel/tableapi_actor"), ("GET", "_channel/tableapi_schema"), ("GET", "_channel/orders"),
            ("GET", "_channel"), ("GET", "_webhooks"), ("GET", "_webhooks/any"), ("POST", "_webhooks/any/replay"),
            ("POST", "_webhooks/any/test"), ("GET", "_func"), ("POST", "_proc/anything"),
        ):  # fmt: skip
            async with _caller(product, name, token) as http:
                response = await http.request(method, f"{API}leads/{path}", json=None if method == "GET" else {})
            assert response.status_code in (400, 401, 403, 404), (name, path, response.text)
            assert MARK not in response.text


async def test_batches_and_query_requests_of_staff_are_recorded(
    product: Product, victim: Account, support: Staff
) -> None:
    """A batch of staff reads two tables; a view reads as its user does. Neither writes."""
    mine = {"filter": f"clientid = {victim.clientid}"}
    looking = await view(support, victim.owner)
    before = await _rows(product, "contactlist", victim)
    for http, event in ((support.http, "support_read"), (looking, "support_viewed")):
        since = await newest(product)
        reads = [{"method": "GET", "path": f"_table/{table}", "query": mine} for table in ("client", "usercontact")]
        response = await http.post(BATCH, json={"requests": reads})
        entries = [(row["event"], row["clientid"], row["target"]) for row in await recorded(product, since)]
        assert entries == [(event, victim.clientid, "client"), (event, victim.clientid, "usercontact")]
        assert response.status_code == 200, response.text
        assert "jane.doe@acme.example" not in response.text
        since = await newest(product)
        response = await http.request("QUERY", f"{TABLE}usercontact", json=mine)
        assert response.status_code == 200, response.text
        assert "jane.doe@acme.example" not in response.text
        (entry,) = await recorded(product, since)
        assert (entry["event"], entry["clientid"], entry["target"]) == (event, victim.clientid, "usercontact")
        writes = [*reads, {"method": "DELETE", "path": "_table/contactlist", "query": mine}]
        response = await http.post(BATCH, json={"requests": writes})
        assert response.status_code == 403, response.text
    assert await _rows(product, "contactlist", victim) == before


@pytest.mark.parametrize(("name", "status"), [(NO_KEY, 401), ("key", 401), ("unverified", 403)])
async def test_a_caller_without_the_right_is_rejected_before_a_hook_that_allows_no_batch(
    product: Product, callers: dict[str, str], name: str, status: int
) -> None:
    step = {"method": "POST", "path": "_table/contactlist", "body": {"resource": [{"name": "mine"}]}}
    async with _caller(product, name, callers[name]) as http:
        batch = await http.post(BATCH, json={"requests": [step]})
        dry = await http.post(f"{TABLE}contactlist", params={"dry_run": "true"}, json=step["body"])
        plain = await http.post(f"{TABLE}contactlist", json=step["body"])
    assert [batch.status_code, dry.status_code, plain.status_code] == [status] * 3, (batch.text, dry.text)
    assert "hook" not in batch.text + dry.text


async def test_batches_of_an_account_that_wait_for_locks_delay_no_other_account(
    product: Product, victim: Account, other: Account
) -> None:
    """Eight batches lock the same rows in different orders while another transaction locks one of the rows."""

    async def contact(account: Account) -> int:
        reveal = {
            "linkedinurl": f"linkedin.com/{(await product.person()).key}",
            "type": "directdial",
            "action": "reveal",
        }
        assert (await account.owner.post("getcontact", **reveal)).json()["charged"] == 1
        return int(
            await product.db.fetchval("select max(contactid) from usercontact where clientid = $1", account.clientid)
        )

    def changes(order: list[int]) -> dict[str, Any]:
        path = "_table/usercontact"
        return {"requests": [{"method": "PATCH", "path": f"{path}/{one}", "body": {"deleted": 0}} for one in order]}

    ids, own = [await contact(victim) for _ in range(4)], await contact(other)
    async with product.db.transaction(), asyncio.timeout(60):
        await product.db.execute("update usercontact set name = name where contactid = $1", ids[0])
        blocked = [
            asyncio.create_task(victim.owner.http.post(BATCH, json=changes(order))) for order in (ids, ids[::-1]) * 4
        ]
        await until(lambda: _waiting(product))
        quick = await other.owner.http.post(BATCH, json=changes([own]))
        reading = await other.owner.http.post(BATCH, json={"requests": [{"path": "_table/usercontact"}]})
        assert (quick.status_code, reading.status_code) == (200, 200)
        assert not any(task.done() for task in blocked)
    assert {task.status_code for task in await asyncio.gather(*blocked)} == {200}


async def _waiting(product: Product) -> bool:
    """Return whether a batch runs alone and waits for a lock of a row, after the short time of its first attempt."""
    return bool(await product.db.fetchval(
        "select count(*) from pg_locks a join pg_locks w using (pid) where a.locktype = 'advisory' and a.granted"
        " and not w.granted and w.locktype in ('transactionid', 'tuple')"
    ))  # fmt: skip
