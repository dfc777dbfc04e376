"""Convert Stripe's objects to the values of money.py."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from product.vendors.money import Event, Intent, Invoice, Line, Preview, Reversal, Subscription


def moment(seconds: Any) -> datetime:
    return datetime.fromtimestamp(int(seconds), UTC)


def _id(value: Any) -> str:
    """Return the id of a field, whether it is expanded or not."""
    if value is None or isinstance(value, str):
        return value or ""
    return str(value["id"])


def subscription(obj: Any) -> Subscription:
    item = obj["items"].data[0]
    return Subscription(
        id=obj.id, status=obj.status, itemid=item.id, priceid=_id(item.price),
        start=moment(item.current_period_start), end=moment(item.current_period_end),
        renews=not (obj.cancel_at_period_end or obj.cancel_at), scheduleid=_id(obj.schedule),
        created=moment(obj.created), ended=moment(obj.ended_at) if obj.ended_at else None,
    )  # fmt: skip


def line(obj: Any) -> Line:
    details = obj.parent.subscription_item_details if obj.parent else None
    price = obj.pricing.price_details.price if obj.pricing and obj.pricing.price_details else None
    return Line(
        description=obj.description or "", amount=obj.amount, quantity=obj.quantity or 1, priceid=_id(price),
        proration=bool(details and details.proration), start=moment(obj.period.start), end=moment(obj.period.end),
    )  # fmt: skip


def invoice(obj: Any) -> Invoice:
    parent = obj.parent.subscription_details if obj.parent else None
    return Invoice(
        id=obj.id, number=obj.number or obj.id, subscription=_id(parent.subscription) if parent else "",
        status=obj.status or "", reason=obj.billing_reason or "", total=obj.total,
        tax=sum(tax.amount for tax in obj.total_taxes or ()), paid=obj.amount_paid, currency=obj.currency,
        date=moment(obj.status_transitions.paid_at or obj.created), payurl=obj.hosted_invoice_url or "",
        lines=tuple(line(row) for row in obj.lines.data),
    )  # fmt: skip


def preview(obj: Any) -> Preview:
    return Preview(obj.subtotal, obj.total, obj.currency, tuple(line(row) for row in obj.lines.data))


def intent(obj: Any) -> Intent:
    action = obj.next_action
    url = action.redirect_to_url.url if action and getattr(action, "redirect_to_url", None) else ""
    return Intent(
        id=obj.id, status=obj.status, secret=obj.client_secret or "", amount=obj.amount, currency=obj.currency,
        customer=_id(obj.customer), metadata=obj.metadata.to_dict() if obj.metadata else {}, url=url or "",
    )  # fmt: skip


def reversal(obj: Mapping[str, Any], asof: datetime) -> Reversal:
    """Convert a refund, a dispute, or a charge with its refunded sum, read at the moment `asof`."""
    kind = str(obj["object"])
    amount = obj["amount_refunded"] if kind == "charge" else obj["amount"]
    charge = obj["id"] if kind == "charge" else obj.get("charge")
    return Reversal(
        id=str(obj["id"]), kind=kind, payment=_id(obj.get("payment_intent")), charge=_id(charge),
        amount=int(amount or 0), status=str(obj.get("status") or ""), asof=asof,
    )  # fmt: skip


def event(obj: Mapping[str, Any], payload: str) -> Event:
    """Convert the JSON of an event; `payload` is its text as signed."""
    about = obj["data"]["object"]
    customer = about["id"] if about.get("object") == "customer" else about.get("customer")
    return Event(
        id=str(obj["id"]), type=str(obj["type"]), created=moment(obj["created"]), customer=_id(customer),
        object=str(about.get("id") or ""), payload=payload,
    )  # fmt: skip
