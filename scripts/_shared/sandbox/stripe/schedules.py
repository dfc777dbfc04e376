"""Subscription schedules: a change of price at the end of the period."""

from __future__ import annotations

from typing import Any

import stripe

from scripts._shared.sandbox.stripe import calendar, form
from scripts._shared.sandbox.stripe.form import invalid
from scripts._shared.sandbox.stripe.store import State, blank


def create(state: State, data: dict[str, Any]) -> dict[str, Any]:
    """From a subscription: one phase, its present period."""
    sub = state.get("subscription", form.needed(data, "from_subscription"), "from_subscription")
    if sub["schedule"]:
        raise invalid("You cannot migrate a subscription that is already attached to a schedule.", "from_subscription")
    if sub["cancel_at_period_end"] or sub["status"] == "canceled":
        raise invalid("The subscription is set to cancel.", "from_subscription")
    item = sub["items"]["data"][0]
    phase = _phase(item["price"]["id"], item["current_period_start"], item["current_period_end"])
    one = blank(
        stripe.SubscriptionSchedule,
        id=state.new_id("sub_sched"), object="subscription_schedule", created=state.now(), customer=sub["customer"],
        billing_mode={"type": "flexible"}, current_phase=_span(phase), default_settings={}, end_behavior="release",
        metadata={}, phases=[phase], status="active", subscription=sub["id"],
    )  # fmt: skip
    state.put(one)
    sub["schedule"] = one["id"]
    state.put(sub)
    state.emit("subscription_schedule.created", one)
    state.emit("customer.subscription.updated", sub, schedule=None)
    return one


def update(state: State, one: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """New phases: the present one, and what follows."""
    if one["status"] != "active":
        raise invalid(f"You cannot update a subscription schedule that is currently in the `{one['status']}` status.")
    if behaviour := data.get("end_behavior"):
        one["end_behavior"] = behaviour
    if asked := data.get("phases"):
        one["phases"] = _phases(state, one, asked)
    state.put(one)
    state.emit("subscription_schedule.updated", one)
    return one


def _phases(state: State, one: dict[str, Any], asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for number, phase in enumerate(asked):
        where = f"phases[{number}][items][0][price]"
        price = state.get("price", form.needed(phase["items"][0], "price"), where)
        start = form.whole(phase, "start_date", made[-1]["end_date"] if made else None)
        if start is None or (not made and start != one["current_phase"]["start_date"]):
            raise invalid("The first phase must start when the current one did.", "phases[0][start_date]")
        end = form.whole(phase, "end_date")
        if end is None:
            span = phase.get("duration")
            if not isinstance(span, dict):
                raise invalid("A phase needs an end_date or a duration.", f"phases[{number}]")
            end = calendar.add(start, form.needed(span, "interval"), form.whole(span, "interval_count", 1) or 1)
        if end <= start or (made and start != made[-1]["end_date"]):
            raise invalid("Phases must follow each other.", f"phases[{number}]")
        made.append(_phase(price["id"], start, end))
    return made


def release(state: State, one: dict[str, Any]) -> dict[str, Any]:
    """Let the subscription go on as it is."""
    if one["status"] != "active":
        raise invalid(f"You cannot release a subscription schedule that is currently in the `{one['status']}` status.")
    sub = state.get("subscription", one["subscription"])
    one |= {"status": "released", "released_at": state.now(), "released_subscription": sub["id"], "subscription": None}
    state.put(one)
    sub["schedule"] = None
    state.put(sub)
    state.emit("subscription_schedule.released", one)
    state.emit("customer.subscription.updated", sub, schedule=one["id"])
    return one


def turn(state: State, sub: dict[str, Any]) -> None:
    """The period is over: the next phase begins, or after the last one the schedule lets go."""
    if not sub["schedule"]:
        return
    one = state.get("subscription_schedule", sub["schedule"])
    item = sub["items"]["data"][0]
    for phase in one["phases"]:
        if phase["start_date"] == item["current_period_end"]:
            price = state.get("price", phase["items"][0]["price"])
            if price["recurring"] != item["price"]["recurring"]:
                sub["billing_cycle_anchor"] = phase["start_date"]
            item["price"] = price
            one["current_phase"] = _span(phase)
            state.put(one)
            return
    one |= {"status": "released", "released_at": state.now(), "released_subscription": sub["id"], "subscription": None}
    state.put(one)
    sub["schedule"] = None


def forget(state: State, sub: dict[str, Any]) -> None:
    """The subscription ended, and its schedule with it."""
    if sub["schedule"]:
        one = state.get("subscription_schedule", sub["schedule"])
        state.put(one | {"status": "canceled", "canceled_at": state.now(), "current_phase": None})
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
