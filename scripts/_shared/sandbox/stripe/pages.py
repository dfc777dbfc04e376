"""The hosted pages: Checkout, 3-D Secure, an open invoice, and the desk of the sandbox. Plain forms, no script."""

from __future__ import annotations

from html import escape
from string import Template
from typing import Any
from urllib.parse import urlencode

from starlette.responses import HTMLResponse, Response

from scripts._shared.sandbox.stripe import calendar, cards, checkout, intents, subscriptions
from scripts._shared.sandbox.stripe.form import StripeRefused
from scripts._shared.sandbox.stripe.look import CARD, DESK, HEADERS, PAGE
from scripts._shared.sandbox.stripe.store import State


def answer(state: State, method: str, path: str, fields: dict[str, str]) -> Response:
    """A page, or what its form does."""
    kind, _, ident = path.partition("/")
    found = state.find(ident) if ident else None
    if not path:
        return _desk(state)
    if kind == "checkout" and found and found["object"] == "checkout.session":
        return _checkout(state, found, fields if method == "POST" else None)
    if kind == "3ds" and found and found["object"] in ("payment_intent", "checkout.session", "invoice"):
        return _proof(state, found, fields if method == "POST" else None)
    if kind == "invoice" and found and found["object"] == "invoice":
        return _invoice(state, found, fields if method == "POST" else None)
    return _page("Not found", "<h1>There is no such page</h1><p>The link is wrong or has been used.</p>", status=404)


def _checkout(state: State, one: dict[str, Any], fields: dict[str, str] | None) -> Response:
    """The hosted page of a new subscription."""
    back = escape(one["cancel_url"] or "/")
    if one["status"] != "open":
        text = "This subscription has been paid." if one["status"] == "complete" else "This page has expired."
        return _page("Checkout", f"<h1>{text}</h1><p><a class=back href='{back}'>&larr; Back</a></p>")
    problem = ""
    if fields is not None:
        try:
            method = cards.make(state, cards.by_number(fields.get("cardnumber", "")), one["customer"])
            if checkout.complete(state, one, method):
                return _go(one["success_url"].replace("{CHECKOUT_SESSION_ID}", one["id"]))
            return _go(f"{state.setting('base', '')}/3ds/{one['id']}")
        except StripeRefused as error:
            problem = error.error["message"]
    price = state.get("price", one["_price"])
    amount = _money(price["unit_amount"], price["currency"])
    name = state.get("product", price["product"])["name"]
    left = (
        f"<a class=back href='{back}' aria-label='Back'>&larr;</a><p class=what>Subscribe to {escape(name)}</p>"
        f"<p class=sum>{amount} <small>per {escape(price['recurring']['interval'])}</small></p>"
        f"<dl><dt>{escape(name)}</dt><dd>{amount}</dd><dt class=due>Total due today</dt><dd class=due>{amount}</dd></dl>"
    )
    return _page(
        "Checkout", _card(f"Pay {amount} and subscribe", problem, one["customer_details"]["email"] or ""), left
    )


def _proof(state: State, one: dict[str, Any], fields: dict[str, str] | None) -> Response:
    """The page of the bank: yes or no."""
    if fields is None:
        amount = one.get("amount") or one.get("amount_total") or one.get("amount_due") or 0
        body = (
            "<h1>3D Secure 2 test page</h1><p>This is the page of the cardholder's bank. Confirm the payment of"
            f" <b>{_money(amount, one['currency'])}</b>?</p><form method=post class=two>"
            "<button name=proof value=yes>Complete authentication</button>"
            "<button name=proof value=no class=plain>Fail authentication</button></form>"
        )
        return _page("Confirm your payment", body)
    yes = fields.get("proof") == "yes"
    if one["object"] == "payment_intent":
        return _proved_intent(state, one, yes)
    if one["object"] == "invoice":
        method = state.find(one.get("_method") or "")
        if yes and method is not None and one["status"] == "open":
            subscriptions.pay_open(state, one, method, proved=True)
        return _go(one["hosted_invoice_url"])
    method = state.find(one.get("_method") or "")
    if yes and method is not None and one["status"] == "open":
        checkout.complete(state, one, method, proved=True)
        return _go(one["success_url"].replace("{CHECKOUT_SESSION_ID}", one["id"]))
    return _go(one["url"] or one["cancel_url"] or "/")


def _proved_intent(state: State, one: dict[str, Any], yes: bool) -> Response:
    action = one["next_action"]
    if one["status"] != "requires_action" or not action:
        return _page("Done", "<h1>This payment has been answered already</h1>")
    one = intents.succeed(state, one) if yes else intents.fail_proof(state, one)
    back: str = action["redirect_to_url"]["return_url"]
    query = {"payment_intent": one["id"], "redirect_status": "succeeded" if yes else "failed"}
    return _go(f"{back}{'&' if '?' in back else '?'}{urlencode(query)}")


def _invoice(state: State, one: dict[str, Any], fields: dict[str, str] | None) -> Response:
    """The hosted page of an invoice: pay it with another card."""
    problem = ""
    if fields is not None and one["status"] == "open":
        try:
            method = cards.make(state, cards.by_number(fields.get("cardnumber", "")), one["customer"])
            if cards.outcome(method, present=True) == "3ds":
                state.put(one | {"_method": method["id"]})
                return _go(f"{state.setting('base', '')}/3ds/{one['id']}")
            if subscriptions.pay_open(state, one, method) != "ok":
                problem = cards.decline(method, keep=True).error["message"]
        except StripeRefused as error:
            problem = error.error["message"]
        one = state.get("invoice", one["id"])
    rows = "".join(
        f"<dt>{escape(row['description'])}</dt><dd>{_money(row['amount'], one['currency'])}</dd>"
        for row in one["lines"]["data"]
    )
    amount = _money(one["total"], one["currency"])
    left = f"<p class=what>Invoice {escape(one['number'])}</p><p class=sum>{amount}</p><dl>{rows}</dl>"
    if one["status"] != "open":
        return _page("Invoice", "<h1>Invoice paid</h1><p>Thank you. You can close this page.</p>", left)
    return _page("Invoice", _card(f"Pay {amount}", problem, one["customer_email"] or ""), left)


def _desk(state: State) -> Response:
    """What the sandbox holds, and its clock."""
    events = "".join(
        f"<tr><td>{calendar.day(one['created'])}</td><td>{escape(one['type'])}</td><td><code>{one['id']}</code></td></tr>"
        for one in state.all("event")[:30]
    )
    subs = "".join(
        f"<tr><td><code>{one['id']}</code></td><td>{escape(one['status'])}"
        f"{' (ends)' if one['cancel_at_period_end'] else ''}</td>"
        f"<td>{_money(one['items']['data'][0]['price']['unit_amount'], one['currency'])}</td>"
        f"<td>{calendar.day(one['items']['data'][0]['current_period_end'])}</td></tr>"
        for one in state.all("subscription")[:30]
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
    html = Template(PAGE).substitute(title=escape(title), body=body, left=side, kind="two" if left else "one")
    return HTMLResponse(html, status, headers=HEADERS)


def _go(url: str) -> Response:
    return Response(status_code=303, headers={"Location": url, "Cache-Control": "no-store"})


def _money(amount: int, currency: str) -> str:
    sign = "-" if amount < 0 else ""
    mark = "$" if currency == "usd" else f"{currency.upper()} "
    return f"{sign}{mark}{abs(amount) / 100:,.2f}"
