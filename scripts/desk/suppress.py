"""Put a person on the removal list, as a confirmed removal request does.

Stored copies are erased within a day.
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from product.accounts import email_domains
from product.context import Context
from product.desk import log
from product.desk.reason import Reason
from product.people import directory, profile_url
from product.roles import STAFF
from product.success import Output
from tableapi import script

_KEEP = "insert into suppression (hash, kind) values ($1, 'email') on conflict do nothing"


class Input(BaseModel):
    email: str = Field(max_length=254)
    linkedinurl: str = Field(default="", max_length=2000)
    reason: Reason


@script(roles=STAFF, limit="60/hour per user", repeatable=True)
async def run(ctx: Context, input: Input) -> Output:
    email = email_domains.cleaned(input.email)
    key = profile_url.typed_key(input.linkedinurl, ctx.settings.profile_host) if input.linkedinurl.strip() else ""
    async with ctx.db.transaction():
        await ctx.db.execute(_KEEP, ctx.vault.index("email", email))
        await directory.hide(ctx, email)
        await ctx.later("erasepeople", email=email, key=key)
        await log.write(ctx, "person_suppressed", None, reason=input.reason)
    return Output()
