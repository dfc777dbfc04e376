"""Verify an e-mail address with an API key: its form, domain and mail servers. Free.

The response says nothing about the people of the directory, except where the account has paid for the address.
"""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from product import api_keys, call_limits, callers, emails, idempotent
from product.callers import Caller
from product.context import Context
from product.people import directory, email_checks, search_terms
from product.sample import answers
from tableapi import script

_PAID = """
    select p.profilekey from person p
    where p.searchable @@ $1::text::tsquery
      and exists (select 1 from reveal r where r.clientid = $2 and r.personid = p.personid and r.kind = 'businessemail')
"""


class Input(BaseModel):
    model_config = ConfigDict(extra="forbid")

    email: str = Field(min_length=1, max_length=320)


class Output(BaseModel):
    email: str
    verification: str
    checkedon: datetime
    reasons: list[str]


@script(
    public=True,
    own_key=api_keys.own_key("enrich"),
    limit=f"{call_limits.VERIFYEMAIL}, 120/minute per ip",
    tag="Enrichment",
    errors=(402, 409),
)
@answers.served(answers.verifyemail, "enrich", call_limits.VERIFYEMAIL)
async def run(ctx: Context, input: Input) -> Output | Response:
    caller = await callers.by_key(ctx, "enrich", call_limits.VERIFYEMAIL)
    return await idempotent.once(ctx, caller.keyid or 0, input, lambda: _verify(ctx, caller, input))


async def _verify(ctx: Context, caller: Caller, input: Input) -> Output:
    address = callers.Addresses(ctx, caller, 1)
    known = await _known(ctx, caller, emails.normal(input.email))
    if known is not None:
        address.paid(1)
    check = await email_checks.check(ctx, input.email, known or "unknown")
    ctx.headers |= {"X-Credits-Price": "0", "X-Credits-Charged": "0"}
    return Output(
        email=input.email.strip(), verification=check.verification, checkedon=check.checkedon,
        reasons=list(check.reasons),
    )  # fmt: skip


async def _known(ctx: Context, caller: Caller, address: str) -> str | None:
    """Return the directory's verification of a work address that the account has paid for, else None."""
    key = await ctx.db.first_value(str, _PAID, search_terms.email_query(ctx.vault, address), caller.clientid)
    person = await directory.find(ctx, key) if key is not None else None
    words = {emails.normal(business): word for business, word in person.business} if person is not None else {}
    return words.get(address)
