"""Mail the receipt of a payment to the owner, with the invoice as a PDF."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel

from product.billing import invoice_pdf, notices
from product.context import Context
from product.language import formats, of
from product.mail import link, render
from tableapi import script


class Input(BaseModel):
    clientid: int
    transactionid: int


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    transaction = await invoice_pdf.row(ctx, input.clientid, transactionid=input.transactionid)
    if transaction is None or not transaction.email:
        return
    language = of(ctx, transaction.language)
    total = formats.money(int(transaction.price * 100), transaction.currency, language)
    values: dict[str, object] = {
        "name": transaction.owner,
        "planname": transaction.planname,
        "invoicenumber": transaction.invoicenumber,
    }
    values |= {"total": total, "link": link(ctx, notices.BILLING)}
    mail = render(ctx.settings, "receipt", transaction.email, values, language)
    document = await invoice_pdf.render(ctx, transaction, language)
    await ctx.vendors.mailer.send(replace(mail, attachment=(f"{transaction.invoicenumber}.pdf", document)))
