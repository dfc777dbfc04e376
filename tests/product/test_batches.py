"""Batches, channels and webhooks of the product: every caller, what staff read, and the locks of an account."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.helpers.desk import Staff, view
from tests.helpers.product import API, TABLE, Account, Product
from tests.helpers.rights import MARK, NO_KEY, caller, rows_of
from tests.helpers.support import until
from tests.product.test_desk_audit import newest, recorded

BATCH = f"{API}leads/_batch"


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
