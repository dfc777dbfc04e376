"""Rows of the billing tables, for statements that read whole rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A row of subscriptionplan."""

    planid: int
    name: str
    sku: str | None
    price: Decimal
    validity: int
    details: str
    availableseats: int
    availableapicall: int
    contactcredit: int
    bus_email_credits: int
    personal_email_credits: int

    @property
    def credits(self) -> dict[str, int]:
        """The credits of a period, by kind."""
        return {
            "contactcredit": self.contactcredit,
            "bus_email_credits": self.bus_email_credits,
            "personal_email_credits": self.personal_email_credits,
        }


@dataclass(frozen=True, slots=True)
class SubscriptionRow:
    """A row of usersubscription."""

    subscriptionid: int
    clientid: int
    planid: int
    sku: str | None
    autorenew: int
    isactive: int
    status: str
    startdate: datetime
    expirydate: datetime
    graceuntil: datetime | None
    transactionid: int | None
    downgrade_planid: int | None
    downgrade_startson: datetime | None
    stripe_subid: str | None
    stripe_itemid: str | None
    stripe_scheduleid: str | None
    createdon: datetime


@dataclass(frozen=True, slots=True)
class OwnSubscription(SubscriptionRow):
    """A subscription with details of its plan."""

    planname: str
    price: Decimal
    plansku: str | None
    validity: int
