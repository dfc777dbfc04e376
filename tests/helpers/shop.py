"""The product with the payment sandbox; a test delivers its events explicitly."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from starlette.applications import Starlette
from starlette.routing import Route

from product.vendors.payments import Payments
from sandbox.stripe.deliver import signature
from sandbox.stripe.service import Service
from tests.helpers.product import API, Account, Product

SECRET, BASE = "whsec_of_the_tests", "http://stripe.test/sandbox/stripe"
WEBHOOK = API + "webhooks/payment"
CARD = {"ok": "4242424242424242", "declined": "4000000000000002", "3ds": "4000002500003155"}
CREDITS = ("contactcredit", "bus_email_credits", "personal_email_credits")


class Shop:
    """The payment sandbox in this process. Events wait until `deliver` sends them."""

    def __init__(self, product: Product, folder: Path) -> None:
        self.product = product
        self.service = Service(folder, BASE, None)
        app = Starlette(
            routes=[Route("/sandbox/stripe/{path:path}", self.service.respond, methods=["GET", "POST", "DELETE"])]
        )
        self.transport = httpx2.ASGITransport(app)
        self.http = httpx2.AsyncClient(transport=self.transport, base_url=BASE)
        self.webhook = product.caller(key="")
        self.seen: set[str] = set()

    def payments(self, transport: httpx2.AsyncBaseTransport | None = None) -> Payments:
        """Return a client of the sandbox; `transport` may change what happens on the way."""
        return Payments("sk_test_x", SECRET, BASE, transport or self.transport)

    # -- events ------------------------------------------------------------------------------------------------------

    def fresh(self) -> list[str]:
        """Return the events that are not delivered yet, oldest first."""
        with self.service.store.transaction() as state:
            events = [event["id"] for event in reversed(state.all("event")) if event["id"] not in self.seen]
        self.seen.update(events)
        return events

    def type_of(self, event: str) -> str:
        with self.service.store.transaction() as state:
            return str(state.get("event", event)["type"])

    async def post(self, event: str, *, secret: str = SECRET, moment: int | None = None) -> httpx2.Response:
        """Deliver one event as Stripe does."""
        body = self.service.deliverer.body(event)
        headers = {"Stripe-Signature": signature(secret, body, moment or int(time.time()))}
        return await self.webhook.post(WEBHOOK, content=body, headers=headers)

    async def deliver(self, events: Iterable[str] | None = None) -> None:
        """Deliver the given or all waiting events, then run the queue."""
        for event in self.fresh() if events is None else events:
            respond = await self.post(event)
            assert respond.status_code == 200, respond.text
        await self.product.work()

    # -- time and faults -----------------------------------------------------------------------------------------------

    async def pass_days(self, days: int) -> None:
        respond = await self.http.post(f"{BASE}/test/clock", json={"days": days})
        assert respond.status_code == 200, respond.text

    async def fault(self, **how: Any) -> None:
        """Make the next calls fail. `how`: status, times, after (the effect), seconds."""
        await self.http.post(f"{BASE}/test/fault", json={"times": 1} | how)

    async def new_card(self, account: Account, name: str) -> None:
        """Change the card of the running subscription."""
        subid = await self.product.db.fetchval(
            "select stripe_subid from usersubscription where clientid = $1 and isactive = 1", account.clientid
        )
        respond = await self.http.post(
            f"{BASE}/v1/subscriptions/{subid}", data={"default_payment_method": f"pm_card_{name}"},
            headers={"Authorization": "Bearer sk_test_x"},
        )  # fmt: skip
        assert respond.status_code == 200, respond.text

    # -- actions of a buyer --------------------------------------------------------------------------------------------

    async def subscribe(self, account: Account, planid: int, card: str = "ok") -> None:
        """Subscribe through the hosted page and deliver the events."""
        session = await account.owner.post("stripe", plan=planid)
        assert session.status_code == 200, session.text
        await self.pay(session.json()["resource"]["url"], card)
        await self.deliver()

    async def record_downgrade(self, account: Account, planid: int) -> int:
        """Record the request for a lower plan, which must precede the change; return the subscriptionid."""
        ident = int((await self.row(account))["subscriptionid"])
        record = {"subscriptionid": ident, "type": "downgrade", "planid": planid}
        respond = await account.owner.table("PATCH", f"usersubscription/{ident}", record)
        assert respond.status_code == 200, respond.text
        return ident

    async def pay(self, url: str, card: str = "ok") -> httpx2.Response:
        """Fill in a hosted page."""
        respond = await self.http.post(url, data={"cardnumber": CARD[card], "expiry": "12/34", "cvc": "123"})
        if card == "3ds" and respond.status_code == 303:
            respond = await self.http.post(respond.headers["location"], data={"proof": "yes"})
        return respond

    async def row(self, account: Account) -> Any:
        """Return the subscription that the app shows."""
        return await self.product.db.fetchrow(
            "select * from usersubscription where clientid = $1 order by isactive desc, createdon desc,"
            " subscriptionid desc limit 1",
            account.clientid,
        )

    async def plan(self, account: Account) -> int:
        return int((await self.row(account))["planid"])

    async def credits(self, account: Account) -> tuple[int, int, int]:
        row = await self.product.db.fetchrow("select * from usercredit where clientid = $1", account.clientid)
        assert row is not None
        return row["contactcredit"], row["bus_email_credits"], row["personal_email_credits"]

    async def balanced(self, account: Account) -> bool:
        """Return whether the ledger sums up to the balance of each kind."""
        rows = await self.product.db.fetch(
            "select kind, sum(delta)::int as total from creditledger where clientid = $1 group by kind",
            account.clientid,
        )
        sums = {row["kind"]: row["total"] for row in rows}
        return tuple(sums.get(kind, 0) for kind in CREDITS) == await self.credits(account)

    async def invoices(self, account: Account) -> list[Any]:
        return await self.product.db.fetch(
            "select * from transactionhistory where clientid = $1 order by transactiondate, transactionid",
            account.clientid,
        )


@asynccontextmanager
async def open_shop(product: Product, folder: Path) -> AsyncIterator[Shop]:
    """Set up payments through a sandbox for the duration of the block."""
    shop = Shop(product, folder)
    adapters = vars(product.scripts.vendors)
    before = adapters.get("payments")
    adapters["payments"] = payments = shop.payments()
    yield shop
    adapters["payments"] = before
    await payments.close()
    await shop.service.deliverer.close()
