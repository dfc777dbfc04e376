"""The payment sandbox: requests of the official client, and events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest
import stripe
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sandbox.stripe import calendar, calls, form
from sandbox.stripe.form import StripeRefused
from sandbox.stripe.service import Service
from sandbox.stripe.store import State, Store

KINDS: dict[str, Any] = {
    "customer": stripe.Customer, "product": stripe.Product, "price": stripe.Price, "invoice": stripe.Invoice,
    "subscription": stripe.Subscription, "payment_intent": stripe.PaymentIntent, "event": stripe.Event,
    "checkout.session": stripe.checkout.Session, "payment_method": stripe.PaymentMethod,
    "subscription_schedule": stripe.SubscriptionSchedule,
}  # fmt: skip


@pytest.mark.parametrize(("pairs", "found"), [
    ([("a", "1")], {"a": "1"}),
    ([("a[b][c]", "1"), ("a[b][d]", "2")], {"a": {"b": {"c": "1", "d": "2"}}}),
    ([("items[0][price]", "p"), ("items[1][price]", "q")], {"items": [{"price": "p"}, {"price": "q"}]}),
    ([("expand[]", "x"), ("expand[]", "y")], {"expand": ["x", "y"]}),
])  # fmt: skip
def test_nested_form_fields_are_parsed(pairs: list[tuple[str, str]], found: dict[str, object]) -> None:
    assert form.parse(pairs) == found


@pytest.mark.parametrize(("data", "where"), [
    ({"prise": "1"}, "prise"), ({"items": [{"price": "p", "colour": "red"}]}, "items[colour]"),
    ({"api_key": "sk"}, "api_key"),
])  # fmt: skip
def test_unknown_parameters_are_rejected(data: dict[str, object], where: str) -> None:
    with pytest.raises(StripeRefused) as refused:
        form.check(data, "SubscriptionUpdateParams")
    assert refused.value.error["param"] == where


def test_metadata_accepts_any_name() -> None:
    form.check({"metadata": {"whatever": "1"}, "items": [{"metadata": {"x": "y"}}]}, "SubscriptionUpdateParams")


def test_every_call_checks_against_a_type_of_the_client() -> None:
    for call in calls.CALLS:
        assert form._annotations(call.params), call.params


def _run(state: State, method: str, path: str, **data: object) -> dict[str, object]:
    call, ident = calls.find(method, path)
    form.check(data, call.params)
    return call.run(state, data, ident)


def test_objects_have_exactly_the_fields_of_the_client(tmp_path: Path) -> None:
    with Store(tmp_path).transaction() as state:
        customer = _run(state, "POST", "customers", email="a@b.example")
        _run(state, "POST", "products", id="plan_2", name="Starter")
        price = _run(
            state,
            "POST",
            "prices",
            product="plan_2",
            currency="usd",
            unit_amount="4900",
            recurring={"interval": "month"},
        )
        _run(
            state, "POST", "checkout/sessions", mode="subscription", customer=customer["id"],
            line_items=[{"price": price["id"], "quantity": "1"}], success_url="http://x", cancel_url="http://y",
        )  # fmt: skip
        from sandbox.stripe import cards, subscriptions

        method = cards.make(state, "visa", str(customer["id"]))
        sub = subscriptions.begin(state, str(customer["id"]), price, method, {})
        _run(state, "POST", "subscription_schedules", from_subscription=sub["id"])
        _run(state, "POST", "payment_intents", amount="2500", currency="usd", customer=customer["id"])
        for kind, known in KINDS.items():
            objects = state.all(kind)
            assert objects, kind
            names = {name for name in known.__annotations__ if name not in ("OBJECT_NAME", "deleted")}
            for each in objects:
                assert {name for name in each if not name.startswith("_")} == names, kind
                known.construct_from(each, "sk_test")


def test_a_rollback_leaves_no_trace(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def die() -> None:
        with store.transaction() as state:
            _run(state, "POST", "customers", email="a@b.example")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        die()
    with store.transaction() as state:
        assert state.all("customer") == []


@pytest.mark.parametrize(("start", "interval", "end"), [
    ("2026-01-31", "month", "2026-02-28"), ("2024-02-29", "year", "2025-02-28"), ("2026-12-15", "month", "2027-01-15"),
])  # fmt: skip
def test_a_period_ends_on_the_last_day_of_a_shorter_month(start: str, interval: str, end: str) -> None:
    from datetime import UTC, datetime

    def moment(text: str) -> int:
        return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())

    assert calendar.add(moment(start), interval) == moment(end)


def test_a_short_month_does_not_change_the_billing_day_permanently() -> None:
    january = 1769817600  # 31 January 2026
    february = calendar.add(january, "month", anchor=january)
    assert calendar.day(calendar.add(february, "month", anchor=january)) == "31 Mar 2026"


def test_proration_matches_a_manual_calculation() -> None:
    assert calendar.part(4900, 0, 30, 10) == 3267
    assert calendar.part(9900, 0, 30, 10) == 6600


SECRET, BASE = "whsec_x", "http://t/sandbox/stripe"
KEY = {"Authorization": "Bearer sk_test_x"}


class Ear:
    """An endpoint that records events and rejects the first few."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.refuse = 0
        self._more = asyncio.Condition()

    async def hook(self, request: Request) -> Response:
        body = await request.body()
        stripe.WebhookSignature.verify_header(body.decode(), request.headers["stripe-signature"], SECRET, 300)
        async with self._more:
            self.refuse -= 1
            if self.refuse >= 0:
                return Response(status_code=500)
            self.heard.append(orjson.loads(body)["type"])
            self._more.notify_all()
        return Response()

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(20), self._more:
            await self._more.wait_for(done)


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
async def http(ear: Ear, tmp_path: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """Return a client of a sandbox that sends its events to the endpoint."""
    hearing = httpx2.ASGITransport(Starlette(routes=[Route("/hook", ear.hook, methods=["POST"])]))
    service = Service(tmp_path, BASE, {"url": "http://t/hook", "secret": SECRET}, hearing)
    app = Starlette(routes=[Route("/sandbox/stripe/{path:path}", service.respond, methods=["GET", "POST"])])
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url=BASE, headers=KEY) as client:
        yield client
    await service.deliverer.close()


