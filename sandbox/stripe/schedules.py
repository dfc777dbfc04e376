"""Subscription schedules: a change of price at the end of the period."""

from __future__ import annotations

from typing import Any

import stripe

from sandbox.stripe import calendar, form
from sandbox.stripe.form import invalid
from sandbox.stripe.store import State, blank


def create(state: State, data: dict[str, Any]) -> dict[str, Any]:
    """POST /v1/subscription_schedules from a subscription: one phase, its present period."""
    sub = state.get("subscription", form.needed(data, "from_subscription"), "from_subscription")
    if sub["schedule"]:
        raise invalid("You cannot migrate a subscription that is already attached to a schedule.", "from_subscription")
    if sub["cancel_at_period_end"] or sub["status"] == "canceled":
        raise invalid("The subscription is set to cancel.", "from_subscription")
    item = sub["items"]["data"][-1]
    phase = _phase(item["price"]["id"], item["current_period_start"], item["current_period_end"])
    schedule = blank(
        stripe.SubscriptionSchedule,
        id=state.new_id("sub_sched"), object="subscription_schedule", created=state.now(), customer=sub["customer"],
        billing_mode={"type": "flexible"}, current_phase=_span(phase), default_settings={}, end_behavior="release",
        metadata={}, phases=[phase], status="active", subscription=sub["id"],
    )  # fmt: skip
    state.put(schedule)
    sub["schedule"] = schedule["id"]
    state.put(sub)
    state.emit("subscription_schedule.created", schedule)
    state.emit("customer.subscription.updated", sub, schedule=None)
    return schedule


def update(state: State, schedule: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """POST /v1/subscription_schedules/{id}: replace the phases, starting with the present one."""
    if schedule["status"] != "active":
        raise invalid(
            f"You cannot update a subscription schedule that is currently in the `{schedule['status']}` status."
        )
    if behaviour := data.get("end_behavior"):
        schedule["end_behavior"] = behaviour
    if asked := data.get("phases"):
        schedule["phases"] = _phases(state, schedule, asked)
    state.put(schedule)
    state.emit("subscription_schedule.updated", schedule)
    return schedule


def _phases(state: State, schedule: dict[str, Any], requested: list[dict[str, Any]]) -> list[dict[str, Any]]:
    phases: list[dict[str, Any]] = []
    for number, phase in enumerate(requested):
        param = f"phases[{number}][items][0][price]"
        price = state.get("price", form.needed(phase["items"][0], "price"), param)
        start = form.whole(phase, "start_date", phases[-1]["end_date"] if phases else None)
        if start is None or (not phases and start != schedule["current_phase"]["start_date"]):
            raise invalid("The first phase must start when the current schedule did.", "phases[0][start_date]")
        end = form.whole(phase, "end_date")
        if end is None:
            span = phase.get("duration")
            if not isinstance(span, dict):
                raise invalid("A phase needs an end_date or a duration.", f"phases[{number}]")
            end = calendar.add(start, form.needed(span, "interval"), form.whole(span, "interval_count", 1) or 1)
        if end <= start or (phases and start != phases[-1]["end_date"]):
            raise invalid("Phases must follow each other.", f"phases[{number}]")
        phases.append(_phase(price["id"], start, end))
    return phases


def release(state: State, schedule: dict[str, Any]) -> dict[str, Any]:
    """Release a schedule; its subscription continues unchanged."""
    if schedule["status"] != "active":
        raise invalid(
            f"You cannot release a subscription schedule that is currently in the `{schedule['status']}` status."
        )
    sub = state.get("subscription", schedule["subscription"])
    _release(state, schedule, sub)
    state.put(sub)
    state.emit("subscription_schedule.released", schedule)
    state.emit("customer.subscription.updated", sub, schedule=schedule["id"])
    return schedule


def cancel(state: State, schedule: dict[str, Any]) -> dict[str, Any]:
    """POST /v1/subscription_schedules/{id}/cancel: drop the schedule; the caller ends its subscription."""
    if schedule["status"] != "active":
        raise invalid(f"You cannot cancel a subscription schedule that is in the `{schedule['status']}` status.")
    forget(state, state.get("subscription", schedule["subscription"]))
    state.emit("subscription_schedule.canceled", state.get("subscription_schedule", schedule["id"]))
    return schedule


def _release(state: State, schedule: dict[str, Any], sub: dict[str, Any]) -> None:
    schedule |= {
        "status": "released",
        "released_at": state.now(),
        "released_subscription": sub["id"],
        "subscription": None,
    }
    state.put(schedule)
    sub["schedule"] = None


def turn(state: State, sub: dict[str, Any]) -> None:
    """Apply the next phase at the end of a period, or release the schedule after its last phase."""
    if not sub["schedule"]:
        return
    schedule = state.get("subscription_schedule", sub["schedule"])
    item = sub["items"]["data"][-1]
    for phase in schedule["phases"]:
        if phase["start_date"] == item["current_period_end"]:
            price = state.get("price", phase["items"][0]["price"])
            if price["recurring"] != item["price"]["recurring"]:
                sub["billing_cycle_anchor"] = phase["start_date"]
            item["price"] = price
            schedule["current_phase"] = _span(phase)
            state.put(schedule)
            return
    _release(state, schedule, sub)


def forget(state: State, sub: dict[str, Any]) -> None:
    """Cancel the schedule of a subscription that has ended."""
    if sub["schedule"]:
        schedule = state.get("subscription_schedule", sub["schedule"])
        state.put(schedule | {"status": "canceled", "canceled_at": state.now(), "current_phase": None})
        sub["schedule"] = None


def _phase(price: str, start: int, end: int) -> dict[str, Any]:
    item: dict[str, Any] = {
        "billing_thresholds": None,
        "discounts": [],
        "metadata": {},
        "price": price,
        "quantity": 1,
        "tax_rates": [],
    }
    return {"add_invoice_items": [], "discounts": [], "items": [item], "metadata": {}, "start_date": start,
            "end_date": end, "proration_behavior": "none"}  # fmt: skip


def _span(phase: dict[str, Any]) -> dict[str, int]:
    return {"start_date": phase["start_date"], "end_date": phase["end_date"]}
