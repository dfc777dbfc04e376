"""Subscriptions: start, change, cancel, renew, retry payments, end."""

from __future__ import annotations

from typing import Any

import stripe

from sandbox.stripe import calendar, cards, form, invoices, schedules
from sandbox.stripe.form import StripeRefused, invalid
from sandbox.stripe.store import State, blank, listed

LIVE = ("active", "past_due", "trialing")


def make(state: State, customer: str, price: dict[str, Any], method: str, metadata: dict[str, str]) -> dict[str, Any]:
    """Build a subscription with an unpaid first invoice, without storing it."""
    now, ident = state.now(), state.new_id("sub")
    end = calendar.add(now, price["recurring"]["interval"], price["recurring"]["interval_count"])
    item = blank(
        stripe.SubscriptionItem,
        id=state.new_id("si"), object="subscription_item", created=now, current_period_start=now,
        current_period_end=end, discounts=[], metadata={}, price=price, quantity=1, subscription=ident, tax_rates=[],
    )  # fmt: skip
    return blank(
        stripe.Subscription,
        id=ident, object="subscription", automatic_tax={"enabled": False, "liability": None, "disabled_reason": None},
        billing_cycle_anchor=now, billing_mode={"type": "flexible"}, cancel_at_period_end=False,
        cancellation_details={"comment": None, "feedback": None, "reason": None},
        collection_method="charge_automatically", created=now, currency=price["currency"], customer=customer,
        default_payment_method=method, default_tax_rates=[], discounts=[], invoice_settings={"account_tax_ids": None,
                                                                                        "issuer": {"type": "self"}},
        items=listed([item], f"/v1/subscription_items?subscription={ident}"), metadata=metadata, start_date=now,
        status="incomplete",
    )  # fmt: skip


