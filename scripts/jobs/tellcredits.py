"""Every five minutes, mail owners once when a balance falls to a fifth of the plan's credits, or to 0."""

from __future__ import annotations

from product import language as languages
from product import mail
from product.context import Context
from tableapi import script

_OPEN = """
    update creditnotice n set mailedon = now() from appuser u, usercredit c
    where n.mailedon is null and u.clientid = n.clientid and u.role = 'client' and u.isdeleted = 0
      and c.clientid = n.clientid
    returning u.email, u.name, u.language, n.kind, n.threshold, to_jsonb(c) as credits
"""


@script(every="5m")
async def run(ctx: Context) -> None:
    link = mail.link(ctx, "/dashboard/upgradeplan")
    async with ctx.db.transaction():
        for row in await ctx.db.fetch(_OPEN):
            left = row["credits"][row["kind"]] if row["threshold"] else 0
            if row["threshold"] and not left:  # used up meanwhile: a separate notice reports it
                continue
            language = languages.of(ctx, row["language"])
            values = {"name": row["name"], "kind": mail.kind(language, row["kind"]), "left": left}
            await mail.queue(ctx, "lowcredit", row["email"], link, language=language, **values)
