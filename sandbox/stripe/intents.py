"""Payment intents: one-off payments by card, with 3-D Secure."""

from __future__ import annotations

from typing import Any

import stripe

from sandbox.stripe import cards, charges, disputes, form
from sandbox.stripe.form import invalid
from sandbox.stripe.store import State, blank


def create(state: State, data: dict[str, Any]) -> dict[str, Any]:
    """POST /v1/payment_intents; with `confirm` the payment is confirmed at once."""
    amount = form.whole(data, "amount")
    if amount is None or amount < 50:
        raise invalid("Amount must be at least 50 cents", "amount", "amount_too_small")
    customer = data.get("customer")
    if customer:
        state.get("customer", customer, "customer")
    methods = data.get("automatic_payment_methods") or {}
    ident = state.new_id("pi")
    intent = blank(
        stripe.PaymentIntent,
        id=ident, object="payment_intent", amount=amount, amount_capturable=0, amount_received=0,
        amount_details={"tip": {}}, automatic_payment_methods={
            "enabled": methods.get("enabled") == "true", "allow_redirects": methods.get("allow_redirects", "always")},
        capture_method="automatic", client_secret=f"{ident}_secret_{state.new_id('s')[2:]}",
        confirmation_method="automatic", created=state.now(), currency=form.needed(data, "currency"),
        customer=customer, description=data.get("description"), metadata=data.get("metadata") or {},
        payment_method_options={}, payment_method_types=["card"], receipt_email=data.get("receipt_email"),
        status="requires_payment_method", excluded_payment_method_types=None,
    )  # fmt: skip
    state.put(intent)
    state.emit("payment_intent.created", intent)
    return confirm(state, intent, data) if form.flag(data, "confirm") else intent


def confirm(state: State, intent: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """POST /v1/payment_intents/{id}/confirm: charge the card, or require 3-D Secure."""
    if intent["status"] not in ("requires_payment_method", "requires_confirmation", "requires_action"):
        raise invalid(f"This PaymentIntent's status is {intent['status']}.", code="payment_intent_unexpected_state")
    method = cards.of_token(state, form.needed(data, "payment_method"), intent["customer"])
    intent |= {"payment_method": method["id"], "last_payment_error": None, "next_action": None}
    result = cards.outcome(method, present=True)
    if result == "3ds":
        page = f"{state.setting('base', '')}/3ds/{intent['id']}"
        back = data.get("return_url")
        if not back:
            raise invalid("A return_url must be provided.", "return_url")
        intent |= {
            "status": "requires_action",
            "next_action": {"type": "redirect_to_url", "redirect_to_url": {"return_url": back, "url": page}},
        }
        state.put(intent)
        state.emit("payment_intent.requires_action", intent)
        return intent
    if result == "declined":
        _fail(state, intent, method)
        raise cards.decline(method, keep=True, payment_intent=intent)
    return succeed(state, intent)


def succeed(state: State, intent: dict[str, Any]) -> dict[str, Any]:
    """Mark a payment as succeeded and create its charge."""
    intent |= {
        "status": "succeeded",
        "amount_received": intent["amount"],
        "next_action": None,
        "latest_charge": state.new_id("ch"),
    }
    state.put(intent)
    charge = charges.of_intent(state, intent["id"])
    state.emit("payment_intent.succeeded", intent)
    disputes.open_if_asked(state, charge)
    return intent


def fail_proof(state: State, intent: dict[str, Any]) -> dict[str, Any]:
    """Mark a payment as failed after a failed 3-D Secure authentication."""
    return _fail(state, intent, None)


def _fail(state: State, intent: dict[str, Any], method: dict[str, Any] | None) -> dict[str, Any]:
    error = cards.decline(method, keep=True, code="" if method else "authentication_required").error
    intent |= {"status": "requires_payment_method", "next_action": None, "last_payment_error": error}
    state.put(intent)
    state.emit("payment_intent.payment_failed", intent)
    return intent
