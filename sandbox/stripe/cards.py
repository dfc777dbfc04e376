"""Test cards with Stripe's public numbers and tokens, and the outcome of charging each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import stripe

from sandbox.stripe.form import StripeRefused, invalid, missing
from sandbox.stripe.store import State, blank


@dataclass(frozen=True, slots=True)
class Card:
    """A test card. `now` (cardholder present) and `later` (renewal) are ok, declined or 3ds."""

    number: str
    brand: str
    now: str = "ok"
    later: str = "ok"
    code: str = "generic_decline"


CARDS = {
    "visa": Card("4242424242424242", "visa"),
    "mastercard": Card("5555555555554444", "mastercard"),
    "amex": Card("378282246310005", "amex"),
    "chargeDeclined": Card("4000000000000002", "visa", "declined", "declined"),
    "chargeDeclinedInsufficientFunds": Card("4000000000009995", "visa", "declined", "declined", "insufficient_funds"),
    "chargeDeclinedExpiredCard": Card("4000000000000069", "visa", "declined", "declined", "expired_card"),
    "createDispute": Card("4000000000000259", "visa"),
    "chargeCustomerFail": Card("4000000000000341", "visa", "ok", "declined"),
    "threeDSecure2Required": Card("4000000000003220", "visa", "3ds", "ok"),
    "threeDSecureRequired": Card("4000000000003063", "visa", "3ds", "ok"),
    "authenticationRequiredOnSetup": Card("4000002500003155", "visa", "3ds", "ok"),
    "authenticationRequired": Card("4000002760003184", "visa", "3ds", "3ds"),
}
_MESSAGES = {
    "insufficient_funds": "Your card has insufficient funds.",
    "expired_card": "Your card has expired.",
    "generic_decline": "Your card was declined.",
    "authentication_required": "Your card was declined. This transaction requires authentication.",
}


def by_number(number: str) -> str:
    """Return the name of the test card with this number; other numbers are rejected and not stored."""
    digits = "".join(c for c in number if c.isdigit())
    for name, card in CARDS.items():
        if card.number == digits:
            return name
    raise StripeRefused(
        402, "card_error", "Your card was declined. Your request was in test mode, but used a non test card.",
        code="card_declined", decline_code="test_mode_live_card",
    )  # fmt: skip


def make(state: State, name: str, customer: str | None = None) -> dict[str, Any]:
    """Create a payment method of a test card."""
    card = CARDS[name]
    shown = {
        "brand": card.brand, "last4": card.number[-4:], "exp_month": 12, "exp_year": 2034, "country": "US",
        "funding": "credit", "display_brand": card.brand, "fingerprint": name,
    }  # fmt: skip
    billing = {"address": None, "email": None, "name": None, "phone": None, "tax_id": None}
    return state.put(
        blank(
            stripe.PaymentMethod,
            id=state.new_id("pm"),
            object="payment_method",
            type="card",
            card=shown,
            customer=customer,
            billing_details=billing,
            metadata={},
            created=state.now(),
            _card=name,
        )
    )


def of_token(state: State, token: str, customer: str | None = None) -> dict[str, Any]:
    """Return the payment method of `tok_visa`, `pm_card_visa` or an id."""
    for prefix in ("tok_", "pm_card_"):
        name = token.removeprefix(prefix)
        if token.startswith(prefix) and name in CARDS:
            return make(state, name, customer)
    if token.startswith("tok_"):
        raise missing("token", token, "card[token]")
    method = state.find(token)
    if method is None or method["object"] != "payment_method":
        raise missing("PaymentMethod", token, "payment_method")
    if method["customer"] and customer and method["customer"] != customer:
        raise invalid("The payment method belongs to another customer.", "payment_method")
    if customer and method["customer"] != customer:
        method["customer"] = customer
        state.put(method)
    return method


def outcome(method: dict[str, Any], *, present: bool) -> str:
    """Return ok, declined or 3ds."""
    card = CARDS[method["_card"]]
    return card.now if present else card.later


def decline(method: dict[str, Any] | None, *, keep: bool, code: str = "", **more: Any) -> StripeRefused:
    """Return Stripe's error for a declined card."""
    name = code or (CARDS[method["_card"]].code if method else "generic_decline")
    kind = name if name in ("expired_card", "authentication_required") else "card_declined"
    return StripeRefused(402, "card_error", _MESSAGES[name], code=kind, decline_code=name, keep=keep, **more)
