"""Render the invoice of a transaction as a PDF: parties, lines, proration, tax and payment state."""

from __future__ import annotations

import gettext
import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TypedDict

import pycountry

from product import pdf
from product.billing import invoices
from product.billing.invoices import StoredLine
from product.context import Context
from product.language import Language, formats
from product.language.texts import Translator, translator
from product.settings import Settings

_NOT_IN_FILE = re.compile(r"[^A-Za-z0-9_-]")
TEMPLATE = Path(__file__).with_name("invoice.typ")

_ROW = """
    select t.*, c.companyname, c.billingaddress, c.country, c.taxid, u.name as owner, u.email, u.language
    from transactionhistory t join client c using (clientid)
    left join appuser u on u.clientid = t.clientid and u.role = 'client' and u.isdeleted = 0
    where t.clientid = $1 and (t.transactionid = $2 or t.invoicenumber = $3)
"""
# The issuer of a demo without SELLER_ADDRESS and SELLER_TAXID, so that its invoices are complete.
_DEMO_ADDRESS, _DEMO_TAXID = "1 Sample Street\nSpringfield, IL 62701\nUnited States", "US 00-0000000"
# Texts that the template itself positions.
_LABELS = ("title", "page", "pages", "seller", "buyer", "description", "period", "quantity", "amount")


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transaction with its parties."""

    invoicenumber: str
    transactiondate: datetime
    expirydate: datetime | None
    planname: str
    price: Decimal
    currency: str
    status: str
    lines: list[StoredLine]
    tax: int
    refunded: Decimal
    companyname: str
    billingaddress: str
    country: str | None
    taxid: str
    owner: str | None
    language: str | None
    email: str | None


class DocumentLine(TypedDict):
    """A line of an invoice, with formatted amounts."""

    description: str
    period: str
    quantity: int
    amount: str


class Party(TypedDict):
    """The seller or the buyer."""

    name: str
    rows: list[str]


class Document(TypedDict):
    """The values of the template."""

    language: Language
    labels: dict[str, str]
    number: str
    facts: list[tuple[str, str]]
    paid: bool
    state: str
    seller: Party
    buyer: Party
    lines: list[DocumentLine]
    sums: list[tuple[str, str]]
    total: tuple[str, str]
    note: str


async def row(ctx: Context, clientid: int, *, transactionid: int = 0, number: str = "") -> Transaction | None:
    """Return a transaction of this account with its parties, by id or invoice number, else None."""
    return await ctx.db.first(Transaction, _ROW, clientid, transactionid, number)


async def render(ctx: Context, transaction: Transaction, language: Language) -> bytes:
    """Return the PDF of a row that `row` returned."""
    return await pdf.pdf(TEMPLATE, data(ctx.settings, transaction, language))


def file_name(number: str, language: Language) -> str:
    """Return the file name of an invoice, without characters that file names or headers do not allow."""
    return f"{translator(language, 'documents', 'invoice')('file')}-{_NOT_IN_FILE.sub('_', number)}.pdf"


def data(settings: Settings, transaction: Transaction, language: Language) -> Document:
    """Return the values of the template. Amounts are formatted as text, and the sums add up to the total."""
    t = translator(language, "documents", "invoice")
    address = settings.seller_address or (_DEMO_ADDRESS if settings.demo else "")
    taxid = settings.seller_taxid or (_DEMO_TAXID if settings.demo else "")
    status, number, lines = transaction.status, transaction.invoicenumber, _lines(transaction)

    def money(amount: int) -> str:
        return formats.money(amount, transaction.currency, language)

    return {
        "language": language, "labels": {name: t(name) for name in _LABELS}, "number": number,
        "facts": _facts(transaction, t, language), "paid": status == "paid", "state": _state(transaction, t, language),
        "seller": _party(t, settings.seller_name or settings.brand_name, address, taxid),
        "buyer": _party(t, transaction.companyname or transaction.owner or "", transaction.billingaddress,
                        transaction.taxid, _country(transaction.country, language), transaction.email or ""),
        "lines": [{"description": _described(line, language), "period": _period(line, language),
                   "quantity": line.get("quantity", 1), "amount": money(line["amount"])} for line in lines],
        "sums": [(_sum_name(t, name, amount, lines, language), money(amount))
                 for name, amount in _sums(transaction, lines)],
        "total": (t("total" if status in ("paid", "refunded") else "due"), money(_total(transaction))),
        "note": t("prorated") if any(line.get("proration") for line in lines) else "",
    }  # fmt: skip


def _total(transaction: Transaction) -> int:
    return int(transaction.price * 100)


def _lines(transaction: Transaction) -> list[StoredLine]:
    net = _total(transaction) - transaction.tax
    return transaction.lines or [{"description": transaction.planname, "quantity": 1, "amount": net}]


def _sums(transaction: Transaction, lines: list[StoredLine]) -> list[tuple[str, int]]:
    """Return the sums above the total, by text name."""
    net, tax, total = sum(line["amount"] for line in lines), transaction.tax, _total(transaction)
    sums = [("subtotal", net), ("tax", tax), ("rounding", total - net - tax)]
    sums.append(("returned", -int(transaction.refunded * 100)))
    return [(name, amount) for name, amount in sums if amount or name in ("subtotal", "tax")]


def _sum_name(t: Translator, name: str, amount: int, lines: list[StoredLine], language: Language) -> str:
    """Return the name of a sum; that of a tax has its rate."""
    net = sum(line["amount"] for line in lines)
    if name != "tax" or not amount or net <= 0:
        return t(name)
    return t("tax_rate", rate=formats.percent(amount / net, language))


def _facts(transaction: Transaction, t: Translator, language: Language) -> list[tuple[str, str]]:
    facts = [(t("number"), transaction.invoicenumber)]
    facts.append((t("date"), formats.day(transaction.transactiondate, language)))
    if transaction.expirydate:
        facts.append((t("until"), formats.day(transaction.expirydate, language)))
    return facts


def _state(transaction: Transaction, t: Translator, language: Language) -> str:
    if transaction.status == "paid":
        return t("paid_on", day=formats.day(transaction.transactiondate, language))
    return t(transaction.status)


def _party(t: Translator, name: str, address: str, taxid: str, country: str = "", email: str = "") -> Party:
    """Return the rows of one party. An address without line breaks is split at its commas."""
    rows = [part.strip(" ,") for part in address.split("\n" if "\n" in address.strip() else ",")]
    if country.casefold() not in (row.casefold() for row in rows):
        rows.append(country)
    return {"name": name, "rows": [row for row in (*rows, t("taxid", taxid=taxid) if taxid else "", email) if row]}


@cache
def _country_names(language: Language) -> gettext.NullTranslations:
    return gettext.translation("iso3166-1", pycountry.LOCALES_DIR, languages=[language], fallback=True)


def _country(code: str | None, language: Language) -> str:
    """Return the name of the country with this alpha-3 code, or the code if the name is unknown."""
    country = pycountry.countries.get(alpha_3=code) if code else None
    return code or "" if country is None else _country_names(language).gettext(country.name)


def _described(line: StoredLine, language: Language) -> str:
    """Return the text of a line without quantity, price and period, which have columns of their own."""
    name = line.get("planname")
    return name if name and not line.get("proration") else invoices.described(line, language)


def _period(line: StoredLine, language: Language) -> str:
    days = [formats.day(date.fromisoformat(line[name]), language) for name in ("start", "end") if line.get(name)]
    return " – ".join(days)
