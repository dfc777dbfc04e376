"""Charges of succeeded payments, and refunds of them."""

from __future__ import annotations

from typing import Any

import stripe

from sandbox.stripe import form
from sandbox.stripe.form import invalid, missing
from sandbox.stripe.store import State, blank, listed

Data = dict[str, Any]


def make(
    state: State, *, ident: str, amount: int, currency: str, customer: str | None, intent: str, method: str | None
) -> Data:  # fmt: skip
    """Store the charge of a succeeded payment."""
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
    """Return the charge of a payment, creating it for payments made before charges were stored."""
    for charge in state.all("charge"):
        if charge["payment_intent"] == intent:
            return charge
    stored = state.find(intent)
    if stored is not None and stored["object"] == "payment_intent":
        if stored["status"] != "succeeded":
            raise invalid(f"This PaymentIntent ({intent}) does not have a successful charge to refund.", param)
        return make(
            state, ident=stored["latest_charge"] or state.new_id("ch"), amount=stored["amount"],
            currency=stored["currency"], customer=stored["customer"], intent=intent, method=stored["payment_method"],
        )  # fmt: skip
    for bill in state.all("invoice"):
        for payment in bill["payments"]["data"]:
            if payment["payment"]["payment_intent"] == intent:
                return of_invoice(state, bill, payment, None)
    raise missing("payment_intent", intent, param)


def of_invoice(state: State, bill: Data, payment: Data, method: str | None) -> Data:
    """Store the charge that paid an invoice."""
    return make(
        state, ident=state.new_id("ch"), amount=payment["amount_paid"], currency=bill["currency"],
        customer=bill["customer"], intent=payment["payment"]["payment_intent"], method=method,
    )  # fmt: skip


def named(state: State, data: Data) -> Data:
    """Return the charge named by `charge` or `payment_intent`."""
    if ident := data.get("charge"):
        return state.get("charge", ident, "charge")
    if intent := data.get("payment_intent"):
        return of_intent(state, intent)
    raise invalid("One of the following params should be provided for this request: payment_intent or charge.")


def refund(state: State, data: Data, _id: str = "") -> Data:
    """POST /v1/refunds: refund the rest of a charge, or part of it."""
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
    refund_ = blank(
        stripe.Refund,
        id=state.new_id("re"), object="refund", amount=amount, charge=charge["id"], created=state.now(),
        currency=charge["currency"], destination_details={"card": {"type": "refund"}, "type": "card"},
        metadata=data.get("metadata") or {}, payment_intent=charge["payment_intent"], reason=data.get("reason"),
        status="succeeded",
    )  # fmt: skip
    state.put(refund_)
    _count(state, charge, amount)
    state.emit("refund.created", refund_)
    state.emit("charge.refunded", charge)
    return refund_


def fail_refund(state: State, ident: str) -> Data:
    """Mark a refund as failed, as if the bank could not return the money."""
    refund_ = state.get("refund", ident, "refund")
    if refund_["status"] != "succeeded":
        raise invalid("The refund is not under way.", "refund")
    refund_ |= {"status": "failed", "failure_reason": "lost_or_stolen_card"}
    state.put(refund_)
    _count(state, state.get("charge", refund_["charge"]), -refund_["amount"])
    state.emit("charge.refund.updated", refund_, status="succeeded")
    state.emit("refund.failed", refund_, status="succeeded")
    return refund_


def _count(state: State, charge: Data, amount: int) -> None:
    charge["amount_refunded"] += amount
    charge["refunded"] = charge["amount_refunded"] == charge["amount"]
    state.put(charge)


def payments_of(state: State, data: Data, _id: str = "") -> Data:
    """GET /v1/invoice_payments, by invoice or by payment intent."""
    filter_ = data.get("payment") or {}
    payments = [
        payment
        for bill in state.all("invoice")
        for payment in bill["payments"]["data"]
        if data.get("invoice") in (None, bill["id"])
        and filter_.get("payment_intent") in (None, payment["payment"]["payment_intent"])
    ]
    limit = min(form.whole(data, "limit", 10) or 10, 100)
    return listed(payments[:limit], "/v1/invoice_payments", len(payments) > limit)
