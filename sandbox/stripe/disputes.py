"""Disputes of charges. The evidence text decides the outcome, as in Stripe's test mode."""

from __future__ import annotations

from typing import Any

import stripe

from sandbox.stripe import form
from sandbox.stripe.form import invalid
from sandbox.stripe.store import State, blank

Data = dict[str, Any]
CARD = "createDispute"  # a payment with this card succeeds and is disputed at once
OPEN = ("needs_response", "under_review")
DAYS_TO_ANSWER = 7


def open_one(state: State, charge: Data, amount: int | None = None, reason: str = "fraudulent") -> Data:
    """Open a dispute: the bank withdraws the money until the dispute is decided."""
    if charge["disputed"]:
        raise invalid("This charge is disputed already.", "charge")
    amount = charge["amount"] - charge["amount_refunded"] if amount is None else amount
    if not 0 < amount <= charge["amount"]:
        raise invalid("The disputed amount must be part of the charge.", "amount")
    dispute = blank(
        stripe.Dispute,
        id=state.new_id("dp"), object="dispute", amount=amount, balance_transactions=[], charge=charge["id"],
        created=state.now(), currency=charge["currency"], enhanced_eligibility_types=[], evidence={},
        evidence_details={"due_by": state.now() + DAYS_TO_ANSWER * 86400, "has_evidence": False, "past_due": False,
                          "submission_count": 0, "enhanced_eligibility": {}},
        is_charge_refundable=False, metadata={}, payment_intent=charge["payment_intent"],
        payment_method_details={"type": "card"}, reason=reason, status="needs_response",
    )  # fmt: skip
    state.put(dispute)
    state.put(charge | {"disputed": True})
    state.emit("charge.dispute.created", dispute)
    state.emit("charge.dispute.funds_withdrawn", dispute)
    return dispute


def open_if_asked(state: State, charge: Data) -> None:
    """Open a dispute if the charge was paid with the test card for disputes."""
    method = state.find(charge["payment_method"] or "")
    if method is not None and method["_card"] == CARD:
        open_one(state, charge)


def update(state: State, data: Data, ident: str) -> Data:
    """POST /v1/disputes/{id}: `winning_evidence` wins, `losing_evidence` loses, others wait."""
    dispute = _open(state, ident)
    evidence = data.get("evidence") or {}
    dispute["evidence"] |= evidence
    dispute["metadata"] |= data.get("metadata") or {}
    text = evidence.get("uncategorized_text", "")
    if text in ("winning_evidence", "losing_evidence"):
        return close(state, dispute, "won" if text == "winning_evidence" else "lost")
    if evidence and form.flag(data, "submit") is not False:
        dispute["status"] = "under_review"
        dispute["evidence_details"] |= {"has_evidence": True, "submission_count": 1}
    state.put(dispute)
    state.emit("charge.dispute.updated", dispute)
    return dispute


def accept(state: State, _data: Data, ident: str) -> Data:
    """POST /v1/disputes/{id}/close: accept the dispute as lost."""
    return close(state, _open(state, ident), "lost")


def close(state: State, dispute: Data, status: str) -> Data:
    """Close a dispute as won, which returns the money, or as lost."""
    before = dispute["status"]
    dispute["status"] = status
    state.put(dispute)
    if status == "won":
        state.emit("charge.dispute.funds_reinstated", dispute)
    state.emit("charge.dispute.closed", dispute, status=before)
    return dispute


def _open(state: State, ident: str) -> Data:
    dispute = state.get("dispute", ident)
    if dispute["status"] not in OPEN:
        raise invalid("This dispute is already closed.", "dispute")
    return dispute
