"""Rows of another account in batches, channels and webhooks: every caller, every table."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import pytest

from tableapi.crypto.vault import token_hash
from tests.helpers.desk import Staff, view
from tests.helpers.product import API, TABLE, Account, Product
from tests.helpers.rights import INSIDERS, KEYS, MARK, NO_KEY, caller, check_hidden, rows_of, selections, steps
from tests.helpers.support import until
from tests.product.test_desk_audit import newest, recorded

BATCH = f"{API}leads/_batch"
_SEARCH = "insert into savedsearch (clientid, appuserid, name, kind, filters) values ($1, $2, $3, 'people', '{}')"


def _reads(table: str, row: dict[str, Any]) -> list[dict[str, Any]]:
    ident = row[KEYS[table]]
    return [{"method": "GET", "path": f"_table/{table}", "query": query} for query in selections(table, ident)]


async def _user(product: Product, token: str) -> int:
    """Return the user of a session."""
    sql = "select appuserid from usersession where tokenhash = $1"
    return int(await product.db.fetchval(sql, token_hash(token)))


@pytest.mark.parametrize("table", sorted(KEYS))
async def test_a_batch_with_a_row_of_another_account_writes_nothing(
    product: Product, victim: Account, neighbor: Account, callers: dict[str, str], table: str
) -> None:
    """An own search is read and, by a reference to it, deleted; the third request names the row of another account."""
    before = await rows_of(product, table, victim)
    for name, token in callers.items():
        whose = name.split()[-1]  # the user's own name, or that of the user in a view
        userid = await _user(product, callers[whose if whose in INSIDERS else "owner"])
        for step in [*steps(table, before[0]), *_reads(table, before[0])]:
            mark = secrets.token_hex(6)
            await product.db.execute(_SEARCH, neighbor.clientid, userid, mark)
            own = [
                {"id": "own", "path": "_table/savedsearch", "query": {"filter": f"name = {mark}", "fields": "*"}},
                {"method": "DELETE", "path": "_table/savedsearch",
                 "query": {"ids": {"$ref": "own.resource.0.savedsearchid"}}},
            ]  # fmt: skip
            async with caller(product, name, token) as http:
                response = await http.post(BATCH, json={"requests": [*own, step]})
            case = (name, step, response.text)
            assert response.status_code < 500, case
            assert MARK not in response.text, case
            if name not in INSIDERS:
                assert response.status_code in (401, 403, 404), case
            elif response.status_code != 200:
                assert response.json()["error"]["context"]["index"] == 2, case
            else:
                query = step.get("query", {})
                check_hidden(response.json()["responses"][2]["body"], query, table, before[0][KEYS[table]], case)
            deleted = not await product.db.fetchval("select count(*) from savedsearch where name = $1", mark)
            assert deleted == (response.status_code == 200), case
    assert await rows_of(product, table, victim) == before


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
            async with caller(product, name, token) as http:
                response = await http.request(method, f"{API}leads/{path}", json=None if method == "GET" else {})
            assert response.status_code in (400, 401, 403, 404), (name, path, response.text)
            assert MARK not in response.text


async def test_batches_and_query_requests_of_staff_are_recorded(
    product: Product, victim: Account, support: Staff
) -> None:
    """A batch of staff reads two tables; a view reads as its user does. Neither writes."""
    mine = {"filter": f"clientid = {victim.clientid}"}
    looking = await view(support, victim.owner)
    before = await rows_of(product, "contactlist", victim)
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
    assert await rows_of(product, "contactlist", victim) == before


@pytest.mark.parametrize(("name", "status"), [(NO_KEY, 401), ("key", 401), ("unverified", 403)])
async def test_a_caller_without_the_right_is_rejected_before_a_hook_that_allows_no_batch(
    product: Product, callers: dict[str, str], name: str, status: int
) -> None:
    step = {"method": "POST", "path": "_table/contactlist", "body": {"resource": [{"name": "mine"}]}}
    async with caller(product, name, callers[name]) as http:
        batch = await http.post(BATCH, json={"requests": [step]})
        dry = await http.post(f"{TABLE}contactlist", params={"dry_run": "true"}, json=step["body"])
        plain = await http.post(f"{TABLE}contactlist", json=step["body"])
    assert [batch.status_code, dry.status_code, plain.status_code] == [status] * 3, (batch.text, dry.text)
    assert "hook" not in batch.text + dry.text


async def test_batches_of_an_account_that_wait_for_locks_delay_no_other_account(
    product: Product, victim: Account, neighbor: Account
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

    ids, own = [await contact(victim) for _ in range(4)], await contact(neighbor)
    async with product.db.transaction(), asyncio.timeout(60):
        await product.db.execute("update usercontact set name = name where contactid = $1", ids[0])
        blocked = [
            asyncio.create_task(victim.owner.http.post(BATCH, json=changes(order))) for order in (ids, ids[::-1]) * 4
        ]
        await until(lambda: _waiting(product))
        quick = await neighbor.owner.http.post(BATCH, json=changes([own]))
        reading = await neighbor.owner.http.post(BATCH, json={"requests": [{"path": "_table/usercontact"}]})
        assert (quick.status_code, reading.status_code) == (200, 200)
        assert not any(task.done() for task in blocked)
    assert {task.status_code for task in await asyncio.gather(*blocked)} == {200}


async def _waiting(product: Product) -> bool:
    """Return whether a batch runs alone and waits for a lock of a row, after the short time of its first attempt."""
    return bool(await product.db.fetchval(
        "select count(*) from pg_locks a join pg_locks w using (pid) where a.locktype = 'advisory' and a.granted"
        " and not w.granted and w.locktype in ('transactionid', 'tuple')"
    ))  # fmt: skip
