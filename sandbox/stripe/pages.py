"""Hosted pages: Checkout, 3-D Secure, open invoice, sandbox overview. Plain forms without scripts."""

from __future__ import annotations

from html import escape
from string import Template
from typing import Any
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, Response

from sandbox import page
from sandbox.stripe import calendar, cards, checkout, intents, subscriptions
from sandbox.stripe.form import StripeRefused
from sandbox.stripe.look import CARD, DESK, STYLE
from sandbox.stripe.store import State


def respond(state: State, method: str, path: str, fields: dict[str, str]) -> Response:
    """Show a page, or process its form."""
    kind, _, ident = path.partition("/")
    obj = state.find(ident) if ident else None
    if not path:
        return _overview(state)
    if kind == "checkout" and obj and obj["object"] == "checkout.session":
        return _checkout(state, obj, fields if method == "POST" else None)
    if kind == "3ds" and obj and obj["object"] in ("payment_intent", "checkout.session", "invoice"):
        return _proof(state, obj, fields if method == "POST" else None)
    if kind == "invoice" and obj and obj["object"] == "invoice":
        return _invoice(state, obj, fields if method == "POST" else None)
    return _page("Not found", "<h1>There is no such page</h1><p>The link is wrong or has been used.</p>", status=404)


def _checkout(state: State, session: dict[str, Any], fields: dict[str, str] | None) -> Response:
    """Show or process the payment page of a new subscription."""
    back = escape(session["cancel_url"] or "/")
    if session["status"] != "open":
        text = "This subscription has been paid." if session["status"] == "complete" else "This page has expired."
        return _page("Checkout", f"<h1>{text}</h1><p><a class=back href='{back}'>&larr; Back</a></p>")
    problem = _unproved_once(state, session) if fields is None else ""
    if fields is not None:
        try:
            method = cards.make(state, cards.by_number(fields.get("cardnumber", "")), session["customer"])
            if checkout.complete(state, session, method):
                return _go(session["success_url"].replace("{CHECKOUT_SESSION_ID}", session["id"]))
            return _go(f"{state.setting('base', '')}/3ds/{session['id']}")
        except StripeRefused as error:
            problem = error.error["message"]
    price = state.get("price", session["_price"])
    amount = _money(price["unit_amount"], price["currency"])
    name = state.get("product", price["product"])["name"]
    left = (
        f"<a class=back href='{back}'>&larr; Back</a><p class=what>Subscribe to {escape(name)}</p>"
        f"<p class=sum>{amount} <small>per {escape(price['recurring']['interval'])}</small></p>"
        f"<dl><dt>{escape(name)}</dt><dd>{amount}</dd><dt class=due>Total due today</dt><dd class=due>{amount}</dd></dl>"
    )
    return _page(
        "Checkout", _card(f"Pay {amount} and subscribe", problem, session["customer_details"]["email"] or ""), left
    )


UNPROVED = "We are unable to authenticate your payment method. Please choose a different payment method and try again."


def _proof(state: State, obj: dict[str, Any], fields: dict[str, str] | None) -> Response:
    """Show or process the 3-D Secure page of the bank."""
    if fields is None:
        amount = obj.get("amount") or obj.get("amount_total") or obj.get("amount_due") or 0
        body = (
            "<h1>3D Secure 2 test page</h1><p>This is the page of the cardholder's bank. Confirm the payment of"
            f" <b>{_money(amount, obj['currency'])}</b>?</p><form method=post class=two>"
            "<button name=proof value=yes>Complete authentication</button>"
            "<button name=proof value=no class=plain>Fail authentication</button></form>"
        )
        return _page("Confirm your payment", body)
    yes = fields.get("proof") == "yes"
    if obj["object"] == "payment_intent":
        return _proved_intent(state, obj, yes)
    if obj["object"] == "invoice":
        method = state.find(obj.get("_method") or "")
        if yes and method is not None and obj["status"] == "open":
            subscriptions.pay_open(state, obj, method, proved=True)
            return _go(obj["hosted_invoice_url"])
        return _unproved(state, obj, obj["hosted_invoice_url"])
    method = state.find(obj.get("_method") or "")
    if yes and method is not None and obj["status"] == "open":
        checkout.complete(state, obj, method, proved=True)
        return _go(obj["success_url"].replace("{CHECKOUT_SESSION_ID}", obj["id"]))
    return _unproved(state, obj, obj["url"] or obj["cancel_url"] or "/")


