"""A payment and a bulk job that a kill or a restart interrupts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.helpers.customer import CREDITS, caller, charges, prepare, settings
from tests.helpers.support import NewDatabase, Serve, Server

KEY = "test-app-key"
KINDS = ("contactcredit", "bus_email_credits", "personal_email_credits")
PATIENCE = 60.0


class Customer:
    """A client with the session of the demo's owner, across restarts of the server."""

    def __init__(self, start: Callable[[], Server]) -> None:
        self._start = start
        self.server = start()
        self.http = self._signed_in()

    def _signed_in(self) -> httpx2.Client:
        http = httpx2.Client(base_url=f"{self.server.url}/api/v2/", headers={"X-API-Key": KEY}, timeout=30)
        who = {"email": "owner@acme-demo.com", "password": "Demo1234"}
        http.headers["X-Session-Token"] = http.post("user/session", json=who).json()["session_token"]
        return http

    def kill(self) -> None:
        os.killpg(self.server.process.pid, signal.SIGKILL)
        self.server.process.wait(20)

    def restart(self) -> None:
        self.http.close()
        self.server = self._start()
        self.http = self._signed_in()

    def state(self) -> tuple[int, list[int]]:
        """Return plan and credits."""
        [live] = self.http.get("leads/_table/usersubscription", params={"filter": "isactive=1"}).json()["resource"]
        [left] = self.http.get("leads/_table/usercredit").json()["resource"]
        return live["planid"], [left[kind] for kind in KINDS]

    def invoices(self) -> dict[str, int]:
        """Return the plan of each invoice, by number."""
        rows = self.http.get("leads/_table/transactionhistory", params={"limit": 1000}).json()["resource"]
        return {row["invoicenumber"]: row["planid"] for row in rows}

    def close(self) -> None:
        self.http.close()

    def until(self, done: Callable[[], Any]) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            assert time.monotonic() < end, self.state()
            threading.Event().wait(0.2)


@pytest.mark.slow
def test_a_payment_survives_a_kill_after_every_step(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    url = new_database()
    customer = Customer(lambda: serve(DEMO="1", DATABASE_URL=url, DATA_DIR=tmp_path / "data", APP_KEYS=KEY))

    # The demo account has a subscription, which must end before a new one.
    [live] = customer.http.get("leads/_table/usersubscription", params={"filter": "isactive=1"}).json()["resource"]
    customer.http.delete("stripe", params={"subId": live["subscriptionid"]}).raise_for_status()

    former = customer.invoices()  # those of the demo

    # Killed after the payment page is created: the same page exists afterwards.
    rows = customer.http.post("stripe", json={"plan": 7}).json()["resource"]
    customer.kill()
    customer.restart()
    again = customer.http.post("stripe", json={"plan": 7}).json()["resource"]
    assert again["data"] == rows["data"]

    # Killed before or while the event of the payment arrives.
    page = f"{customer.server.url}/sandbox/stripe/checkout/{again['data']}"
    paid = httpx2.post(page, data={"cardnumber": "4242424242424242"}, timeout=30)
    customer.kill()
    assert paid.status_code == 303
    customer.restart()
    customer.until(lambda: customer.state()[0] == 7)
    before = customer.state()[1]
    assert before[1:] == [24000, 24000]

    # Killed during the payment of an add-on; the app repeats the request.
    buy = {"planid": 101, "tokenid": "tok_visa"}
    for seconds in (0.02, 0.1, 0.3):
        threading.Timer(seconds, customer.kill).start()
        with contextlib.suppress(httpx2.HTTPError):
            customer.http.post("addonpayment", json=buy)
        customer.server.process.wait(20)
        customer.restart()
    assert "transactionid" in customer.http.post("addonpayment", json=buy).json()["result"]
    customer.until(lambda: customer.state()[1][0] == before[0] + 100)
    paid_for = [planid for number, planid in customer.invoices().items() if number not in former]
    assert sorted(paid_for) == [7, 101]
    customer.close()


LINES = 1000
CSV = "linkedinurl\n" + "\n".join(f"https://www.linkedin.com/in/person-{number}" for number in range(LINES))


async def _start(http: httpx2.AsyncClient) -> dict[str, Any]:
    query: dict[str, Any] = {"kinds": "directdial", "max_credits": LINES}
    response = await http.post("bulklookup", params=query, files={"files": ("people.csv", CSV.encode())})
    assert response.status_code == 202, response.text
    return dict(response.json())


async def _until(http: httpx2.AsyncClient, jobid: int, ready: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Poll the job as the app does, until it is ready."""
    async with asyncio.timeout(90):
        while True:
            shown = (await http.get(f"bulklookup/{jobid}")).json()
            if ready(shown):
                return dict(shown)
            await asyncio.sleep(0.1)  # as the app polls


@pytest.mark.slow
async def test_a_restart_neither_loses_nor_repeats_rows(new_database: NewDatabase, serve: Serve) -> None:
    url = await asyncio.to_thread(new_database)
    first = await asyncio.to_thread(serve, **settings(url, WORKER="on"))
    await prepare(url, LINES)
    async with caller(first.url) as http:
        job = await _start(http)
        assert (job["estimate"], job["total"]) == (LINES, LINES)
        await _until(http, job["jobid"], lambda shown: shown["processed"] >= 50)
    await asyncio.to_thread(first.kill)
    killed_at = (await charges(url))[0]
    assert 50 <= killed_at < LINES

    second = await asyncio.to_thread(serve, **settings(url, WORKER="on", INIT="off"))
    async with caller(second.url) as http:
        done = await _until(http, job["jobid"], lambda shown: shown["status"] == "done")
        assert (done["charged"], done["processed"]) == (LINES, LINES)
        assert {(row["status"], row["charged"]) for row in done["rows"]} == {("done", 1)}
        assert await charges(url) == (LINES, LINES, LINES)

        again = await _start(http)
        assert again["estimate"] == 0
        free = await _until(http, again["jobid"], lambda shown: shown["status"] == "done")
        assert (free["charged"], {row["status"] for row in free["rows"]}) == (0, {"done"})
        left = (await http.get("account/credits")).json()
    assert await charges(url) == (LINES, LINES, LINES)
    assert str(CREDITS - LINES) in str(left)
