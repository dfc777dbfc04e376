"""Render the invoice of a transaction as a PDF: parties, lines, proration, tax and payment state."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from scripts._shared import pdf
from scripts._shared.context import Context

TEMPLATE = Path(__file__).with_name("invoice.typ")

_ROW = """
    select t.*, c.companyname, c.billingaddress, c.taxid, c.country, u.name as owner, u.email
    from transactionhistory t join client c using (clientid)
    left join appuser u on u.clientid = t.clientid and u.role = 'client' and u.isdeleted = 0
    where t.clientid = $1 and (t.transactionid = $2 or t.invoicenumber = $3)
"""
_STATE = {"paid": "Paid", "open": "Not paid yet", "refunded": "Refunded", "failed": "Cancelled"}


async def row(ctx: Context, clientid: int, *, transactionid: int = 0, number: str = "") -> Any:
    """Return a transaction of this account with its parties, by id or invoice number, else None."""
    return await ctx.db.fetchrow(_ROW, clientid, transactionid, number)


async def render(ctx: Context, transaction: Any) -> bytes:
    """Return the PDF of a row that `row` returned."""
    return await pdf.pdf(TEMPLATE, data(ctx.settings, transaction))


def money(amount: int, currency: str) -> str:
    """Format an amount in the smallest unit: -1234 becomes -$12.34."""
    mark = "$" if currency == "usd" else f"{currency.upper()} "
    return f"{'-' if amount < 0 else ''}{mark}{abs(amount) / 100:,.2f}"


def data(settings: Any, transaction: Any) -> dict[str, Any]:
    """Return the values of the template. Amounts are formatted as text, and the sums add up to the total."""
    currency, total, tax = transaction["currency"], int(transaction["price"] * 100), transaction["tax"]
    lines = transaction["lines"] or [{"description": transaction["planname"], "quantity": 1, "amount": total - tax}]
    net = sum(line["amount"] for line in lines)
    sums = [("Subtotal", net)] + ([("Tax", tax)] if tax else [])
    if net + tax != total:
        sums.append(("Credit and rounding", total - net - tax))
    if transaction["refunded"]:
        sums.append(("Returned", -int(transaction["refunded"] * 100)))
    day = f"{transaction['transactiondate']:%-d %b %Y}"
    state = _STATE[transaction["status"]] + (f" on {day}" if transaction["status"] == "paid" else "")
    facts = [("Invoice", transaction["invoicenumber"]), ("Date", day)]
    if transaction["expirydate"]:
        facts.append(("Valid until", f"{transaction['expirydate']:%-d %b %Y}"))
    prorated = any(line.get("proration") for line in lines)
    return {
        "number": transaction["invoicenumber"], "facts": facts, "paid": transaction["status"] == "paid", "state": state,
        "seller": _party(settings.seller_name or settings.brand_name, settings.seller_address, settings.seller_taxid),
        "buyer": _party(transaction["companyname"] or transaction["owner"] or "", transaction["billingaddress"],
                        transaction["taxid"], transaction["email"] or ""),
        "lines": [{"description": line["description"], "period": _period(line), "quantity": line.get("quantity", 1),
                   "amount": money(line["amount"], currency)} for line in lines],
        "sums": [(name, money(amount, currency)) for name, amount in sums],
        "total": ("Total" if transaction["status"] in ("paid", "refunded") else "Total due", money(total, currency)),
        "note": "Unused time of the earlier plan is credited, the rest of the new one is charged." if prorated else "",
    }  # fmt: skip


def _party(name: str, address: str, taxid: str, *more: str) -> dict[str, Any]:
    rows = [part.strip() for part in address.replace("\n", ",").split(",")]
    return {"name": name, "rows": [row for row in (*rows, f"Tax ID {taxid}" if taxid else "", *more) if row]}


def _period(line: dict[str, Any]) -> str:
    days = [f"{date.fromisoformat(line[name]):%-d %b %Y}" for name in ("start", "end") if line.get(name)]
    return " – ".join(days)
