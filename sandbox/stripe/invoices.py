"""Invoices of subscriptions: their lines, proration, and paying them with a test card."""

from __future__ import annotations

from typing import Any

import stripe

from sandbox.stripe import calendar, cards, charges, disputes, form
from sandbox.stripe.form import invalid
from sandbox.stripe.store import State, blank, listed

DAY = 86400
RETRIES = (3 * DAY, 2 * DAY, 2 * DAY)  # delays of the retries after a failed renewal; then the subscription ends


def line(
    state: State, price: dict[str, Any], amount: int, period: tuple[int, int], sub: dict[str, Any], text: str, *,
    proration: bool = False, quantity: int = 1,
) -> dict[str, Any]:  # fmt: skip
    """Build an invoice line for a period of a price, or for part of one."""
    item = sub["items"]["data"][-1]["id"]
    details = {
        "invoice_item": None, "proration": proration, "proration_details": None, "subscription": sub["id"],
        "subscription_item": item,
    }  # fmt: skip
    return blank(
        stripe.InvoiceLineItem,
        id=state.new_id("il"), object="line_item", amount=amount, subtotal=amount, currency=price["currency"],
        description=text, discount_amounts=[], discountable=not proration, discounts=[], metadata={}, quantity=quantity,
        period={"start": period[0], "end": period[1]}, subscription=sub["id"], taxes=[],
        parent={"type": "subscription_item_details", "invoice_item_details": None,
                "subscription_item_details": details},
        pricing={"type": "price_details", "price_details": {"price": price["id"], "product": price["product"]},
                 "unit_amount_decimal": str(price["unit_amount"])},
    )  # fmt: skip


def name_of(state: State, price: dict[str, Any]) -> str:
    return str(state.get("product", price["product"])["name"])


def period_line(state: State, sub: dict[str, Any]) -> dict[str, Any]:
    """Build the line of the subscription's present period."""
    item = sub["items"]["data"][-1]
    price, period = item["price"], (item["current_period_start"], item["current_period_end"])
    each = f"(at ${price['unit_amount'] / 100:.2f} / {price['recurring']['interval']})"
    count = item["quantity"]
    if sub["status"] == "trialing":
        text = f"Trial period for {name_of(state, price)}"
        return line(state, price, 0, period, sub, text, quantity=count)
    text = f"{count} × {name_of(state, price)} {each}"
    return line(state, price, count * price["unit_amount"], period, sub, text, quantity=count)


def change_lines(
    state: State, sub: dict[str, Any], price: dict[str, Any], date: int, quantity: int | None = None
) -> list[dict[str, Any]]:  # fmt: skip
    """Build the lines of a change: credit for unused time, then the rest or a new period."""
    item = sub["items"]["data"][-1]
    before, after = item["quantity"], item["quantity"] if quantity is None else quantity
    old, start, end = item["price"], item["current_period_start"], item["current_period_end"]
    when, rest = calendar.day(date), (date, end)
    back = -calendar.part(before * old["unit_amount"], start, end, date)
    text = f"Unused time on {name_of(state, old)} after {when}"
    lines = [line(state, old, back, rest, sub, text, proration=True, quantity=before)]
    if old["recurring"] == price["recurring"]:
        amount = calendar.part(after * price["unit_amount"], start, end, date)
        text = f"Remaining time on {name_of(state, price)} after {when}"
        lines.append(line(state, price, amount, rest, sub, text, proration=True, quantity=after))
    else:  # another interval: a new period starts at once
        whole = (date, calendar.add(date, price["recurring"]["interval"], price["recurring"]["interval_count"]))
        text = f"{after} × {name_of(state, price)}"
        lines.append(line(state, price, after * price["unit_amount"], whole, sub, text, quantity=after))
    return lines


def item_line(state: State, item: dict[str, Any]) -> dict[str, Any]:
    """Build the line of an invoice item, which has no price."""
    details = {"invoice_item": item["id"], "proration": False, "proration_details": None,
               "subscription": item["_subscription"]}  # fmt: skip
    return blank(
        stripe.InvoiceLineItem,
        id=state.new_id("il"), object="line_item", amount=item["amount"], subtotal=item["amount"],
        currency=item["currency"], description=item["description"], discount_amounts=[], discountable=True,
        discounts=[], metadata={}, quantity=1, period=item["period"], subscription=item["_subscription"], taxes=[],
        parent={"type": "invoice_item_details", "invoice_item_details": details, "subscription_item_details": None},
        pricing=None,
    )  # fmt: skip


def create_item(state: State, data: dict[str, Any], _id: str = "") -> dict[str, Any]:
    """POST /v1/invoiceitems: an amount for the next invoice of a subscription."""
    sub = state.get("subscription", form.needed(data, "subscription"), "subscription")
    now = state.now()
    return state.put(
        blank(
            stripe.InvoiceItem,
            id=state.new_id("ii"), object="invoiceitem", amount=form.whole(data, "amount", 0),
            currency=data.get("currency", sub["currency"]), customer=sub["customer"], date=now,
            description=data.get("description"), discountable=True, discounts=[], metadata={}, quantity=1,
            period={"start": now, "end": now}, proration=False, tax_rates=[], _subscription=sub["id"],
        )
    )  # fmt: skip


