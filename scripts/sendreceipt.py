"""Mail the owner the receipt of a payment, with its invoice as a PDF."""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel

from scripts._shared import dunning, invoicepdf, mails
from tableapi.context import Context
from tableapi.scripts import script


class Input(BaseModel):
    clientid: int
    transactionid: int


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    found = await invoicepdf.row(ctx, input.clientid, transactionid=input.transactionid)
    if found is None or not found["email"]:
        return
    total = invoicepdf.money(int(found["price"] * 100), found["currency"])
    values = {"name": found["owner"], "planname": found["planname"], "invoicenumber": found["invoicenumber"]}
    values |= {"total": total, "link": mails.link(ctx, dunning.BILLING)}
    mail = mails.render(ctx.settings, "receipt", found["email"], values)
    document = await invoicepdf.make(ctx, found)
    await ctx.world.post.send(replace(mail, attachment=(f"{found['invoicenumber']}.pdf", document)))
