"""Return the contacts of the account, newest first, with the user and time of each reveal."""

from __future__ import annotations

from pydantic import AwareDatetime, BaseModel, Field

from product import api_keys, call_limits, callers
from product.contacts import own
from product.contacts.own import Own
from product.context import Context
from product.sample import answers
from tableapi import script


class Input(api_keys.Query):
    limit: int = Field(default=100, ge=1, le=500)
    cursor: str = Field(default="", max_length=200)
    since: AwareDatetime | None = None


class Meta(BaseModel):
    next: str | None


class Output(BaseModel):
    meta: Meta
    resource: list[Own]


@script(method="GET", public=True, own_key=api_keys.own_key("contacts"), limit=call_limits.ACCOUNT, errors=(402,))
@answers.served(answers.contacts, "contacts", call_limits.ACCOUNT)
async def run(ctx: Context, input: Input) -> Output:
    caller = await callers.by_key(ctx, "contacts", call_limits.ACCOUNT)
    contacts, more = await own.page(ctx, caller.clientid, input.limit, input.cursor, input.since)
    return Output(meta=Meta(next=more), resource=contacts)
