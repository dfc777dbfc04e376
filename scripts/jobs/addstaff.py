"""Create a staff account, or renew its link: `tableapi run addstaff email=ann@example.com name=Ann`.

The link for setting a password is mailed, in German with language=de; with print=1, or if mail is not configured, it is
printed. It works once.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from product import mail
from product.accounts import email_domains
from product.context import Context
from product.desk import accounts
from product.language import DEFAULT, Language
from tableapi import script


class Input(BaseModel):
    email: str
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
    language: Language = DEFAULT  # for the mail
    printed: bool = Field(default=False, alias="print")


@script(internal=True)
async def run(ctx: Context, input: Input) -> str:
    email = email_domains.cleaned(input.email)
    by_mail = not input.printed and (ctx.settings.mail_url is not None or ctx.settings.demo)
    async with ctx.db.transaction():
        row, link = await accounts.add(ctx, email, input.name)
        if by_mail:
            await mail.queue(ctx, "staffinvite", row.email, link, language=input.language, name=row.name)
    return (
        f"The link to set a password is queued as a mail to {email}." if by_mail else f"Set the password here: {link}"
    )
