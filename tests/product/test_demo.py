"""The demo account: its plan with the printed credentials."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx2

from tests.helpers.support import NewDatabase, Serve

KEY = "key-of-the-demo"
STRIPE = "stripe"


@contextmanager
def owner(url: str) -> Iterator[httpx2.Client]:
    """Sign in as the owner of the demo account."""
    with httpx2.Client(base_url=f"{url}/api/v2/", headers={"X-API-Key": KEY}, timeout=30) as http:
        who = {"email": "owner@acme-demo.com", "password": "Demo1234"}
        http.headers["X-Session-Token"] = http.post("user/session", json=who).raise_for_status().json()["session_token"]
        yield http


def live(http: httpx2.Client) -> dict[str, Any]:
    [row] = http.get("leads/_table/usersubscription", params={"filter": "isactive=1"}).json()["resource"]
    session: dict[str, Any] = row
    return session


def until(http: httpx2.Client, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    end = time.monotonic() + 30
    while not holds(row := live(http)):
        assert time.monotonic() < end, row
        time.sleep(0.2)
    return row


def use(http: httpx2.Client) -> None:
    """Preview, upgrade, downgrade, cancel, resume."""
    row = live(http)
    sub = row["subscriptionid"]
    body = http.get(STRIPE, params={"res": "invoice", "plan": 7, "subId": sub}).json()
    assert body["success"] == 1, body
    data = body["resource"]["data"]
    assert 0 < data["total"] < 199000
    assert [line["amount"] < 0 for line in data["lines"]] == [True, False]

    record = {"subscriptionid": sub, "type": "downgrade", "planid": 3}
    too_many = http.patch(f"leads/_table/usersubscription/{sub}", json=record).json()["error"]["context"]
    assert (too_many["reason"], too_many["apis_over"]) == ("limit_exceeded", 1)
    [key] = http.get("leads/_table/apikeys", params={"filter": "isdeleted=0"}).json()["resource"]
    http.patch(f"leads/_table/apikeys/{key['keyid']}", json={"isdeleted": 1}).raise_for_status()
    http.patch(f"leads/_table/usersubscription/{sub}", json=record).raise_for_status()
    http.patch(STRIPE, json={"res": "sub", "plan": 3, "subId": sub}).raise_for_status()
    assert until(http, lambda row: row["downgrade_planid"] == 3)["planid"] == 4

    http.delete(STRIPE, params={"subId": sub}).raise_for_status()
    assert until(http, lambda row: row["autorenew"] == 0)["downgrade_planid"] is None
    http.patch(STRIPE, json={"res": "sub", "plan": 4, "subId": sub}).raise_for_status()
    until(http, lambda row: row["autorenew"] == 1)

    changed = http.patch(
        STRIPE, json={"res": "sub", "plan": 7, "subId": sub, "proration_date": data["subscription_proration_date"]}
    )
    assert changed.status_code == 200, changed.text
    until(http, lambda row: row["planid"] == 7)


async def test_the_demo_subscription_can_be_changed(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database)
    server = await asyncio.to_thread(serve, DEMO="1", DATABASE_URL=url, DATA_DIR=tmp_path / "data", APP_KEYS=KEY)
    with owner(server.url) as http:
        bills = http.get("leads/_table/transactionhistory", params={"order": "transactiondate"}).json()["resource"]
        assert [(bill["planname"], bill["status"]) for bill in bills] == [
            ("Business", "paid"), ("Business", "paid"), ("100 Cell Numbers", "paid"), ("Business", "paid"),
        ]  # fmt: skip
        assert {bill["invoicenumber"] for bill in bills} == {f"DEMO-000{number}" for number in range(1, 5)}
        assert http.get("invoicepdf", params={"invoicenumber": "DEMO-0001"}).content.startswith(b"%PDF")
        row = live(http)
        assert row["expirydate"] > f"{time.strftime('%Y-%m-%d')}"
        use(http)
    assert server.stop() in (0, 143)
    connection = await asyncpg.connect(url)
    wrong = """
        select count(*) from usercredit c, lateral (values ('contactcredit', c.contactcredit),
            ('bus_email_credits', c.bus_email_credits), ('personal_email_credits', c.personal_email_credits)) b(kind, n)
        where b.n <> (select sum(delta) from creditledger l where l.clientid = c.clientid and l.kind = b.kind)
    """
    assert await connection.fetchval(wrong) == 0
    await connection.close()