def pending_lines(state: State, sub: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lines of the items that wait for the next invoice of a subscription."""
    waiting = [
        item for item in reversed(state.all("invoiceitem", sub["customer"]))
        if item["_subscription"] == sub["id"] and item["invoice"] is None
    ]  # fmt: skip
    for item in waiting:
        state.put(item | {"invoice": "billed"})
    return [item_line(state, item) for item in waiting]


def build(state: State, sub: dict[str, Any], lines: list[dict[str, Any]], reason: str) -> dict[str, Any]:
    """Build an invoice without storing it."""
    total, now = sum(line_["amount"] for line_ in lines), state.now()
    customer = state.get("customer", sub["customer"])
    due = max(0, total)
    details = {"metadata": sub["metadata"], "subscription": sub["id"], "subscription_proration_date": None}
    return blank(
        stripe.Invoice,
        id=state.new_id("in"), object="invoice", account_country="US", account_name="Sandbox", amount_due=due,
        amount_paid=0, amount_remaining=due, amount_overpaid=0, amount_shipping=0, attempt_count=0, attempted=False,
        auto_advance=True, automatic_tax={"enabled": False, "liability": None, "status": None},
        billing_reason=reason, collection_method="charge_automatically", created=now, currency=sub["currency"],
        customer=sub["customer"], customer_email=customer["email"], customer_name=customer["name"],
        customer_tax_ids=[], default_tax_rates=[], discounts=[], issuer={"type": "self"},
        lines=listed(lines, "/v1/invoices/lines"), metadata={}, status="draft",
        parent={"type": "subscription_details", "quote_details": None, "subscription_details": details},
        payment_settings={"default_mandate": None, "payment_method_options": None, "payment_method_types": None},
        period_start=lines[0]["period"]["start"] if lines else now,
        period_end=lines[-1]["period"]["end"] if lines else now,
        starting_balance=0, status_transitions={"finalized_at": None, "marked_uncollectible_at": None, "paid_at": None,
                                                "voided_at": None},
        subtotal=total, subtotal_excluding_tax=total, total=total, total_excluding_tax=total, total_taxes=[],
        payments=listed([], "/v1/invoice_payments"), post_payment_credit_notes_amount=0,
        pre_payment_credit_notes_amount=0,
    )  # fmt: skip


def next_number(state: State) -> int:
    """Take the next number of an invoice."""
    number = int(state.setting("invoices", 0)) + 1
    state.set("invoices", number)
    return number


def issue(state: State, sub: dict[str, Any], lines: list[dict[str, Any]], reason: str) -> dict[str, Any]:
    """Store and finalize an invoice of a subscription."""
    invoice = build(state, sub, lines, reason)
    number = next_number(state)
    prefix = state.get("customer", sub["customer"])["invoice_prefix"] or sub["customer"][-8:].upper()
    invoice |= {
        "number": f"{prefix}-{number:04}",
        "status": "open",
        "effective_at": state.now(),
        "hosted_invoice_url": f"{state.setting('base', '')}/invoice/{invoice['id']}",
    }
    invoice["status_transitions"]["finalized_at"] = state.now()
    invoice["lines"]["url"] = f"/v1/invoices/{invoice['id']}/lines"
    for row in invoice["lines"]["data"]:
        row["invoice"] = invoice["id"]
    state.put(invoice)
    state.emit("invoice.created", invoice | {"status": "draft", "number": None})
    state.emit("invoice.finalized", invoice)
    return invoice


def pay(
    state: State, invoice: dict[str, Any], method: dict[str, Any] | None, *, present: bool, proved: bool = False
) -> str:
    """Charge an open invoice and return ok, declined or 3ds.

    Emits events; the caller updates the subscription.
    """
    result = "ok" if invoice["amount_due"] == 0 else "declined"
    if invoice["amount_due"] and method is not None:
        result = cards.outcome(method, present=present)
        result = "ok" if result == "3ds" and proved else result
    invoice |= {"attempted": True, "attempt_count": invoice["attempt_count"] + 1}
    if result == "ok":
        _paid(state, invoice, method)
    else:
        state.put(invoice)
        state.emit("invoice.payment_action_required" if result == "3ds" else "invoice.payment_failed", invoice)
    return result


def _paid(state: State, invoice: dict[str, Any], method: dict[str, Any] | None) -> None:
    now, charge = state.now(), None
    invoice |= {
        "status": "paid",
        "amount_paid": invoice["amount_due"],
        "amount_remaining": 0,
        "next_payment_attempt": None,
    }
    invoice["status_transitions"]["paid_at"] = now
    if invoice["amount_due"] and method is not None:
        payment = blank(
            stripe.InvoicePayment,
            id=state.new_id("inpay"), object="invoice_payment", amount_paid=invoice["amount_due"],
            amount_requested=invoice["amount_due"], created=now, currency=invoice["currency"], invoice=invoice["id"],
            is_default=True, status="paid", payment={"type": "payment_intent", "payment_intent": state.new_id("pi")},
            status_transitions={"canceled_at": None, "paid_at": now},
        )  # fmt: skip
        invoice["payments"]["data"] = [payment]
        charge = charges.of_invoice(state, invoice, payment, method["id"])
    state.put(invoice)
    state.emit("invoice.paid", invoice)
    state.emit("invoice.payment_succeeded", invoice)
    if charge is not None:
        disputes.open_if_asked(state, charge)


CLOSED = {"void": "voided", "uncollectible": "marked_uncollectible"}  # status and event, also of the transition


def close(state: State, invoice: dict[str, Any], status: str) -> dict[str, Any]:
    """Void an open invoice, or mark it as uncollectible."""
    if invoice["status"] not in ("open", "uncollectible"):
        raise invalid(f"This invoice is {invoice['status']}.")
    invoice |= {"status": status, "next_payment_attempt": None}
    invoice["status_transitions"][f"{CLOSED[status]}_at"] = state.now()
    state.put(invoice)
    state.emit(f"invoice.{CLOSED[status]}", invoice)
    return invoice
