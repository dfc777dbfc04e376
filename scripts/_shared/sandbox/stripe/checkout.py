"""Hosted Checkout for subscriptions: the session, and what its page does."""

from __future__ import annotations

from typing import Any

import stripe

from scripts._shared.sandbox.stripe import cards, form, subscriptions
from scripts._shared.sandbox.stripe.form import invalid
from scripts._shared.sandbox.stripe.store import State, blank

LIFE = 24 * 3600


def create(state: State, data: dict[str, Any]) -> dict[str, Any]:
    """POST /v1/checkout/sessions in mode subscription, with one price of ours."""
    if form.needed(data, "mode") != "subscription":
        raise invalid("The stand-in knows mode=subscription only.", "mode")
    customer = state.get("customer", form.needed(data, "customer"), "customer")
    items = form.needed(data, "line_items")
    price = state.get("price", form.needed(items[0], "price"), "line_items[0][price]")
    ident = "cs_test_" + state.new_id("x")[2:]
    one = blank(
        stripe.checkout.Session,
        id=ident, object="checkout.session", amount_subtotal=price["unit_amount"], amount_total=price["unit_amount"],
        automatic_tax={"enabled": False, "liability": None, "status": None}, cancel_url=data.get("cancel_url"),
        client_reference_id=data.get("client_reference_id"), created=state.now(), currency=price["currency"],
        custom_fields=[], customer=customer["id"], customer_details={"email": customer["email"], "name": None,
                                                                     "address": None, "phone": None,
                                                                     "tax_exempt": "none", "tax_ids": None},
        expires_at=form.whole(data, "expires_at", state.now() + LIFE), metadata=data.get("metadata") or {},
        mode="subscription", payment_method_types=["card"], payment_status="unpaid", status="open",
        success_url=form.needed(data, "success_url"), ui_mode="hosted",
        url=f"{state.setting('base', '')}/checkout/{ident}", _price=price["id"],
        _metadata=(data.get("subscription_data") or {}).get("metadata") or {},
    )  # fmt: skip
    return state.put(one)


def expire(state: State, one: dict[str, Any]) -> dict[str, Any]:
    if one["status"] != "open":
        raise invalid("Only Checkout Sessions with a status in [\"open\"] can be expired.")  # fmt: skip
    state.put(one | {"status": "expired", "url": None})
    state.emit("checkout.session.expired", one | {"status": "expired", "url": None})
    return one | {"status": "expired", "url": None}


def complete(state: State, one: dict[str, Any], method: dict[str, Any], *, proved: bool = False) -> bool:
    """Pay. False when the bank wants its page first; StripeRefused when the card is declined."""
    if one["status"] != "open":
        raise invalid("This Checkout Session is not open.")
    if cards.outcome(method, present=True) == "3ds" and not proved:
        state.put(one | {"_method": method["id"]})
        return False
    price = state.get("price", one["_price"])
    sub = subscriptions.begin(state, one["customer"], price, method, one["_metadata"], proved=proved)
    done = {"status": "complete", "payment_status": "paid", "subscription": sub["id"], "invoice": sub["latest_invoice"],
            "url": None}  # fmt: skip
    state.put(one | done)
    state.emit("checkout.session.completed", one | done)
    return True
