"""Stripe's objects -> the values of money.py. The only place that knows where Stripe keeps a field."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from scripts._shared.vendors.money import Event, Intent, Invoice, Line, Preview, Reversal, Subscription


def moment(seconds: Any) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)


def _id(value: Any) -> str:
    """An id, whether the field is expanded or not."""
    if value is None or isinstance(value, str):
        return value or ""
    return str(value["id"])


def subscription(one: Any) -> Subscription:
    item = one["items"].data[0]
    return Subscription(
        id=one.id, status=one.status, itemid=item.id, priceid=_id(item.price),
        start=moment(item.current_period_start), end=moment(item.current_period_end),
        renews=not (one.cancel_at_period_end or one.cancel_at), scheduleid=_id(one.schedule),
        created=moment(one.created), ended=moment(one.ended_at) if one.ended_at else None,
    )  # fmt: skip


def line(one: Any) -> Line:
    details = one.parent.subscription_item_details if one.parent else None
    price = one.pricing.price_details.price if one.pricing and one.pricing.price_details else None
    return Line(
        description=one.description or "", amount=one.amount, quantity=one.quantity or 1, priceid=_id(price),
        proration=bool(details and details.proration), start=moment(one.period.start), end=moment(one.period.end),
    )  # fmt: skip


def invoice(one: Any) -> Invoice:
    parent = one.parent.subscription_details if one.parent else None
    return Invoice(
        id=one.id, number=one.number or one.id, subscription=_id(parent.subscription) if parent else "",
        status=one.status or "", reason=one.billing_reason or "", total=one.total,
        tax=sum(tax.amount for tax in one.total_taxes or ()), paid=one.amount_paid, currency=one.currency,
        date=moment(one.status_transitions.paid_at or one.created), payurl=one.hosted_invoice_url or "",
        lines=tuple(line(row) for row in one.lines.data),
    )  # fmt: skip


def preview(one: Any) -> Preview:
    return Preview(one.subtotal, one.total, one.currency, tuple(line(row) for row in one.lines.data))


def intent(one: Any) -> Intent:
    action = one.next_action
    url = action.redirect_to_url.url if action and getattr(action, "redirect_to_url", None) else ""
    return Intent(
        id=one.id, status=one.status, secret=one.client_secret or "", amount=one.amount, currency=one.currency,
        customer=_id(one.customer), metadata=one.metadata.to_dict() if one.metadata else {}, url=url or "",
    )  # fmt: skip


def reversal(one: Mapping[str, Any], asof: datetime) -> Reversal:
    """A refund, a dispute, or a charge with what was refunded of it, as it was at that moment."""
    kind = str(one["object"])
    amount = one["amount_refunded"] if kind == "charge" else one["amount"]
    charge = one["id"] if kind == "charge" else one.get("charge")
    return Reversal(
        id=str(one["id"]), kind=kind, payment=_id(one.get("payment_intent")), charge=_id(charge),
        amount=int(amount or 0), status=str(one.get("status") or ""), asof=asof,
    )  # fmt: skip


def event(one: Mapping[str, Any], payload: str) -> Event:
    """An event, from its JSON."""
    about = one["data"]["object"]
    customer = about["id"] if about.get("object") == "customer" else about.get("customer")
    return Event(
        id=str(one["id"]), type=str(one["type"]), created=moment(one["created"]), customer=_id(customer),
        object=str(about.get("id") or ""), payload=payload,
    )  # fmt: skip