async def test_events_are_delivered_once_in_order(ear: Ear, http: httpx2.AsyncClient) -> None:
    await http.post("/v1/customers", data={"email": "a@b.example"})
    await http.post("/v1/products", data={"name": "x"})
    await ear.until(lambda: len(ear.heard) == 2)
    assert ear.heard == ["customer.created", "product.created"]


async def test_deliveries_can_be_repeated_and_delayed(ear: Ear, http: httpx2.AsyncClient) -> None:
    await http.post("/test/delivery", json={"repeat": 2, "delay": 0.5})
    await http.post("/v1/customers", data={"email": "a@b.example"})
    assert ear.heard == []
    await ear.until(lambda: ear.heard == ["customer.created"] * 2)


async def test_deliveries_are_retried_until_accepted(ear: Ear, http: httpx2.AsyncClient) -> None:
    ear.refuse = 1
    await http.post("/v1/customers", data={"email": "a@b.example"})
    await ear.until(lambda: ear.heard == ["customer.created"])


async def test_held_events_are_delivered_on_request(ear: Ear, http: httpx2.AsyncClient) -> None:
    await http.post("/test/delivery", json={"hold": True})
    await http.post("/v1/customers", data={"email": "a@b.example"})
    [event] = (await http.get("/v1/events")).json()["data"]
    assert ear.heard == []
    await http.post("/test/send", json={"event": event["id"]})
    await ear.until(lambda: ear.heard == ["customer.created"])


@pytest.mark.parametrize(("key", "status"), [("", 401), ("Bearer pk_test_x", 401), ("Bearer sk_test_x", 200)])
async def test_requests_without_a_key_are_rejected(http: httpx2.AsyncClient, key: str, status: int) -> None:
    respond = await http.post("/v1/customers", data={"email": "a@b.example"}, headers={"Authorization": key})
    assert respond.status_code == status


async def test_one_key_gets_one_response(http: httpx2.AsyncClient) -> None:
    key = {"Idempotency-Key": "k1"}
    first, again = [await http.post("/v1/customers", data={"email": "a@b.example"}, headers=key) for _ in range(2)]
    other = await http.post("/v1/customers", data={"email": "c@d.example"}, headers=key)
    assert first.json() == again.json()
    assert again.headers["idempotent-replayed"] == "true"
    assert (other.status_code, other.json()["error"]["type"]) == (400, "idempotency_error")
