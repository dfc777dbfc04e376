"""Checkout sessions for subscriptions: create, expire, complete."""

from __future__ import annotations

from typing import Any

import stripe

from sandbox.stripe import cards, form, subscriptions
from sandbox.stripe.form import invalid
from sandbox.stripe.store import State, blank

LIFETIME_SECONDS = 24 * 3600


def create(state: State, data: dict[str, Any]) -> dict[str, Any]:
    """POST /v1/checkout/sessions in mode subscription, with one price."""
    if form.needed(data, "mode") != "subscription":
        raise invalid("The sandbox supports only mode=subscription.", "mode")
    customer = state.get("customer", form.needed(data, "customer"), "customer")
    items = form.needed(data, "line_items")
    price = state.get("price", form.needed(items[0], "price"), "line_items[0][price]")
    ident = "cs_test_" + state.new_id("x")[2:]
    session = blank(
        stripe.checkout.Session,
        id=ident, object="checkout.session", amount_subtotal=price["unit_amount"], amount_total=price["unit_amount"],
        automatic_tax={"enabled": False, "liability": None, "status": None}, cancel_url=data.get("cancel_url"),
        client_reference_id=data.get("client_reference_id"), created=state.now(), currency=price["currency"],
        custom_fields=[], customer=customer["id"], customer_details={"email": customer["email"], "name": None,
                                                                     "address": None, "phone": None,
                                                                     "tax_exempt": "none", "tax_ids": None},
        expires_at=form.whole(data, "expires_at", state.now() + LIFETIME_SECONDS), metadata=data.get("metadata") or {},
        mode="subscription", payment_method_types=["card"], payment_status="unpaid", status="open",
        success_url=form.needed(data, "success_url"), ui_mode="hosted",
        url=f"{state.setting('base', '')}/checkout/{ident}", _price=price["id"],
        _metadata=(data.get("subscription_data") or {}).get("metadata") or {},
    )  # fmt: skip
    return state.put(session)


def expire(state: State, session: dict[str, Any]) -> dict[str, Any]:
    if session["status"] != "open":
        raise invalid("Only Checkout Sessions with a status in [\"open\"] can be expired.")  # fmt: skip
    state.put(session | {"status": "expired", "url": None})
    state.emit("checkout.session.expired", session | {"status": "expired", "url": None})
    return session | {"status": "expired", "url": None}


def complete(state: State, session: dict[str, Any], method: dict[str, Any], *, proved: bool = False) -> bool:
    """Pay a session.

    Return False when the bank requires 3-D Secure first; raise StripeRefused for a declined card.
    """
    if session["status"] != "open":
        raise invalid("This Checkout Session is not open.")
    if cards.outcome(method, present=True) == "3ds" and not proved:
        state.put(session | {"_method": method["id"]})
        return False
    price = state.get("price", session["_price"])
    sub = subscriptions.begin(state, session["customer"], price, method, session["_metadata"], proved=proved)
    done = {"status": "complete", "payment_status": "paid", "subscription": sub["id"], "invoice": sub["latest_invoice"],
            "url": None}  # fmt: skip
    state.put(session | done)
    state.emit("checkout.session.completed", session | done)
    return True
