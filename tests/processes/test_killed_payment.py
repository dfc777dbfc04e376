"""kill -9 between the steps of a payment: the state after a restart is right, and nothing is charged twice."""

from __future__ import annotations

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
