"""Disable a staff account: `tableapi run removestaff email=ann@example.com`.

Its sessions and links end at once.
"""

from __future__ import annotations

from pydantic import BaseModel

from product import emails
from product.context import Context
from product.desk import accounts
from tableapi import NotFound, script


class Input(BaseModel):
    email: str


@script(internal=True)
async def run(ctx: Context, input: Input) -> str:
    email = emails.normal(input.email)
    async with ctx.db.transaction():
        row = await accounts.by_email(ctx, email)
        if row is None:
            raise NotFound(f"There is no staff account {email}. `tableapi run liststaff` lists them.")
        await accounts.remove(ctx, row.staffid)
    return f"Switched off the staff account {email}."
