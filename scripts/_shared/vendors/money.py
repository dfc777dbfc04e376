"""What a payment provider tells us and how it refuses, as plain values: the words the rest of the program speaks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from tableapi.errors import ApiError


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an invoice; `amount` in the smallest unit."""

    description: str
    amount: int
    quantity: int
    priceid: str
    proration: bool
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Invoice:
    """A bill for a subscription, paid or open."""

    id: str
    number: str
    subscription: str
    status: str  # draft, open, paid, void, uncollectible
    reason: str
    total: int
    tax: int
    paid: int
    currency: str
    date: datetime
    payurl: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Subscription:
    """A subscription as it is now."""

    id: str
    status: str  # active, past_due, canceled, incomplete, ...
    itemid: str
    priceid: str
    start: datetime
    end: datetime
    renews: bool
    scheduleid: str
    created: datetime
    ended: datetime | None


@dataclass(frozen=True, slots=True)
class Intent:
    """A one-off payment."""

    id: str
    status: str  # requires_payment_method, requires_action, processing, succeeded, canceled
    secret: str
    amount: int
    currency: str
    customer: str
    metadata: dict[str, str]
    url: str = ""  # the bank's page, when it wants one


@dataclass(frozen=True, slots=True)
class Checkout:
    """A hosted page for a new subscription."""

    id: str
    url: str
    status: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What a change would cost now."""

    subtotal: int
    total: int
    currency: str
    lines: tuple[Line, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Reversal:
    """Money of a payment that goes back, or may: a refund, or a dispute of the cardholder's bank.

    `kind` is refund, dispute or charge; a charge states the sum of its refunds.
    """

    id: str
    kind: str
    payment: str  # the payment intent
    charge: str
    amount: int
    status: str
    asof: datetime


@dataclass(frozen=True, slots=True)
class Event:
    """Something happened at the provider: to what, of whom. `payload` is what was signed."""

    id: str
    type: str
    created: datetime
    customer: str
    object: str
    payload: str


class PaymentsDown(ApiError):
    """Stripe cannot be reached, is slow, or asks us to slow down. Nothing half is left behind."""

    status, reason = 503, "payments_unavailable"


class CardRefused(ApiError):
    """The bank said no."""

    status, reason = 402, "card_refused"


class ProviderRefused(ApiError):
    """Stripe does not accept what we asked: its state and ours differ, or we are wrong."""

    status, reason = 502, "payment_provider_refused"


class Missing(ProviderRefused):
    """Stripe does not know an object that we named, e.g. one of another account. `what` is the parameter."""

    def __init__(self, what: str) -> None:
        super().__init__("The payment provider does not know this. Please try again.")
        self.what = what
