"""Convert Stripe's objects to the values of money.py.

The attributes of the client's objects raise AttributeError for fields that Stripe leaves out, so the JSON is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import stripe
from pydantic import BaseModel

from product.vendors.money import PRODUCT, Event, Intent, Invoice, Line, Preview, Reversal, Subscription


class _Expanded(BaseModel):
    id: str


_Reference = str | _Expanded | None


class _Price(BaseModel):
    id: str
    product: _Reference = None


class _Item(BaseModel):
    """An item of a subscription."""

    id: str
    price: _Price
    quantity: int | None = None
    current_period_start: int
    current_period_end: int


class _Subscription(BaseModel):
    id: str
    status: str
    created: int
    cancel_at: int | None = None
    cancel_at_period_end: bool = False
    schedule: _Reference = None
    ended_at: int | None = None


class _Period(BaseModel):
    start: int
    end: int


class _ItemDetails(BaseModel):
    proration: bool = False


class _LineParent(BaseModel):
    subscription_item_details: _ItemDetails | None = None


class _PriceDetails(BaseModel):
    price: _Reference = None


class _Pricing(BaseModel):
    price_details: _PriceDetails | None = None


class _Line(BaseModel):
    """A line of an invoice, for a subscription or for anything else."""

    amount: int
    description: str | None = None
    quantity: int | None = None
    period: _Period
    parent: _LineParent | None = None
    pricing: _Pricing | None = None


class _SubscriptionDetails(BaseModel):
    subscription: _Reference = None


class _InvoiceParent(BaseModel):
    subscription_details: _SubscriptionDetails | None = None


class _Tax(BaseModel):
    amount: int


class _Transitions(BaseModel):
    paid_at: int | None = None


class _Invoice(BaseModel):
    id: str
    number: str | None = None
    status: str | None = None
    billing_reason: str | None = None
    total: int
    amount_paid: int
    currency: str
    created: int
    hosted_invoice_url: str | None = None
    parent: _InvoiceParent | None = None
    status_transitions: _Transitions = _Transitions()
    total_taxes: list[_Tax] | None = None


class _Redirect(BaseModel):
    url: str | None = None


class _Action(BaseModel):
    redirect_to_url: _Redirect | None = None


class _Intent(BaseModel):
    id: str
    status: str
    amount: int
    currency: str
    client_secret: str | None = None
    customer: _Reference = None
    metadata: dict[str, str] | None = None
    next_action: _Action | None = None


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


def moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _id(value: _Reference) -> str:
    """Return the id of a field, whether it is expanded or not."""
    if value is None or isinstance(value, str):
        return value or ""
    return value.id


def subscription(obj: stripe.Subscription, items: Sequence[stripe.SubscriptionItem]) -> Subscription | None:
    """Convert a subscription with all its items; None if it has none."""
    sub = _Subscription.model_validate(obj.to_dict())
    parts = [_Item.model_validate(item.to_dict()) for item in items]
    item = next((part for part in parts if _id(part.price.product).startswith(PRODUCT)), next(iter(parts), None))
    if item is None:
        return None
    cancels = sub.cancel_at or (item.current_period_end if sub.cancel_at_period_end else None)
    return Subscription(
        id=sub.id, status=sub.status, itemid=item.id, priceid=item.price.id, quantity=_quantity(item.quantity),
        start=moment(item.current_period_start), end=moment(item.current_period_end),
        cancelson=moment(cancels) if cancels else None,
        cancelby="cancel_at_period_end" if sub.cancel_at_period_end else "cancel_at" if cancels else None,
        scheduleid=_id(sub.schedule), created=moment(sub.created), ended=moment(sub.ended_at) if sub.ended_at else None,
    )  # fmt: skip


def _quantity(number: int | None) -> int:
    return 1 if number is None else number


def line(obj: stripe.InvoiceLineItem) -> Line:
    row = _Line.model_validate(obj.to_dict())
    details = row.parent.subscription_item_details if row.parent else None
    price = row.pricing.price_details.price if row.pricing and row.pricing.price_details else None
    return Line(
        description=row.description or "", amount=row.amount, quantity=_quantity(row.quantity), priceid=_id(price),
        proration=bool(details and details.proration), start=moment(row.period.start), end=moment(row.period.end),
    )  # fmt: skip


def invoice(obj: stripe.Invoice, lines: Sequence[stripe.InvoiceLineItem]) -> Invoice:
    """Convert an invoice with all its lines."""
    bill = _Invoice.model_validate(obj.to_dict())
    parent = bill.parent.subscription_details if bill.parent else None
    return Invoice(
        id=bill.id, number=bill.number or bill.id, subscription=_id(parent.subscription) if parent else "",
        status=bill.status or "", reason=bill.billing_reason or "", total=bill.total,
        tax=sum(tax.amount for tax in bill.total_taxes or ()), paid=bill.amount_paid, currency=bill.currency,
        date=moment(bill.status_transitions.paid_at or bill.created), payurl=bill.hosted_invoice_url or "",
        lines=tuple(line(row) for row in lines),
    )  # fmt: skip


def preview(obj: stripe.Invoice, lines: Sequence[stripe.InvoiceLineItem]) -> Preview:
    return Preview(obj.subtotal, obj.total, obj.currency, tuple(line(row) for row in lines))


def intent(obj: stripe.PaymentIntent) -> Intent:
    payment = _Intent.model_validate(obj.to_dict())
    redirect = payment.next_action.redirect_to_url if payment.next_action else None
    return Intent(
        id=payment.id, status=payment.status, secret=payment.client_secret or "", amount=payment.amount,
        currency=payment.currency, customer=_id(payment.customer), metadata=payment.metadata or {},
        url=(redirect.url if redirect else "") or "",
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
