"""Convert Stripe's objects to the values of money.py."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Protocol

import stripe
from pydantic import BaseModel

from product.vendors.money import Event, Intent, Invoice, Line, Preview, Reversal, Subscription


class _Expanded(BaseModel):
    id: str


_Reference = str | _Expanded | None


class _Subject(BaseModel):
    """The object of an event, of any kind: its other fields are read from the provider again."""

    id: str = ""
    object: str = ""
    customer: _Reference = None


class _Reversed(BaseModel):
    """A refund, a dispute or a charge."""

    id: str
    object: str
    amount: int | None = None
    amount_refunded: int | None = None
    charge: _Reference = None
    payment_intent: _Reference = None
    status: str | None = None


class _Data(BaseModel):
    object: _Subject


class _Event(BaseModel):
    id: str
    type: str
    created: int
    data: _Data


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


def moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _id(value: str | _HasId | None) -> str:
    """Return the id of a field, whether it is expanded or not."""
    if value is None or isinstance(value, str):
        return value or ""
    return value.id


def subscription(obj: stripe.Subscription) -> Subscription:
    item = obj["items"].data[0]
    return Subscription(
        id=obj.id, status=obj.status, itemid=item.id, priceid=_id(item.price),
        start=moment(item.current_period_start), end=moment(item.current_period_end),
        renews=not (obj.cancel_at_period_end or obj.cancel_at), scheduleid=_id(obj.schedule),
        created=moment(obj.created), ended=moment(obj.ended_at) if obj.ended_at else None,
    )  # fmt: skip


def line(obj: stripe.InvoiceLineItem) -> Line:
    details = obj.parent.subscription_item_details if obj.parent else None
    price = obj.pricing.price_details.price if obj.pricing and obj.pricing.price_details else None
    return Line(
        description=obj.description or "", amount=obj.amount, quantity=obj.quantity or 1, priceid=_id(price),
        proration=bool(details and details.proration), start=moment(obj.period.start), end=moment(obj.period.end),
    )  # fmt: skip


def invoice(obj: stripe.Invoice) -> Invoice:
    parent = obj.parent.subscription_details if obj.parent else None
    return Invoice(
        id=obj.id, number=obj.number or obj.id, subscription=_id(parent.subscription) if parent else "",
        status=obj.status or "", reason=obj.billing_reason or "", total=obj.total,
        tax=sum(tax.amount for tax in obj.total_taxes or ()), paid=obj.amount_paid, currency=obj.currency,
        date=moment(obj.status_transitions.paid_at or obj.created), payurl=obj.hosted_invoice_url or "",
        lines=tuple(line(row) for row in obj.lines.data),
    )  # fmt: skip


def preview(obj: stripe.Invoice) -> Preview:
    return Preview(obj.subtotal, obj.total, obj.currency, tuple(line(row) for row in obj.lines.data))


def intent(obj: stripe.PaymentIntent) -> Intent:
    action = obj.next_action
    redirect = getattr(action, "redirect_to_url", None)  # absent for other actions
    url = redirect.url if redirect else ""
    return Intent(
        id=obj.id, status=obj.status, secret=obj.client_secret or "", amount=obj.amount, currency=obj.currency,
        customer=_id(obj.customer), metadata=obj.metadata.to_dict() if obj.metadata else {}, url=url or "",
    )  # fmt: skip


def reversal(obj: Mapping[str, object], asof: datetime) -> Reversal:
    """Convert a refund, a dispute, or a charge with its refunded sum, read at the moment `asof`."""
    about = _Reversed.model_validate(obj)
    is_charge = about.object == "charge"
    return Reversal(
        id=about.id, kind=about.object, payment=_id(about.payment_intent),
        charge=about.id if is_charge else _id(about.charge),
        amount=(about.amount_refunded if is_charge else about.amount) or 0, status=about.status or "", asof=asof,
    )  # fmt: skip


def event(obj: Mapping[str, object], payload: str) -> Event:
    """Convert the JSON of an event; `payload` is its text as signed."""
    read = _Event.model_validate(obj)
    about = read.data.object
    return Event(
        id=read.id, type=read.type, created=moment(read.created),
        customer=about.id if about.object == "customer" else _id(about.customer), object=about.id, payload=payload,
    )  # fmt: skip