def _unproved(state: State, obj: dict[str, Any], back: str) -> Response:
    """Return to the payment page, which states once that the bank did not confirm the payment."""
    state.put(obj | {"_unproved": True})
    return _go(back)


def _unproved_once(state: State, obj: dict[str, Any]) -> str:
    """Return the message after a failed authentication, shown once."""
    if not obj.get("_unproved"):
        return ""
    state.put({name: value for name, value in obj.items() if name != "_unproved"})
    return UNPROVED


def _proved_intent(state: State, intent: dict[str, Any], yes: bool) -> Response:
    action = intent["next_action"]
    if intent["status"] != "requires_action" or not action:
        return _page("Done", "<h1>This payment has been answered already</h1>")
    intent = intents.succeed(state, intent) if yes else intents.fail_proof(state, intent)
    back: str = action["redirect_to_url"]["return_url"]
    query = {"payment_intent": intent["id"], "redirect_status": "succeeded" if yes else "failed"}
    return _go(f"{back}{'&' if '?' in back else '?'}{urlencode(query)}")


def _invoice(state: State, invoice: dict[str, Any], fields: dict[str, str] | None) -> Response:
    """Show or process the payment page of an invoice."""
    problem = _unproved_once(state, invoice) if fields is None else ""
    if fields is not None and invoice["status"] == "open":
        try:
            method = cards.make(state, cards.by_number(fields.get("cardnumber", "")), invoice["customer"])
            if cards.outcome(method, present=True) == "3ds":
                state.put(invoice | {"_method": method["id"]})
                return _go(f"{state.setting('base', '')}/3ds/{invoice['id']}")
            if subscriptions.pay_open(state, invoice, method) != "ok":
                problem = cards.decline(method, keep=True).error["message"]
        except StripeRefused as error:
            problem = error.error["message"]
        invoice = state.get("invoice", invoice["id"])
    rows = "".join(
        f"<dt>{escape(row['description'])}</dt><dd>{_money(row['amount'], invoice['currency'])}</dd>"
        for row in invoice["lines"]["data"]
    )
    amount = _money(invoice["total"], invoice["currency"])
    left = f"<p class=what>Invoice {escape(invoice['number'])}</p><p class=sum>{amount}</p><dl>{rows}</dl>"
    if invoice["status"] != "open":
        return _page("Invoice", "<h1>Invoice paid</h1><p>Thank you. You can close this page.</p>", left)
    return _page("Invoice", _card(f"Pay {amount}", problem, invoice["customer_email"] or ""), left)


def _overview(state: State) -> Response:
    events = "".join(
        f"<tr><td>{calendar.day(event['created'])}</td><td>{escape(event['type'])}</td><td><code>{event['id']}</code></td></tr>"
        for event in state.all("event")[:30]
    )
    subs = "".join(
        f"<tr><td><code>{sub['id']}</code></td><td>{escape(sub['status'])}"
        f"{' (ends)' if sub['cancel_at_period_end'] else ''}</td>"
        f"<td>{_money(sub['items']['data'][0]['price']['unit_amount'], sub['currency'])}</td>"
        f"<td>{calendar.day(sub['items']['data'][0]['current_period_end'])}</td></tr>"
        for sub in state.all("subscription")[:30]
    )
    base = escape(state.setting("base", ""))
    return _page(
        "Sandbox", Template(DESK).substitute(base=base, now=calendar.day(state.now()), events=events, subs=subs)
    )


def _card(button: str, problem: str, email: str) -> str:
    alert = f"<p class=problem role=alert>{escape(problem)}</p>" if problem else ""
    return Template(CARD).substitute(button=escape(button), problem=alert, email=escape(email))


def _page(title: str, body: str, left: str = "", status: int = 200) -> HTMLResponse:
    side = f"<section class=left>{left}</section>" if left else ""
    main = f'<main class="{"two" if left else "one"}">{side}<section class=panel>{body}</section></main>'
    return page.page(title, main, style=STYLE, tag="TEST MODE", status=status)


def _go(url: str) -> Response:
    return Response(status_code=303, headers={"Location": url, "Cache-Control": "no-store"})


def _money(amount: int, currency: str) -> str:
    sign = "-" if amount < 0 else ""
    mark = "$" if currency == "usd" else f"{currency.upper()} "
    return f"{sign}{mark}{abs(amount) / 100:,.2f}"