def begin(
    state: State, customer: str, price: dict[str, Any], method: dict[str, Any], metadata: dict[str, str], *,
    proved: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Start a paid subscription; raise StripeRefused without storing anything when the card is declined.

    `proved` means that 3-D Secure has succeeded.
    """
    result = cards.outcome(method, present=True)
    if result == "declined":
        raise cards.decline(method, keep=False)
    if result == "3ds" and not proved:
        raise cards.decline(method, keep=False, code="authentication_required")
    sub = make(state, customer, price, method["id"], metadata)
    state.put(sub)
    state.emit("customer.subscription.created", sub)
    bill = invoices.issue(state, sub, [invoices.period_line(state, sub)], "subscription_create")
    invoices.pay(state, bill, method, present=True, proved=proved)
    return change(state, sub, status="active", latest_invoice=bill["id"])


def change(state: State, sub: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Store changed fields and emit an event if there are any."""
    previous = {name: sub[name] for name, value in fields.items() if sub[name] != value}
    sub |= fields
    state.put(sub)
    if previous:
        state.emit("customer.subscription.updated", sub, **previous)
    return sub


def update(state: State, sub: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """POST /v1/subscriptions/{id}."""
    if sub["status"] not in LIVE:
        raise invalid("A canceled subscription can only update its cancellation_details and metadata.")
    if sub["schedule"] and (data.get("items") or "cancel_at_period_end" in data):
        raise invalid("The subscription is managed by the subscription schedule `" + sub["schedule"] + "`.")
    fields: dict[str, Any] = {}
    if (ends := form.flag(data, "cancel_at_period_end")) is not None:
        end = sub["items"]["data"][0]["current_period_end"]
        fields |= {"cancel_at_period_end": ends, "cancel_at": end if ends else None,
                   "canceled_at": state.now() if ends else None}  # fmt: skip
    if token := data.get("default_payment_method"):
        fields["default_payment_method"] = cards.of_token(state, token, sub["customer"])["id"]
    if "metadata" in data:
        fields["metadata"] = sub["metadata"] | data["metadata"]
    if data.get("items"):
        _change_price(state, sub, data)
    return change(state, sub, **fields)


def _change_price(state: State, sub: dict[str, Any], data: dict[str, Any]) -> None:
    item = sub["items"]["data"][0]
    change_ = data["items"][0]
    if change_.get("id") != item["id"]:
        raise form.missing("subscription_item", str(change_.get("id")), "items[0][id]")
    price = state.get("price", form.needed(change_, "price"), "items[0][price]")
    if price["id"] == item["price"]["id"]:
        return
    date = proration_date(state, sub, data)
    if data.get("proration_behavior", "create_prorations") != "always_invoice":
        raise invalid("The stand-in supports proration_behavior=always_invoice only.", "proration_behavior")
    bill = invoices.build(state, sub, invoices.change_lines(state, sub, price, date), "subscription_update")
    method = state.find(sub["default_payment_method"] or "")
    if bill["amount_due"] and data.get("payment_behavior") == "error_if_incomplete":
        _chargeable(method)
    bill = invoices.issue(state, sub, bill["lines"]["data"], "subscription_update")
    before = {"items": listed([dict(item)], sub["items"]["url"])}
    if item["price"]["recurring"] != price["recurring"]:
        item |= {"current_period_start": date, "current_period_end": bill["lines"]["data"][1]["period"]["end"]}
        sub["billing_cycle_anchor"] = date
    item["price"] = price
    sub["latest_invoice"] = bill["id"]
    state.put(sub)
    state.emit("customer.subscription.updated", sub, **before)
    if invoices.pay(state, bill, method, present=False) != "ok":  # 3-D Secure was done at the first payment
        change(state, sub, status="past_due")


def _chargeable(method: dict[str, Any] | None) -> None:
    """Raise the card error (402) if the charge would fail, before anything is changed."""
    if method is None or cards.outcome(method, present=False) != "ok":
        raise cards.decline(method, keep=False)


def proration_date(state: State, sub: dict[str, Any], data: dict[str, Any]) -> int:
    item = sub["items"]["data"][0]
    date = form.whole(data, "proration_date", state.now())
    assert date is not None
    if not item["current_period_start"] <= date <= item["current_period_end"]:
        raise invalid("Cannot specify proration_date outside of current subscription period", "proration_date")
    return date


def end(state: State, sub: dict[str, Any], reason: str) -> dict[str, Any]:
    """End a subscription."""
    now = state.now()
    schedules.forget(state, sub)
    sub |= {"status": "canceled", "ended_at": now, "canceled_at": sub["canceled_at"] or now}
    sub["cancellation_details"] |= {"reason": reason}
    state.put(sub)
    state.emit("customer.subscription.deleted", sub)
    return sub


def renew(state: State, sub: dict[str, Any]) -> None:
    """Start the next period of a subscription, or end it if it was cancelled."""
    item = sub["items"]["data"][0]
    moment = item["current_period_end"]
    if sub["cancel_at_period_end"]:
        end(state, sub, "cancellation_requested")
        return
    before = {"items": listed([dict(item)], sub["items"]["url"])}
    schedules.turn(state, sub)
    recurring = item["price"]["recurring"]
    next_end = calendar.add(moment, recurring["interval"], recurring["interval_count"], sub["billing_cycle_anchor"])
    item |= {"current_period_start": moment, "current_period_end": next_end}
    state.put(sub)
    bill = invoices.issue(state, sub, [invoices.period_line(state, sub)], "subscription_cycle")
    sub["latest_invoice"] = bill["id"]
    state.put(sub)
    state.emit("customer.subscription.updated", sub, **before)
    collect(state, sub, bill)


def collect(state: State, sub: dict[str, Any], bill: dict[str, Any]) -> None:
    """Charge a renewal. On failure the subscription is past due; after the last retry it ends."""
    method = state.find(sub["default_payment_method"] or "")
    if invoices.pay(state, bill, method, present=False) == "ok":
        change(state, sub, status="active")
        return
    tries = bill["attempt_count"]
    bill["next_payment_attempt"] = state.now() + invoices.RETRIES[tries - 1] if tries <= len(invoices.RETRIES) else None
    state.put(bill)
    change(state, sub, status="past_due")
    if bill["next_payment_attempt"] is None:
        end(state, sub, "payment_failed")


def pay_open(state: State, bill: dict[str, Any], method: dict[str, Any], *, proved: bool = False) -> str:
    """Pay an open invoice with another card, which makes its subscription active again."""
    result = invoices.pay(state, bill, method, present=True, proved=proved)
    sub = state.find(bill["parent"]["subscription_details"]["subscription"])
    if result == "ok" and sub is not None and sub["status"] in LIVE:
        change(state, sub, status="active", default_payment_method=method["id"])
    return result


def refuse_if_paid(bill: dict[str, Any]) -> None:
    if bill["status"] != "open":
        raise StripeRefused(400, "invalid_request_error", "Invoice is already paid", code="invoice_already_paid")
