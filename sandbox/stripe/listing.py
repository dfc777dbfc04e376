"""Lists of the Stripe stand-in: pages of the newest objects, with Stripe's filters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.stripe import form
from sandbox.stripe.form import invalid, missing
from sandbox.stripe.store import State, listed

Data = dict[str, Any]
MAX_PAGE, MAX_TYPES = 100, 20


def listing(kind: str, *by: str) -> Callable[[State, Data, str], Data]:
    """Return the call that lists objects of a kind, newest first, filtered by the fields in `by`."""

    def run(state: State, data: Data, _id: str) -> Data:
        if len(data.get("types") or ()) > MAX_TYPES:
            raise invalid(f"You can only specify {MAX_TYPES} types.", "types")
        if customer := data.get("customer"):
            state.get("customer", customer, "customer")
        objects = [item for item in state.all(kind, data.get("customer", "")) if _matches(item, data, by)]
        return page(objects, data, kind, f"/v1/{kind}s")

    return run


def page(objects: list[Data], data: Data, kind: str, url: str) -> Data:
    """Return a page of objects, as `limit` and `starting_after` ask for it."""
    if after := data.get("starting_after"):
        places = [number for number, item in enumerate(objects) if item["id"] == after]
        if not places:
            raise missing(kind, after, "starting_after")
        objects = objects[places[0] + 1 :]
    most = min(form.whole(data, "limit", 10) or 10, MAX_PAGE)
    return listed(objects[:most], url, len(objects) > most)


def within(kind: str, field: str) -> Callable[[State, Data, str], Data]:
    """Return the call that lists the lines of an invoice, or the items of a subscription."""

    def run(state: State, data: Data, ident: str) -> Data:
        obj = state.get(kind, ident or form.needed(data, kind), kind)
        return page(obj[field]["data"], data, field, obj[field]["url"])

    return run


def _matches(item: Data, data: Data, by: tuple[str, ...]) -> bool:
    for name in by:
        value = data.get(name)
        if name == "lookup_keys" and value is not None:
            if item["lookup_key"] not in value:
                return False
        elif name == "subscription" and value is not None:
            if item["parent"]["subscription_details"]["subscription"] != value:
                return False
        elif name == "types" and value is not None:
            if item["type"] not in value:
                return False
        elif name == "status" and _excluded_by_status(item, value):
            return False
        elif name == "created" and isinstance(value, dict):
            least, most = form.whole(value, "gte", 0) or 0, form.whole(value, "lte", 2**62) or 2**62
            if not least <= item["created"] <= most:
                return False
        elif (
            name in ("price", "product", "active", "charge", "payment_intent")
            and value is not None
            and str(item.get(name)).lower() != value
        ):
            return False
    return True


def _excluded_by_status(item: Data, value: str | None) -> bool:
    """Return whether the status excludes an object; canceled subscriptions are listed on request only."""
    if item["object"] == "subscription":
        ended = item["status"] in ("canceled", "incomplete_expired")
        return item["status"] == "canceled" if value is None else value not in ("all", "ended" * ended, item["status"])
    return value is not None and item["status"] != value
