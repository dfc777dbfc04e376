"""Pauses of collection, of a subscription, and after a trial without a card."""

from __future__ import annotations

from typing import Any

from sandbox.stripe import calendar, form, invoices
from sandbox.stripe.form import invalid
from sandbox.stripe.store import State

Data = dict[str, Any]


def collection(asked: Any) -> Data | None:
    """Return the field for the parameter `pause_collection`; an empty text ends the pause."""
    if not asked:
        return None
    return {"behavior": form.needed(asked, "behavior"), "resumes_at": form.whole(asked, "resumes_at")}


def withholds(state: State, sub: Data, bill: Data) -> bool:
    """Return whether a bill is not collected because collection is paused, and close it as was asked."""
    pause = sub["pause_collection"]
    if pause and pause["resumes_at"] and pause["resumes_at"] <= state.now():
        sub["pause_collection"] = pause = None
        state.put(sub)
    if not pause:
        return False
    if pause["behavior"] == "keep_as_draft":
        state.put(bill | {"status": "draft", "auto_advance": False})
    else:
        invoices.close(state, bill, "void" if pause["behavior"] == "void" else "uncollectible")
    return True


def pause(state: State, sub: Data, data: Data) -> Data:
    """POST /v1/subscriptions/{id}/pause: no bills and no new periods until it is resumed."""
    if sub["schedule"]:
        raise invalid("Subscriptions with an attached schedule cannot be paused.")
    if sub["status"] not in ("active", "trialing", "past_due"):
        raise invalid(f"A subscription with the status {sub['status']} cannot be paused.")
    return _set(state, sub, "paused", "customer.subscription.paused")


def end_trial(state: State, sub: Data) -> bool:
    """End a trial; return False if the subscription is paused or ended because there is no card."""
    missing = (sub["trial_settings"] or {}).get("end_behavior", {}).get("missing_payment_method")
    if sub["default_payment_method"] or missing in (None, "create_invoice"):
        sub["status"] = "active"
        return True
    _set(state, sub, "paused", "customer.subscription.paused")
    return False


def begin_resume(state: State, sub: Data, data: Data) -> Data | None:
    """Make a paused subscription active, and return the bill of the period that begins now, if one begins."""
    if sub["status"] != "paused":
        raise invalid("Only paused subscriptions can be resumed.")
    item, now = sub["items"]["data"][-1], state.now()
    anchor = (data.get("billing_cycle_anchor") or {}).get("type", "now")
    bill = None
    if anchor == "now" or item["current_period_end"] <= now:
        recurring = item["price"]["recurring"]
        end = calendar.add(now, recurring["interval"], recurring["interval_count"])
        item |= {"current_period_start": now, "current_period_end": end}
        sub |= {"billing_cycle_anchor": now, "status": "active"}
        bill = invoices.issue(state, sub, [invoices.period_line(state, sub)], "subscription_update")
        sub["latest_invoice"] = bill["id"]
    _set(state, sub, "active", "customer.subscription.resumed")
    return bill


def _set(state: State, sub: Data, status: str, event: str) -> Data:
    before = sub["status"]
    sub["status"] = status
    state.put(sub)
    state.emit(event, sub)
    state.emit("customer.subscription.updated", sub, status=before)
    return sub
