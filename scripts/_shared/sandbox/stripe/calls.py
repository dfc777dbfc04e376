"""The calls of Stripe's API that the stand-in implements: those that the product and its tests make.

Each is a line of CALLS: method, path, the client's parameter type, and a function of (state, data, id).
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
_MAX_LIMIT = 100
_MAX_TYPES = 20


def _customer(state: State, data: Data, _id: str) -> Data:
    customer = blank(
        stripe.Customer, id=state.new_id("cus"), object="customer", balance=0, created=state.now(), delinquent=False,
        invoice_settings={"custom_fields": None, "default_payment_method": None, "footer": None},
        metadata={}, preferred_locales=[], tax_exempt="none",
    )  # fmt: skip
    _customer_fields(customer, data)
    state.put(customer)
    state.emit("customer.created", customer)
    return customer


def _customer_fields(customer: Data, data: Data) -> None:
    for name in ("email", "name", "phone", "description", "address"):
        if name in data:
            customer[name] = data[name]
    customer["metadata"] |= data.get("metadata") or {}


def _change_customer(state: State, data: Data, ident: str) -> Data:
    customer = state.get("customer", ident)
    _customer_fields(customer, data)
    if method := (data.get("invoice_settings") or {}).get("default_payment_method"):
        customer["invoice_settings"]["default_payment_method"] = cards.of_token(state, method, ident)["id"]
    state.put(customer)
    state.emit("customer.updated", customer)
    return customer


def _product(state: State, data: Data, _id: str) -> Data:
    ident = data.get("id") or state.new_id("prod")
    if state.find(ident):
        raise invalid("Product already exists.", "id", "resource_already_exists")
    product = blank(
        stripe.Product, id=ident, object="product", active=True, created=state.now(), images=[], marketing_features=[],
        name=form.needed(data, "name"), description=data.get("description"), metadata=data.get("metadata") or {},
        type="service", updated=state.now(),
    )  # fmt: skip
    state.put(product)
    state.emit("product.created", product)
    return product


def _change_product(state: State, data: Data, ident: str) -> Data:
    product = state.get("product", ident)
    product |= {name: data[name] for name in ("name", "description") if name in data}
    product["metadata"] |= data.get("metadata") or {}
    state.put(product)
    state.emit("product.updated", product)
    return product


def _price(state: State, data: Data, _id: str) -> Data:
    product = state.get("product", form.needed(data, "product"), "product")
    key = data.get("lookup_key")
    if key and any(price["lookup_key"] == key for price in state.all("price")):
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
    price = blank(
        stripe.Price, id=state.new_id("price"), object="price", active=True, billing_scheme="per_unit",
        created=state.now(), currency=form.needed(data, "currency"), lookup_key=key, nickname=data.get("nickname"),
        metadata=data.get("metadata") or {}, product=product["id"], recurring=recurring, unit_amount=amount,
        unit_amount_decimal=str(amount), tax_behavior="unspecified", type="recurring" if recurring else "one_time",
    )  # fmt: skip
    state.put(price)
    state.emit("price.created", price)
    return price


def _preview(state: State, data: Data, _id: str) -> Data:
    """Return the invoice that a change of price would create."""
    sub = state.get("subscription", form.needed(data, "subscription"), "subscription")
    if sub["status"] not in subscriptions.LIVE:
        raise invalid("The subscription is canceled.", "subscription", "invoice_upcoming_none")
    details = data.get("subscription_details") or {}
    items = details.get("items")
    if not items:
        return invoices.build(state, sub, [invoices.period_line(state, sub)], "upcoming")
    if details.get("proration_behavior") != "always_invoice":
        raise invalid("The stand-in previews immediate changes only.", "subscription_details[proration_behavior]")
    price = state.get("price", form.needed(items[0], "price"), "subscription_details[items][0][price]")
    date = subscriptions.proration_date(state, sub, details)
    invoice = invoices.build(state, sub, invoices.change_lines(state, sub, price, date), "upcoming")
    invoice["parent"]["subscription_details"]["subscription_proration_date"] = date
    return invoice


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
    endpoint = blank(
        stripe.WebhookEndpoint, id=state.new_id("we"), object="webhook_endpoint", created=state.now(),
        enabled_events=data.get("enabled_events") or ["*"], metadata={}, status="enabled",
        url=form.needed(data, "url"), secret=f"whsec_{state.new_id('w')[2:]}", api_version=data.get("api_version"),
    )  # fmt: skip
    state.put(endpoint | {"secret": None, "_secret": endpoint["secret"]})
    return endpoint


def _getting(kind: str) -> Callable[[State, Data, str], Data]:
    return lambda state, _data, ident: state.get(kind, ident)


def _listing(kind: str, *by: str) -> Callable[[State, Data, str], Data]:
    """Return a call that lists objects, newest first, filtered by the fields in `by`."""

    def run(state: State, data: Data, _id: str) -> Data:
        if len(data.get("types") or ()) > _MAX_TYPES:
            raise invalid(f"You can only specify {_MAX_TYPES} types.", "types")
        matches = [obj for obj in state.all(kind, data.get("customer", "")) if _matches(obj, data, by)]
        if after := data.get("starting_after"):
            places = [number for number, obj in enumerate(matches) if obj["id"] == after]
            if not places:
                raise missing(kind, after, "starting_after")
            matches = matches[places[0] + 1 :]
        limit = min(form.whole(data, "limit", 10) or 10, _MAX_LIMIT)
        return listed(matches[:limit], f"/v1/{kind}s", len(matches) > limit)

    return run


def _matches(obj: Data, data: Data, by: tuple[str, ...]) -> bool:
    for name in by:
        expected = data.get(name)
        if name == "lookup_keys" and expected is not None:
            if obj["lookup_key"] not in expected:
                return False
        elif name == "subscription" and expected is not None:
            if obj["parent"]["subscription_details"]["subscription"] != expected:
                return False
        elif name == "types" and expected is not None:
            if obj["type"] not in expected:
                return False
        elif name == "status" and _excluded_by_status(obj, expected):
            return False
        elif name == "created" and isinstance(expected, dict):
            earliest, latest = form.whole(expected, "gte", 0) or 0, form.whole(expected, "lte", 2**62) or 2**62
            if not earliest <= obj["created"] <= latest:
                return False
        elif (
            name in ("price", "product", "active", "charge", "payment_intent")
            and expected is not None
            and str(obj.get(name)).lower() != expected
        ):
            return False
    return True


def _excluded_by_status(obj: Data, status: str | None) -> bool:
    """Return whether a status filter excludes the object; by default it excludes canceled subscriptions."""
    if obj["object"] == "subscription":
        return obj["status"] == "canceled" if status is None else status not in ("all", obj["status"])
    return status is not None and obj["status"] != status


@dataclass(frozen=True, slots=True)
class Call:
    method: str
    path: str
    params: str
    run: Callable[[State, Data, str], Data]


CALLS = (
    Call("POST", "customers", "CustomerCreateParams", _customer),
    Call("GET", "customers/{id}", "CustomerRetrieveParams", _getting("customer")),
    Call("POST", "customers/{id}", "CustomerUpdateParams", _change_customer),
    Call("POST", "products", "ProductCreateParams", _product),
    Call("GET", "products/{id}", "ProductRetrieveParams", _getting("product")),
    Call("POST", "products/{id}", "ProductUpdateParams", _change_product),
    Call("POST", "prices", "PriceCreateParams", _price),
    Call("GET", "prices", "PriceListParams", _listing("price", "lookup_keys", "product", "active")),
    Call("GET", "prices/{id}", "PriceRetrieveParams", _getting("price")),
    Call("POST", "checkout/sessions", "checkout.SessionCreateParams",
         lambda state, data, _: checkout.create(state, data)),
    Call("GET", "checkout/sessions/{id}", "checkout.SessionRetrieveParams", _getting("checkout.session")),
    Call("POST", "checkout/sessions/{id}/expire", "checkout.SessionExpireParams",
         lambda state, _, ident: checkout.expire(state, state.get("checkout.session", ident))),
    Call("GET", "subscriptions", "SubscriptionListParams", _listing("subscription", "status", "price")),
    Call("GET", "subscriptions/{id}", "SubscriptionRetrieveParams", _getting("subscription")),
    Call("POST", "subscriptions/{id}", "SubscriptionUpdateParams",
         lambda state, data, ident: subscriptions.update(state, state.get("subscription", ident), data)),
    Call("DELETE", "subscriptions/{id}", "SubscriptionCancelParams",
         lambda state, _, ident: subscriptions.end(state, _live(state, ident), "cancellation_requested")),
    Call("POST", "subscription_schedules", "SubscriptionScheduleCreateParams",
         lambda state, data, _: schedules.create(state, data)),
    Call("GET", "subscription_schedules/{id}", "SubscriptionScheduleRetrieveParams",
         _getting("subscription_schedule")),
    Call("POST", "subscription_schedules/{id}", "SubscriptionScheduleUpdateParams",
         lambda state, data, ident: schedules.update(state, state.get("subscription_schedule", ident), data)),
    Call("POST", "subscription_schedules/{id}/release", "SubscriptionScheduleReleaseParams",
         lambda state, _, ident: schedules.release(state, state.get("subscription_schedule", ident))),
    Call("POST", "invoices/create_preview", "InvoiceCreatePreviewParams", _preview),
    Call("GET", "invoices", "InvoiceListParams", _listing("invoice", "subscription", "status", "created")),
    Call("GET", "invoices/{id}", "InvoiceRetrieveParams", _getting("invoice")),
    Call("POST", "invoices/{id}/pay", "InvoicePayParams", _pay),
    Call("POST", "payment_methods", "PaymentMethodCreateParams", _method),
    Call("GET", "payment_methods/{id}", "PaymentMethodRetrieveParams", _getting("payment_method")),
    Call("POST", "payment_intents", "PaymentIntentCreateParams", lambda state, data, _: intents.create(state, data)),
    Call("GET", "payment_intents/{id}", "PaymentIntentRetrieveParams", _getting("payment_intent")),
    Call("POST", "payment_intents/{id}/confirm", "PaymentIntentConfirmParams",
         lambda state, data, ident: intents.confirm(state, state.get("payment_intent", ident), data)),
    Call("GET", "charges", "ChargeListParams", _listing("charge", "payment_intent", "created")),
    Call("GET", "charges/{id}", "ChargeRetrieveParams", _getting("charge")),
    Call("POST", "refunds", "RefundCreateParams", charges.refund),
    Call("GET", "refunds", "RefundListParams", _listing("refund", "payment_intent", "charge", "created")),
    Call("GET", "refunds/{id}", "RefundRetrieveParams", _getting("refund")),
    Call("GET", "disputes", "DisputeListParams", _listing("dispute", "payment_intent", "charge", "created")),
    Call("GET", "disputes/{id}", "DisputeRetrieveParams", _getting("dispute")),
    Call("POST", "disputes/{id}", "DisputeUpdateParams", disputes.update),
    Call("POST", "disputes/{id}/close", "DisputeCloseParams", disputes.accept),
    Call("GET", "invoice_payments", "InvoicePaymentListParams", charges.payments_of),
    Call("GET", "events", "EventListParams", _listing("event", "types", "created")),
    Call("GET", "events/{id}", "EventRetrieveParams", _getting("event")),
    Call("POST", "webhook_endpoints", "WebhookEndpointCreateParams", _endpoint),
    Call("GET", "webhook_endpoints", "WebhookEndpointListParams", _listing("webhook_endpoint")),
)  # fmt: skip


def _live(state: State, ident: str) -> Data:
    sub = state.get("subscription", ident)
    if sub["status"] == "canceled":
        raise missing("subscription", ident)
    return sub


_ID = re.compile(r"[\w-]+")


def find(method: str, path: str) -> tuple[Call, str]:
    """Return the call of a request and the id in its path; raise Stripe's 404 for an unknown URL."""
    for call in CALLS:
        head, between, tail = call.path.partition("{id}")
        if call.method != method or not path.startswith(head):
            continue
        ident = path[len(head) : len(path) - len(tail)]
        if (_ID.fullmatch(ident) and path == head + ident + tail) if between else path == head:
            return call, ident if between else ""
    raise invalid(f"Unrecognized request URL ({method}: /v1/{path}).", status=404)
