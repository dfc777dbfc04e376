"""The calls of Stripe's API that the stand-in speaks: exactly those the product makes, and a few for its tests.

A call is a line of CALLS: method, path, the client's parameter type, and a function of (state, data, id).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import stripe

from scripts._shared.sandbox.stripe import (
    cards,
    charges,
    checkout,
    disputes,
    form,
    intents,
    invoices,
    schedules,
    subscriptions,
)
from scripts._shared.sandbox.stripe.form import invalid, missing
from scripts._shared.sandbox.stripe.store import State, blank, listed

Data = dict[str, Any]
_MOST = 100
_MOST_TYPES = 20


def _customer(state: State, data: Data, _id: str) -> Data:
    one = blank(
        stripe.Customer, id=state.new_id("cus"), object="customer", balance=0, created=state.now(), delinquent=False,
        invoice_settings={"custom_fields": None, "default_payment_method": None, "footer": None},
        metadata={}, preferred_locales=[], tax_exempt="none",
    )  # fmt: skip
    _customer_fields(one, data)
    state.put(one)
    state.emit("customer.created", one)
    return one


def _customer_fields(one: Data, data: Data) -> None:
    for name in ("email", "name", "phone", "description", "address"):
        if name in data:
            one[name] = data[name]
    one["metadata"] |= data.get("metadata") or {}


def _change_customer(state: State, data: Data, ident: str) -> Data:
    one = state.get("customer", ident)
    _customer_fields(one, data)
    if method := (data.get("invoice_settings") or {}).get("default_payment_method"):
        one["invoice_settings"]["default_payment_method"] = cards.of_token(state, method, ident)["id"]
    state.put(one)
    state.emit("customer.updated", one)
    return one


def _product(state: State, data: Data, _id: str) -> Data:
    ident = data.get("id") or state.new_id("prod")
    if state.find(ident):
        raise invalid("Product already exists.", "id", "resource_already_exists")
    one = blank(
        stripe.Product, id=ident, object="product", active=True, created=state.now(), images=[], marketing_features=[],
        name=form.needed(data, "name"), description=data.get("description"), metadata=data.get("metadata") or {},
        type="service", updated=state.now(),
    )  # fmt: skip
    state.put(one)
    state.emit("product.created", one)
    return one


def _change_product(state: State, data: Data, ident: str) -> Data:
    one = state.get("product", ident)
    one |= {name: data[name] for name in ("name", "description") if name in data}
    one["metadata"] |= data.get("metadata") or {}
    state.put(one)
    state.emit("product.updated", one)
    return one


def _price(state: State, data: Data, _id: str) -> Data:
    product = state.get("product", form.needed(data, "product"), "product")
    key = data.get("lookup_key")
    if key and any(one["lookup_key"] == key for one in state.all("price")):
        raise invalid(f"A price with lookup key '{key}' exists already.", "lookup_key", "resource_already_exists")
    recurring = data.get("recurring")
    if recurring:
        interval = form.needed(recurring, "interval")
        if interval not in ("day", "week", "month", "year"):
            raise invalid("Invalid interval", "recurring[interval]")
        recurring = {
            "interval": interval,
            "interval_count": form.whole(recurring, "interval_count", 1),
            "meter": None,
            "trial_period_days": None,
            "usage_type": "licensed",
        }
    amount = form.whole(data, "unit_amount")
    if amount is None or amount < 0:
        raise invalid("Missing or negative unit_amount.", "unit_amount")
    one = blank(
        stripe.Price, id=state.new_id("price"), object="price", active=True, billing_scheme="per_unit",
        created=state.now(), currency=form.needed(data, "currency"), lookup_key=key, nickname=data.get("nickname"),
        metadata=data.get("metadata") or {}, product=product["id"], recurring=recurring, unit_amount=amount,
        unit_amount_decimal=str(amount), tax_behavior="unspecified", type="recurring" if recurring else "one_time",
    )  # fmt: skip
    state.put(one)
    state.emit("price.created", one)
    return one


def _preview(state: State, data: Data, _id: str) -> Data:
    """What a change of price would cost now."""
    sub = state.get("subscription", form.needed(data, "subscription"), "subscription")
    if sub["status"] not in subscriptions.LIVE:
        raise invalid("The subscription is canceled.", "subscription", "invoice_upcoming_none")
    details = data.get("subscription_details") or {}
    items = details.get("items")
    if not items:
        return invoices.build(state, sub, [invoices.period_line(state, sub)], "upcoming")
    if details.get("proration_behavior") != "always_invoice":
        raise invalid("The stand-in previews a change at once.", "subscription_details[proration_behavior]")
    price = state.get("price", form.needed(items[0], "price"), "subscription_details[items][0][price]")
    date = subscriptions.proration_date(state, sub, details)
    one = invoices.build(state, sub, invoices.change_lines(state, sub, price, date), "upcoming")
    one["parent"]["subscription_details"]["subscription_proration_date"] = date
    return one


def _pay(state: State, data: Data, ident: str) -> Data:
    bill = state.get("invoice", ident)
    subscriptions.refuse_if_paid(bill)
    method = cards.of_token(state, form.needed(data, "payment_method"), bill["customer"])
    if subscriptions.pay_open(state, bill, method) != "ok":
        raise cards.decline(method, keep=True)
    return state.get("invoice", ident)


def _method(state: State, data: Data, _id: str) -> Data:
    card = data.get("card") or {}
    if token := card.get("token"):
        return cards.of_token(state, token)
    return cards.make(state, cards.by_number(str(card.get("number", ""))))


def _endpoint(state: State, data: Data, _id: str) -> Data:
    one = blank(
        stripe.WebhookEndpoint, id=state.new_id("we"), object="webhook_endpoint", created=state.now(),
        enabled_events=data.get("enabled_events") or ["*"], metadata={}, status="enabled",
        url=form.needed(data, "url"), secret=f"whsec_{state.new_id('w')[2:]}", api_version=data.get("api_version"),
    )  # fmt: skip
    state.put(one | {"secret": None, "_secret": one["secret"]})
    return one


def _getting(kind: str) -> Callable[[State, Data, str], Data]:
    return lambda state, _data, ident: state.get(kind, ident)


def _listing(kind: str, *by: str) -> Callable[[State, Data, str], Data]:
    """A page of the newest objects, by equality of some fields and `created`."""

    def run(state: State, data: Data, _id: str) -> Data:
        if len(data.get("types") or ()) > _MOST_TYPES:
            raise invalid(f"You can only specify {_MOST_TYPES} types.", "types")
        found = [one for one in state.all(kind, data.get("customer", "")) if _fits(one, data, by)]
        if after := data.get("starting_after"):
            places = [number for number, one in enumerate(found) if one["id"] == after]
            if not places:
                raise missing(kind, after, "starting_after")
            found = found[places[0] + 1 :]
        most = min(form.whole(data, "limit", 10) or 10, _MOST)
        return listed(found[:most], f"/v1/{kind}s", len(found) > most)

    return run


def _fits(one: Data, data: Data, by: tuple[str, ...]) -> bool:
    for name in by:
        asked = data.get(name)
        if name == "lookup_keys" and asked is not None:
            if one["lookup_key"] not in asked:
                return False
        elif name == "subscription" and asked is not None:
            if one["parent"]["subscription_details"]["subscription"] != asked:
                return False
        elif name == "types" and asked is not None:
            if one["type"] not in asked:
                return False
        elif name == "status" and kind_of_status(one, asked):
            return False
        elif name == "created" and isinstance(asked, dict):
            least, most = form.whole(asked, "gte", 0) or 0, form.whole(asked, "lte", 2**62) or 2**62
            if not least <= one["created"] <= most:
                return False
        elif (
            name in ("price", "product", "active", "charge", "payment_intent")
            and asked is not None
            and str(one.get(name)).lower() != asked
        ):
            return False
    return True


def kind_of_status(one: Data, asked: str | None) -> bool:
    """Is the object left out? Canceled subscriptions are, unless they are asked for."""
    if one["object"] == "subscription":
        return one["status"] == "canceled" if asked is None else asked not in ("all", one["status"])
    return asked is not None and one["status"] != asked


@dataclass(frozen=True, slots=True)
class Call:
    method: str
    path: str
    params: str
    run: Callable[[State, Data, str], Data]


def _call(method: str, path: str, params: str, run: Callable[[State, Data, str], Data]) -> Call:
    return Call(method, path, params, run)


CALLS = (
    _call("POST", "customers", "CustomerCreateParams", _customer),
    _call("GET", "customers/{id}", "CustomerRetrieveParams", _getting("customer")),
    _call("POST", "customers/{id}", "CustomerUpdateParams", _change_customer),
    _call("POST", "products", "ProductCreateParams", _product),
    _call("GET", "products/{id}", "ProductRetrieveParams", _getting("product")),
    _call("POST", "products/{id}", "ProductUpdateParams", _change_product),
    _call("POST", "prices", "PriceCreateParams", _price),
    _call("GET", "prices", "PriceListParams", _listing("price", "lookup_keys", "product", "active")),
    _call("GET", "prices/{id}", "PriceRetrieveParams", _getting("price")),
    _call("POST", "checkout/sessions", "checkout.SessionCreateParams",
          lambda state, data, _: checkout.create(state, data)),
    _call("GET", "checkout/sessions/{id}", "checkout.SessionRetrieveParams", _getting("checkout.session")),
    _call("POST", "checkout/sessions/{id}/expire", "checkout.SessionExpireParams",
          lambda state, _, ident: checkout.expire(state, state.get("checkout.session", ident))),
    _call("GET", "subscriptions", "SubscriptionListParams", _listing("subscription", "status", "price")),
    _call("GET", "subscriptions/{id}", "SubscriptionRetrieveParams", _getting("subscription")),
    _call("POST", "subscriptions/{id}", "SubscriptionUpdateParams",
          lambda state, data, ident: subscriptions.update(state, state.get("subscription", ident), data)),
    _call("DELETE", "subscriptions/{id}", "SubscriptionCancelParams",
          lambda state, _, ident: subscriptions.end(state, _live(state, ident), "cancellation_requested")),
    _call("POST", "subscription_schedules", "SubscriptionScheduleCreateParams",
          lambda state, data, _: schedules.create(state, data)),
    _call("GET", "subscription_schedules/{id}", "SubscriptionScheduleRetrieveParams",
          _getting("subscription_schedule")),
    _call("POST", "subscription_schedules/{id}", "SubscriptionScheduleUpdateParams",
          lambda state, data, ident: schedules.update(state, state.get("subscription_schedule", ident), data)),
    _call("POST", "subscription_schedules/{id}/release", "SubscriptionScheduleReleaseParams",
          lambda state, _, ident: schedules.release(state, state.get("subscription_schedule", ident))),
    _call("POST", "invoices/create_preview", "InvoiceCreatePreviewParams", _preview),
    _call("GET", "invoices", "InvoiceListParams", _listing("invoice", "subscription", "status", "created")),
    _call("GET", "invoices/{id}", "InvoiceRetrieveParams", _getting("invoice")),
    _call("POST", "invoices/{id}/pay", "InvoicePayParams", _pay),
    _call("POST", "payment_methods", "PaymentMethodCreateParams", _method),
    _call("GET", "payment_methods/{id}", "PaymentMethodRetrieveParams", _getting("payment_method")),
    _call("POST", "payment_intents", "PaymentIntentCreateParams", lambda state, data, _: intents.create(state, data)),
    _call("GET", "payment_intents/{id}", "PaymentIntentRetrieveParams", _getting("payment_intent")),
    _call("POST", "payment_intents/{id}/confirm", "PaymentIntentConfirmParams",
          lambda state, data, ident: intents.confirm(state, state.get("payment_intent", ident), data)),
    _call("GET", "charges", "ChargeListParams", _listing("charge", "payment_intent", "created")),
    _call("GET", "charges/{id}", "ChargeRetrieveParams", _getting("charge")),
    _call("POST", "refunds", "RefundCreateParams", charges.refund),
    _call("GET", "refunds", "RefundListParams", _listing("refund", "payment_intent", "charge", "created")),
    _call("GET", "refunds/{id}", "RefundRetrieveParams", _getting("refund")),
    _call("GET", "disputes", "DisputeListParams", _listing("dispute", "payment_intent", "charge", "created")),
    _call("GET", "disputes/{id}", "DisputeRetrieveParams", _getting("dispute")),
    _call("POST", "disputes/{id}", "DisputeUpdateParams", disputes.update),
    _call("POST", "disputes/{id}/close", "DisputeCloseParams", disputes.accept),
    _call("GET", "invoice_payments", "InvoicePaymentListParams", charges.payments_of),
    _call("GET", "events", "EventListParams", _listing("event", "types", "created")),
    _call("GET", "events/{id}", "EventRetrieveParams", _getting("event")),
    _call("POST", "webhook_endpoints", "WebhookEndpointCreateParams", _endpoint),
    _call("GET", "webhook_endpoints", "WebhookEndpointListParams", _listing("webhook_endpoint")),
)  # fmt: skip


def _live(state: State, ident: str) -> Data:
    sub = state.get("subscription", ident)
    if sub["status"] == "canceled":
        raise missing("subscription", ident)
    return sub


_ID = re.compile(r"[\w-]+")


def find(method: str, path: str) -> tuple[Call, str]:
    """The call of a request, and the id in its path; Stripe's own refusal for what it does not know."""
    for call in CALLS:
        head, between, tail = call.path.partition("{id}")
        if call.method != method or not path.startswith(head):
            continue
        ident = path[len(head) : len(path) - len(tail)]
        if (_ID.fullmatch(ident) and path == head + ident + tail) if between else path == head:
            return call, ident if between else ""
    raise invalid(f"Unrecognized request URL ({method}: /v1/{path}).", status=404)
