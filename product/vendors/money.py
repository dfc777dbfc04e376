"""Values and errors of the payment provider, independent of its client library."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from tableapi import ApiError, Conflict

Interval = Literal["month", "year"]
CancelBy = Literal["cancel_at", "cancel_at_period_end"]
PRODUCT = "plan_"  # begins the ids of the products that are plans; other products of the account have other ids


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an invoice; `amount` is in the smallest unit of the currency."""

    description: str
    amount: int
    quantity: int
    priceid: str
    proration: bool
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Invoice:
    """An invoice of a subscription, paid or open; amounts in the smallest unit of the currency."""

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
    """The current state of a subscription.

    Item, price and quantity are those of a plan of this product, whatever else the subscription includes.
    """

    id: str
    status: str  # active, past_due, canceled, paused, incomplete, ...
    itemid: str
    priceid: str
    quantity: int
    start: datetime
    end: datetime  # of the period
    cancelson: datetime | None  # of a scheduled cancellation, during or at the end of a period
    cancelby: CancelBy | None  # the parameter that has scheduled it, and takes it back
    scheduleid: str
    created: datetime
    ended: datetime | None

    @property
    def renews(self) -> bool:
        """Whether another period follows the present one."""
        return self.cancelson is None or self.cancelson > self.end

    @property
    def until(self) -> datetime:
        """When the plan ends or renews."""
        return self.end if self.cancelson is None else min(self.end, self.cancelson)


@dataclass(frozen=True, slots=True)
class Intent:
    """A one-off payment (payment intent)."""

    id: str
    status: str  # requires_payment_method, requires_action, processing, succeeded, canceled
    secret: str
    amount: int
    currency: str
    customer: str
    metadata: dict[str, str]
    url: str = ""  # the bank's page on which the cardholder confirms


@dataclass(frozen=True, slots=True)
class Checkout:
    """A hosted payment page for a new subscription."""

    id: str
    url: str
    status: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The cost of a plan change; amounts in the smallest unit of the currency."""

    subtotal: int
    total: int
    currency: str
    lines: tuple[Line, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Reversal:
    """A refund or a dispute of a payment.

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
    """An event of the provider. `object` and `customer` are ids; `payload` is the signed text."""

    id: str
    type: str
    created: datetime
    customer: str
    object: str
    payload: str


class PaymentsDown(ApiError):
    """Stripe cannot be reached, times out or limits our requests (503). No change is left half applied."""

    status, reason = 503, "payments_unavailable"


class CardRefused(ApiError):
    """The bank declined the card (402)."""

    status, reason = 402, "card_refused"


class ProviderRefused(ApiError):
    """Stripe rejected the request, usually because its state differs from ours (502)."""

    status, reason = 502, "payment_provider_refused"


class AlreadyChanged(Conflict):
    """The account is already on the requested plan, or is being changed by a simultaneous request (409)."""

    reason = "already_changed"


def changed_meanwhile() -> AlreadyChanged:
    """Build the error for a subscription that is no longer as it was read."""
    return AlreadyChanged("This was changed a moment ago. Reload the page and check your plan.")


class Missing(ProviderRefused):
    """Stripe does not know an object of the request, for example one of another account.

    `what` is the name of the parameter.
    """

    def __init__(self, what: str) -> None:
        super().__init__(
            "The payment provider does not recognize this request. Please try again.", case="unknown_to_provider"
        )
        self.what = what
