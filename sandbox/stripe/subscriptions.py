"""Subscriptions: start, change, cancel, renew, retry payments, end."""

from __future__ import annotations

from typing import Any

import stripe

from sandbox.stripe import calendar, cards, form, invoices, pauses, schedules
from sandbox.stripe.form import StripeRefused, invalid
from sandbox.stripe.store import State, blank, listed

LIVE = ("active", "past_due", "trialing")


def make(
    state: State, customer: str, price: dict[str, Any], method: str | None, metadata: dict[str, str]
) -> dict[str, Any]:  # fmt: skip
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


def create(state: State, data: dict[str, Any], _id: str = "") -> dict[str, Any]:
    """POST /v1/subscriptions with one price, paid at once or after a trial."""
    customer = state.get("customer", form.needed(data, "customer"), "customer")["id"]
    asked = form.needed(data, "items")[0]
    price = state.get("price", form.needed(asked, "price"), "items[0][price]")
    token, metadata = data.get("default_payment_method"), data.get("metadata") or {}
    method = cards.of_token(state, token, customer) if token else None
    days = form.whole(data, "trial_period_days")
    if not days:
        if method is None:
            raise invalid("This customer has no attached payment source or default payment method.")
        return begin(state, customer, price, method, metadata)
    sub = make(state, customer, price, method["id"] if method else None, metadata)
    item, end = sub["items"]["data"][-1], state.now() + days * 86400
    item |= {"current_period_end": end, "quantity": form.whole(asked, "quantity", 1)}
    sub |= {"status": "trialing", "trial_start": state.now(), "trial_end": end, "billing_cycle_anchor": end,
            "trial_settings": data.get("trial_settings")}  # fmt: skip
    state.put(sub)
    state.emit("customer.subscription.created", sub)
    bill = invoices.issue(state, sub, [invoices.period_line(state, sub)], "subscription_create")
    invoices.pay(state, bill, method, present=True)
    return change(state, sub, latest_invoice=bill["id"])


def add_item(state: State, data: dict[str, Any], _id: str = "") -> dict[str, Any]:
    """POST /v1/subscription_items: another product, listed first and billed elsewhere."""
    sub = state.get("subscription", form.needed(data, "subscription"), "subscription")
    price = state.get("price", form.needed(data, "price"), "price")
    items = sub["items"]["data"]  # the last one is that of the plan
    item: dict[str, Any] = items[-1] | {"id": state.new_id("si"), "price": price, "quantity": 1}
    sub["items"]["data"] = [item, *items]
    state.put(sub)
    state.emit("customer.subscription.updated", sub)
    return item


def resume(state: State, data: dict[str, Any], ident: str) -> dict[str, Any]:
    """POST /v1/subscriptions/{id}/resume."""
    sub = state.get("subscription", ident)
    bill = pauses.begin_resume(state, sub, data)
    if bill is not None:
        collect(state, sub, bill)
    return sub


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
    if sub["status"] not in (*LIVE, "unpaid", "paused"):
        raise invalid("A canceled subscription can only update its cancellation_details and metadata.")
    if sub["schedule"] and (data.get("items") or {"cancel_at_period_end", "cancel_at"} & data.keys()):
        raise invalid("The subscription is managed by the subscription schedule `" + sub["schedule"] + "`.")
    fields = _cancellation(state, sub, data)
    if "pause_collection" in data:
        fields["pause_collection"] = pauses.collection(data["pause_collection"])
    if token := data.get("default_payment_method"):
        fields["default_payment_method"] = cards.of_token(state, token, sub["customer"])["id"]
    if "metadata" in data:
        fields["metadata"] = sub["metadata"] | data["metadata"]
    if data.get("items"):
        _change_price(state, sub, data)
    return change(state, sub, **fields)


def _cancellation(state: State, sub: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that a cancellation changes.

    Each parameter takes back only what it has set itself.
    """
    end = sub["items"]["data"][-1]["current_period_end"]
    if "cancel_at" in data:
        if "cancel_at_period_end" in data:
            raise invalid("Received both cancel_at_period_end and cancel_at parameters. Please pass in only one.")
        when = end if str(data["cancel_at"]).endswith("_period_end") else form.whole(data, "cancel_at")
        if when is not None and when <= state.now():
            raise invalid("cancel_at must be in the future.", "cancel_at")
        return {"cancel_at": when, "cancel_at_period_end": False, "canceled_at": state.now() if when else None}
    ends = form.flag(data, "cancel_at_period_end")
    if ends is None or ends == sub["cancel_at_period_end"]:
        return {}
    return {"cancel_at_period_end": ends, "cancel_at": end if ends else None,
            "canceled_at": state.now() if ends else None}  # fmt: skip


def _change_price(state: State, sub: dict[str, Any], data: dict[str, Any]) -> None:
    item = sub["items"]["data"][-1]
    change_ = data["items"][0]
    if change_.get("id") != item["id"]:
        raise form.missing("subscription_item", str(change_.get("id")), "items[0][id]")
    price = state.get("price", change_.get("price") or item["price"]["id"], "items[0][price]")
    quantity = form.whole(change_, "quantity", item["quantity"])
    if (price["id"], quantity) == (item["price"]["id"], item["quantity"]):
        return
    date = proration_date(state, sub, data)
    if data.get("proration_behavior", "create_prorations") != "always_invoice":
        raise invalid("The stand-in supports proration_behavior=always_invoice only.", "proration_behavior")
    bill = invoices.build(state, sub, invoices.change_lines(state, sub, price, date, quantity), "subscription_update")
    method = state.find(sub["default_payment_method"] or "")
    if bill["amount_due"] and data.get("payment_behavior") == "error_if_incomplete":
        _chargeable(method)
    bill = invoices.issue(state, sub, bill["lines"]["data"], "subscription_update")
    before = {"items": listed([dict(item)], sub["items"]["url"])}
    if item["price"]["recurring"] != price["recurring"]:
        item |= {"current_period_start": date, "current_period_end": bill["lines"]["data"][1]["period"]["end"]}
        sub["billing_cycle_anchor"] = date
    item |= {"price": price, "quantity": quantity}
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
    item = sub["items"]["data"][-1]
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
    item = sub["items"]["data"][-1]
    moment = item["current_period_end"]
    if sub["cancel_at_period_end"] or (sub["cancel_at"] and sub["cancel_at"] <= moment):
        end(state, sub, "cancellation_requested")
        return
    if sub["status"] == "trialing" and not pauses.end_trial(state, sub):
        return
    before = {"items": listed([dict(item)], sub["items"]["url"])}
    schedules.turn(state, sub)
    recurring = item["price"]["recurring"]
    next_end = calendar.add(moment, recurring["interval"], recurring["interval_count"], sub["billing_cycle_anchor"])
    for other in sub["items"]["data"]:
        other |= {"current_period_start": moment, "current_period_end": next_end}
    state.put(sub)
    lines = [*invoices.pending_lines(state, sub), invoices.period_line(state, sub)]
    bill = invoices.issue(state, sub, lines, "subscription_cycle")
    sub["latest_invoice"] = bill["id"]
    state.put(sub)
    state.emit("customer.subscription.updated", sub, **before)
    if not pauses.withholds(state, sub, bill):
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
