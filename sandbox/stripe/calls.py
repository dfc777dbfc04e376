"""The calls of Stripe's API that the stand-in implements: those that the product and its tests make.

Each is a line of CALLS: method, path, the client's parameter type, and a function of (state, data, id).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import stripe

from sandbox.stripe import (
    cards,
    catalogue,
    charges,
    checkout,
    disputes,
    form,
    intents,
    invoices,
    pauses,
    schedules,
    subscriptions,
)
from sandbox.stripe.form import invalid, missing
from sandbox.stripe.listing import listing, within
from sandbox.stripe.store import State, blank

Data = dict[str, Any]


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


def _delete_customer(state: State, _data: Data, ident: str) -> Data:
    """Delete a customer, which ends its subscriptions. Its lists are not found any more."""
    customer = state.get("customer", ident)
    for sub in state.all("subscription", ident):
        if sub["status"] not in ("canceled", "incomplete_expired"):
            subscriptions.end(state, sub, "cancellation_requested")
    state.emit("customer.deleted", customer)
    state.put(customer | {"object": "deleted_customer"})
    return {"id": ident, "object": "customer", "deleted": True}


def _end_scheduled(state: State, _data: Data, ident: str) -> Data:
    schedule = state.get("subscription_schedule", ident)
    sub = state.get("subscription", schedule["subscription"] or "")
    schedules.cancel(state, schedule)
    subscriptions.end(state, state.get("subscription", sub["id"]), "cancellation_requested")
    return state.get("subscription_schedule", ident)


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
    Call("DELETE", "customers/{id}", "CustomerDeleteParams", _delete_customer),
    Call("POST", "products", "ProductCreateParams", catalogue.create_product),
    Call("GET", "products/{id}", "ProductRetrieveParams", _getting("product")),
    Call("POST", "products/{id}", "ProductUpdateParams", catalogue.change_product),
    Call("POST", "prices", "PriceCreateParams", catalogue.create_price),
    Call("GET", "prices", "PriceListParams", listing("price", "lookup_keys", "product", "active")),
    Call("GET", "prices/{id}", "PriceRetrieveParams", _getting("price")),
    Call("POST", "checkout/sessions", "checkout.SessionCreateParams",
          lambda state, data, _: checkout.create(state, data)),
    Call("GET", "checkout/sessions/{id}", "checkout.SessionRetrieveParams", _getting("checkout.session")),
    Call("POST", "checkout/sessions/{id}/expire", "checkout.SessionExpireParams",
          lambda state, _, ident: checkout.expire(state, state.get("checkout.session", ident))),
    Call("GET", "subscriptions", "SubscriptionListParams", listing("subscription", "status", "price")),
    Call("POST", "subscriptions", "SubscriptionCreateParams", subscriptions.create),
    Call("GET", "subscriptions/{id}", "SubscriptionRetrieveParams", _getting("subscription")),
    Call("POST", "subscriptions/{id}", "SubscriptionUpdateParams",
          lambda state, data, ident: subscriptions.update(state, state.get("subscription", ident), data)),
    Call("DELETE", "subscriptions/{id}", "SubscriptionCancelParams",
          lambda state, _, ident: subscriptions.end(state, _live(state, ident), "cancellation_requested")),
    Call("POST", "subscriptions/{id}/pause", "SubscriptionPauseParams",
          lambda state, data, ident: pauses.pause(state, state.get("subscription", ident), data)),
    Call("POST", "subscriptions/{id}/resume", "SubscriptionResumeParams", subscriptions.resume),
    Call("GET", "subscription_items", "SubscriptionItemListParams", within("subscription", "items")),
    Call("POST", "subscription_items", "SubscriptionItemCreateParams", subscriptions.add_item),
    Call("POST", "subscription_schedules", "SubscriptionScheduleCreateParams",
          lambda state, data, _: schedules.create(state, data)),
    Call("GET", "subscription_schedules/{id}", "SubscriptionScheduleRetrieveParams",
          _getting("subscription_schedule")),
    Call("POST", "subscription_schedules/{id}", "SubscriptionScheduleUpdateParams",
          lambda state, data, ident: schedules.update(state, state.get("subscription_schedule", ident), data)),
    Call("POST", "subscription_schedules/{id}/release", "SubscriptionScheduleReleaseParams",
          lambda state, _, ident: schedules.release(state, state.get("subscription_schedule", ident))),
    Call("POST", "subscription_schedules/{id}/cancel", "SubscriptionScheduleCancelParams", _end_scheduled),
    Call("POST", "invoiceitems", "InvoiceItemCreateParams", invoices.create_item),
    Call("POST", "invoices/create_preview", "InvoiceCreatePreviewParams", _preview),
    Call("GET", "invoices", "InvoiceListParams", listing("invoice", "subscription", "status", "created")),
    Call("GET", "invoices/{id}", "InvoiceRetrieveParams", _getting("invoice")),
    Call("GET", "invoices/{id}/lines", "InvoiceLineItemListParams", within("invoice", "lines")),
    Call("POST", "invoices/{id}/void", "InvoiceVoidInvoiceParams",
          lambda state, _, ident: invoices.close(state, state.get("invoice", ident), "void")),
    Call("POST", "invoices/{id}/mark_uncollectible", "InvoiceMarkUncollectibleParams",
          lambda state, _, ident: invoices.close(state, state.get("invoice", ident), "uncollectible")),
    Call("POST", "invoices/{id}/pay", "InvoicePayParams", _pay),
    Call("POST", "payment_methods", "PaymentMethodCreateParams", _method),
    Call("GET", "payment_methods/{id}", "PaymentMethodRetrieveParams", _getting("payment_method")),
    Call("POST", "payment_intents", "PaymentIntentCreateParams", lambda state, data, _: intents.create(state, data)),
    Call("GET", "payment_intents/{id}", "PaymentIntentRetrieveParams", _getting("payment_intent")),
    Call("POST", "payment_intents/{id}/confirm", "PaymentIntentConfirmParams",
          lambda state, data, ident: intents.confirm(state, state.get("payment_intent", ident), data)),
    Call("GET", "charges", "ChargeListParams", listing("charge", "payment_intent", "created")),
    Call("GET", "charges/{id}", "ChargeRetrieveParams", _getting("charge")),
    Call("POST", "refunds", "RefundCreateParams", charges.refund),
    Call("GET", "refunds", "RefundListParams", listing("refund", "payment_intent", "charge", "created")),
    Call("GET", "refunds/{id}", "RefundRetrieveParams", _getting("refund")),
    Call("GET", "disputes", "DisputeListParams", listing("dispute", "payment_intent", "charge", "created")),
    Call("GET", "disputes/{id}", "DisputeRetrieveParams", _getting("dispute")),
    Call("POST", "disputes/{id}", "DisputeUpdateParams", disputes.update),
    Call("POST", "disputes/{id}/close", "DisputeCloseParams", disputes.accept),
    Call("GET", "invoice_payments", "InvoicePaymentListParams", charges.payments_of),
    Call("GET", "events", "EventListParams", listing("event", "types", "created")),
    Call("GET", "events/{id}", "EventRetrieveParams", _getting("event")),
    Call("POST", "webhook_endpoints", "WebhookEndpointCreateParams", _endpoint),
    Call("GET", "webhook_endpoints", "WebhookEndpointListParams", listing("webhook_endpoint")),
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
