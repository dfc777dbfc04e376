"""Mail the owner the receipt of a payment, with its invoice as a PDF."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel

from scripts._shared.billing import invoice_pdf, notices
from scripts._shared.context import Context
from scripts._shared.mail import link, render
from tableapi.endpoints.registry import script


class Input(BaseModel):
    clientid: int
    transactionid: int


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    found = await invoice_pdf.row(ctx, input.clientid, transactionid=input.transactionid)
    if found is None or not found["email"]:
        return
    total = invoice_pdf.money(int(found["price"] * 100), found["currency"])
    values = {"name": found["owner"], "planname": found["planname"], "invoicenumber": found["invoicenumber"]}
    values |= {"total": total, "link": link(ctx, notices.BILLING)}
    mail = render(ctx.settings, "receipt", found["email"], values)
    document = await invoice_pdf.render(ctx, found)
    await ctx.vendors.mailer.send(replace(mail, attachment=(f"{found['invoicenumber']}.pdf", document)))
