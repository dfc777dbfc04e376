"""Reserve a new API key for the caller's account for ten minutes.

It is created by POST /_table/apikeys.
"""

from __future__ import annotations

from pydantic import BaseModel

from product import api_keys
from product.context import Context
from product.roles import OWNER
from tableapi import script


class Input(BaseModel):
    test: bool = False


class Output(BaseModel):
    apikey: str


_RESERVE = "insert into reservedkey (keyhash, clientid) values ($1, $2)"


@script(roles=OWNER, limit="60/hour per account", errors=(402,))
async def run(ctx: Context, input: Input) -> Output:
    await api_keys.require_access(ctx, ctx.actor.clientid)
    key = api_keys.generate(test=input.test)
    await ctx.db.execute(_RESERVE, ctx.vault.index("apikey", key), ctx.actor.clientid)
    return Output(apikey=key)
