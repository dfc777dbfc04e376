"""The invoice of one transaction as a PDF: both sides, lines, proration, tax, and whether it is paid."""

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
    """A transaction of this client with both parties; None when it is not this client's."""
    return await ctx.db.fetchrow(_ROW, clientid, transactionid, number)


async def make(ctx: Context, found: Any) -> bytes:
    """The PDF of such a row."""
    return await pdf.pdf(TEMPLATE, data(ctx.settings, found))


def money(amount: int, currency: str) -> str:
    """-1234 -> -$12.34"""
    mark = "$" if currency == "usd" else f"{currency.upper()} "
    return f"{'-' if amount < 0 else ''}{mark}{abs(amount) / 100:,.2f}"


def data(settings: Any, found: Any) -> dict[str, Any]:
    """What the template shows. Amounts are made into text here, and sum up."""
    currency, total, tax = found["currency"], int(found["price"] * 100), found["tax"]
    lines = found["lines"] or [{"description": found["planname"], "quantity": 1, "amount": total - tax}]
    net = sum(line["amount"] for line in lines)
    sums = [("Subtotal", net)] + ([("Tax", tax)] if tax else [])
    if net + tax != total:
        sums.append(("Credit and rounding", total - net - tax))
    if found["refunded"]:
        sums.append(("Returned", -int(found["refunded"] * 100)))
    day = f"{found['transactiondate']:%-d %b %Y}"
    state = _STATE[found["status"]] + (f" on {day}" if found["status"] == "paid" else "")
    facts = [("Invoice", found["invoicenumber"]), ("Date", day)]
    if found["expirydate"]:
        facts.append(("Valid until", f"{found['expirydate']:%-d %b %Y}"))
    prorated = any(line.get("proration") for line in lines)
    return {
        "number": found["invoicenumber"], "facts": facts, "paid": found["status"] == "paid", "state": state,
        "seller": _party(settings.seller_name or settings.brand_name, settings.seller_address, settings.seller_taxid),
        "buyer": _party(found["companyname"] or found["owner"] or "", found["billingaddress"], found["taxid"],
                        found["email"] or ""),
        "lines": [{"description": line["description"], "period": _period(line), "quantity": line.get("quantity", 1),
                   "amount": money(line["amount"], currency)} for line in lines],
        "sums": [(name, money(amount, currency)) for name, amount in sums],
        "total": ("Total" if found["status"] in ("paid", "refunded") else "Total due", money(total, currency)),
        "note": "Unused time of the earlier plan is credited, the rest of the new one is charged." if prorated else "",
    }  # fmt: skip


def _party(name: str, address: str, taxid: str, *more: str) -> dict[str, Any]:
    rows = [part.strip() for part in address.replace("\n", ",").split(",")]
    return {"name": name, "rows": [row for row in (*rows, f"Tax ID {taxid}" if taxid else "", *more) if row]}


def _period(line: dict[str, Any]) -> str:
    days = [f"{date.fromisoformat(line[name]):%-d %b %Y}" for name in ("start", "end") if line.get(name)]
    return " – ".join(days)
