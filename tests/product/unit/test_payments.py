"""The payments client reads Stripe's own published objects, complete and without their optional fields."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx2
import orjson
import pytest
import stripe

from product.vendors.payments import Payments
from tests.helpers.support import ROOT

FIXTURES: dict[str, dict[str, Any]] = orjson.loads((ROOT / "tests/data/stripe_fixtures.json").read_bytes())["resources"]


def listed(url: str, *items: Any, more: bool = False) -> dict[str, Any]:
    return {"object": "list", "url": url, "has_more": more, "data": list(items)}


def lean(value: Any) -> Any:
    """Leave out fields that are null, as older and newer versions of the API do."""
    if isinstance(value, dict):
        return {name: lean(item) for name, item in value.items() if item is not None}
    return [lean(item) for item in value] if isinstance(value, list) else value


class Published(httpx2.AsyncBaseTransport):
    """Answers each call with the published object of its kind."""

    def __init__(self, shape: Callable[[Any], Any]) -> None:
        self.shape = shape
        self.requests: list[httpx2.Request] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        path = request.url.path.removeprefix("/v1/")
        return httpx2.Response(200, json=self.shape(self._found(path)), request=request)

    def _found(self, path: str) -> Any:
        kind, _, rest = path.partition("/")
        name = {"payment_intents": "payment_intent", "checkout": "checkout.session"}.get(kind, kind.removesuffix("s"))
        found = FIXTURES["event"] | {"data": {"object": FIXTURES["subscription"]}} if name == "event" else None
        found = found or FIXTURES[name]
        return found if rest else listed(f"/v1/{path}", found)


@pytest.fixture(params=[lambda value: value, lean], ids=["complete", "lean"])
def published(request: pytest.FixtureRequest) -> Published:
    return Published(request.param)


async def test_every_published_object_is_read(published: Published) -> None:
    payments = Payments("sk_test_x", "whsec_x", None, published)
    sub, invoice, intent = FIXTURES["subscription"], FIXTURES["invoice"], FIXTURES["payment_intent"]
    read = await payments.subscription(sub["id"])
    assert (read.id, read.status, read.itemid) == (sub["id"], sub["status"], sub["items"]["data"][0]["id"])
    assert (read.cancelby, read.quantity, [read]) == (
        "cancel_at_period_end",
        1,
        await payments.subscriptions(sub["customer"]),
    )
    [bill] = await payments.invoices(invoice["customer"])
    assert (bill.id, bill.status, bill.total, [line.amount for line in bill.lines]) == (
        invoice["id"], invoice["status"], invoice["total"], [1000])  # fmt: skip
    assert (bill.lines[0].priceid, bill.number) == ("", invoice["number"] or invoice["id"])
    preview = await payments.preview(read, "price_x", 1_700_000_000)
    assert [line.amount for line in preview.lines] == [1000]
    assert (await payments.intent_state(intent["id"])).amount == intent["amount"]
    assert {item.kind for item in await payments.reversals("pi_x")} == {"refund", "dispute"}
    assert await payments.payment_of_charge("ch_x") == ""
    assert (await payments.invoice_of_payment("pi_x"))[0] == invoice["id"]
    assert (await payments.checkout_state("cs_x")).status == FIXTURES["checkout.session"]["status"]
    [event] = [event async for event in payments.events(datetime.now(UTC), ("invoice.paid",))]
    assert (event.object, event.customer) == (sub["id"], sub["customer"])
    assert {request.headers["stripe-version"] for request in published.requests} == {stripe.api_version}
    await payments.close()


async def test_a_list_is_read_to_its_end_with_the_filters_of_its_first_page() -> None:
    asked: list[dict[str, str]] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        asked.append(dict(request.url.params))
        place = 1 + sum("starting_after" in page for page in asked)
        item = FIXTURES["refund"] | {"id": f"re_{place}"}
        found = (
            listed(request.url.path, item, more=place < 3) if "refunds" in request.url.path else listed("/v1/disputes")
        )
        return httpx2.Response(200, json=found)

    payments = Payments("sk_test_x", "whsec_x", None, httpx2.MockTransport(respond))
    assert [item.id for item in await payments.reversals("pi_x")] == ["re_1", "re_2", "re_3"]
    pages = [page for page in asked if "starting_after" in page]
    assert [page["starting_after"] for page in pages] == ["re_1", "re_2"]
    assert {page["payment_intent"] for page in asked} == {"pi_x"}
    await payments.close()
