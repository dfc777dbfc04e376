"""Charges of succeeded payments, and refunds of them."""

from __future__ import annotations

from typing import Any

import stripe

from scripts._shared.sandbox.stripe import form
from scripts._shared.sandbox.stripe.form import invalid, missing
from scripts._shared.sandbox.stripe.store import State, blank, listed

Data = dict[str, Any]


def make(
    state: State, *, ident: str, amount: int, currency: str, customer: str | None, intent: str, method: str | None
) -> Data:  # fmt: skip
    """Keep the charge of a payment that has succeeded."""
    return state.put(
        blank(
            stripe.Charge,
            id=ident, object="charge", amount=amount, amount_captured=amount, amount_refunded=0, captured=True,
            billing_details={"address": None, "email": None, "name": None, "phone": None, "tax_id": None},
            created=state.now(), currency=currency, customer=customer, disputed=False, fraud_details={}, metadata={},
            outcome={"network_status": "approved_by_network", "type": "authorized"}, paid=True, payment_intent=intent,
            payment_method=method, refunded=False, status="succeeded",
            refunds=listed([], f"/v1/charges/{ident}/refunds"),
        )
    )  # fmt: skip


def of_intent(state: State, intent: str, param: str = "payment_intent") -> Data:
    """Return the charge of a payment; a payment older than charges in this file gets one now."""
    for one in state.all("charge"):
        if one["payment_intent"] == intent:
            return one
    known = state.find(intent)
    if known is not None and known["object"] == "payment_intent":
        if known["status"] != "succeeded":
            raise invalid(f"This PaymentIntent ({intent}) does not have a successful charge to refund.", param)
        return make(
            state, ident=known["latest_charge"] or state.new_id("ch"), amount=known["amount"],
            currency=known["currency"], customer=known["customer"], intent=intent, method=known["payment_method"],
        )  # fmt: skip
    for bill in state.all("invoice"):
        for payment in bill["payments"]["data"]:
            if payment["payment"]["payment_intent"] == intent:
                return of_invoice(state, bill, payment, None)
    raise missing("payment_intent", intent, param)


def of_invoice(state: State, bill: Data, payment: Data, method: str | None) -> Data:
    """Keep the charge that paid an invoice."""
    return make(
        state, ident=state.new_id("ch"), amount=payment["amount_paid"], currency=bill["currency"],
        customer=bill["customer"], intent=payment["payment"]["payment_intent"], method=method,
    )  # fmt: skip


def named(state: State, data: Data) -> Data:
    """Return the charge that `charge` or `payment_intent` names."""
    if ident := data.get("charge"):
        return state.get("charge", ident, "charge")
    if intent := data.get("payment_intent"):
        return of_intent(state, intent)
    raise invalid("One of the following params should be provided for this request: payment_intent or charge.")


def refund(state: State, data: Data, _id: str = "") -> Data:
    """POST /v1/refunds: the whole, or what is left of it, or a part."""
    charge = named(state, data)
    left = charge["amount"] - charge["amount_refunded"]
    if charge["disputed"]:
        raise invalid(f"Charge {charge['id']} has been charged back.", "charge", "charge_disputed")
    if not left:
        raise invalid(f"Charge {charge['id']} has already been refunded.", "charge", "charge_already_refunded")
    amount = form.whole(data, "amount", left)
    assert amount is not None
    if not 0 < amount <= left:
        raise invalid(f"Refund amount is greater than unrefunded amount on charge ({left}) or not positive.", "amount")
    one = blank(
        stripe.Refund,
        id=state.new_id("re"), object="refund", amount=amount, charge=charge["id"], created=state.now(),
        currency=charge["currency"], destination_details={"card": {"type": "refund"}, "type": "card"},
        metadata=data.get("metadata") or {}, payment_intent=charge["payment_intent"], reason=data.get("reason"),
        status="succeeded",
    )  # fmt: skip
    state.put(one)
    _count(state, charge, amount)
    state.emit("refund.created", one)
    state.emit("charge.refunded", charge)
    return one


def fail_refund(state: State, ident: str) -> Data:
    """Tell that the bank could not return the money after all."""
    one = state.get("refund", ident, "refund")
    if one["status"] != "succeeded":
        raise invalid("The refund is not under way.", "refund")
    one |= {"status": "failed", "failure_reason": "lost_or_stolen_card"}
    state.put(one)
    _count(state, state.get("charge", one["charge"]), -one["amount"])
    state.emit("charge.refund.updated", one, status="succeeded")
    state.emit("refund.failed", one, status="succeeded")
    return one


def _count(state: State, charge: Data, amount: int) -> None:
    charge["amount_refunded"] += amount
    charge["refunded"] = charge["amount_refunded"] == charge["amount"]
    state.put(charge)


def payments_of(state: State, data: Data, _id: str = "") -> Data:
    """GET /v1/invoice_payments, by invoice or by payment intent."""
    asked = data.get("payment") or {}
    found = [
        payment
        for bill in state.all("invoice")
        for payment in bill["payments"]["data"]
        if data.get("invoice") in (None, bill["id"])
        and asked.get("payment_intent") in (None, payment["payment"]["payment_intent"])
    ]
    most = min(form.whole(data, "limit", 10) or 10, 100)
    return listed(found[:most], "/v1/invoice_payments", len(found) > most)
