"""The clock of the stand-in, which runs everything that has become due in chronological order."""

from __future__ import annotations

from typing import Any

from sandbox.stripe import subscriptions
from sandbox.stripe.store import State

MAX_STEPS = 10_000  # limit per move of the clock


def settle(state: State) -> None:
    """Run everything that is due. Called at the start of each request, so that real time counts too."""
    for _ in range(MAX_STEPS):
        task = _earliest(state, state.now())
        if task is None:
            return
        moment, kind, obj = task
        with state.at(moment):
            _run(state, kind, obj)


def move(state: State, seconds: int) -> None:
    """Move the clock forward and run everything that becomes due."""
    state.set("offset", int(state.setting("offset", 0)) + seconds)
    settle(state)


def _earliest(state: State, until: int) -> tuple[int, str, dict[str, Any]] | None:
    due: list[tuple[int, str, dict[str, Any]]] = []
    for sub in state.all("subscription"):
        if sub["status"] in subscriptions.LIVE:
            end = sub["items"]["data"][-1]["current_period_end"]
            due.append((min(end, sub["cancel_at"] or end), "renew", sub))
    for bill in state.all("invoice"):
        if bill["status"] == "open" and bill["next_payment_attempt"]:
            due.append((bill["next_payment_attempt"], "collect", bill))
    for session in state.all("checkout.session"):
        if session["status"] == "open":
            due.append((session["expires_at"], "expire", session))
    due = [task for task in due if task[0] <= until]
    return min(due, key=lambda task: task[0]) if due else None


def _run(state: State, kind: str, obj: dict[str, Any]) -> None:
    if kind == "renew":
        subscriptions.renew(state, obj)
    elif kind == "expire":
        state.put(obj | {"status": "expired", "url": None})
        state.emit("checkout.session.expired", obj | {"status": "expired", "url": None})
    else:
        sub = state.find(obj["parent"]["subscription_details"]["subscription"])
        if sub is None or sub["status"] not in subscriptions.LIVE:
            state.put(obj | {"next_payment_attempt": None})
        else:
            subscriptions.collect(state, sub, obj)
