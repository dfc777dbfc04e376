"""The movable clock: all that became due since it last moved, in the order of time."""

from __future__ import annotations

from typing import Any

from scripts._shared.sandbox.stripe import subscriptions
from scripts._shared.sandbox.stripe.store import State

MOST = 10_000  # moments of one move: a century of months for a demo's worth of customers


def settle(state: State) -> None:
    """Do what is due now. Called at the start of every request, so that real time passes as well."""
    for _ in range(MOST):
        found = _earliest(state, state.now())
        if found is None:
            return
        moment, kind, one = found
        with state.at(moment):
            _do(state, kind, one)


def move(state: State, seconds: int) -> None:
    """Move the clock forward and do what it passes over."""
    state.set("offset", int(state.setting("offset", 0)) + seconds)
    settle(state)


def _earliest(state: State, until: int) -> tuple[int, str, dict[str, Any]] | None:
    due: list[tuple[int, str, dict[str, Any]]] = []
    for sub in state.all("subscription"):
        if sub["status"] in subscriptions.LIVE:
            due.append((sub["items"]["data"][0]["current_period_end"], "renew", sub))
    for bill in state.all("invoice"):
        if bill["status"] == "open" and bill["next_payment_attempt"]:
            due.append((bill["next_payment_attempt"], "collect", bill))
    for session in state.all("checkout.session"):
        if session["status"] == "open":
            due.append((session["expires_at"], "expire", session))
    due = [one for one in due if one[0] <= until]
    return min(due, key=lambda one: one[0]) if due else None


def _do(state: State, kind: str, one: dict[str, Any]) -> None:
    if kind == "renew":
        subscriptions.renew(state, one)
    elif kind == "expire":
        state.put(one | {"status": "expired", "url": None})
        state.emit("checkout.session.expired", one | {"status": "expired", "url": None})
    else:
        sub = state.find(one["parent"]["subscription_details"]["subscription"])
        if sub is None or sub["status"] not in subscriptions.LIVE:
            state.put(one | {"next_payment_attempt": None})
        else:
            subscriptions.collect(state, sub, one)
