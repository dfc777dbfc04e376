"""Products and prices in the Stripe stand-in."""

from __future__ import annotations

from typing import Any

import stripe

from sandbox.stripe import form
from sandbox.stripe.form import invalid
from sandbox.stripe.store import State, blank

Data = dict[str, Any]


def create_product(state: State, data: Data, _: str) -> Data:
    """Create a product."""
    ident = data.get("id") or state.new_id("prod")
    if state.find(ident):
        raise invalid("Product already exists.", "id", "resource_already_exists")
    item = blank(
        stripe.Product, id=ident, object="product", active=True, created=state.now(), images=[], marketing_features=[],
        name=form.needed(data, "name"), description=data.get("description"), metadata=data.get("metadata") or {},
        type="service", updated=state.now(),
    )  # fmt: skip
    state.put(item)
    state.emit("product.created", item)
    return item


def change_product(state: State, data: Data, ident: str) -> Data:
    """Change the name, description or metadata of a product."""
    item = state.get("product", ident)
    item |= {name: data[name] for name in ("name", "description") if name in data}
    item["metadata"] |= data.get("metadata") or {}
    state.put(item)
    state.emit("product.updated", item)
    return item


def create_price(state: State, data: Data, _: str) -> Data:
    """Create a price of a product."""
    product = state.get("product", form.needed(data, "product"), "product")
    key = data.get("lookup_key")
    if key and any(item["lookup_key"] == key for item in state.all("price")):
        raise invalid(f"A price with lookup key '{key}' exists already.", "lookup_key", "resource_already_exists")
    recurring = data.get("recurring")
    if recurring:
        interval = form.needed(recurring, "interval")
        if interval not in ("day", "week", "month", "year"):
            raise invalid("Invalid interval", "recurring[interval]")
        recurring = {
            "interval": interval,
            "interval_count": form.whole(recurring, "interval_count", 1),
            "meter": None,
            "trial_period_days": None,
            "usage_type": "licensed",
        }
    amount = form.whole(data, "unit_amount")
    if amount is None or amount < 0:
        raise invalid("Missing or negative unit_amount.", "unit_amount")
    item = blank(
        stripe.Price, id=state.new_id("price"), object="price", active=True, billing_scheme="per_unit",
        created=state.now(), currency=form.needed(data, "currency"), lookup_key=key, nickname=data.get("nickname"),
        metadata=data.get("metadata") or {}, product=product["id"], recurring=recurring, unit_amount=amount,
        unit_amount_decimal=str(amount), tax_behavior="unspecified", type="recurring" if recurring else "one_time",
    )  # fmt: skip
    state.put(item)
    state.emit("price.created", item)
    return item
