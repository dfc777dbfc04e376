"""Replace an API key. The old one works for some hours more, until programs are changed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pydantic import BaseModel, Field

from product import api_keys, audit
from product.accounts import proof, sessions
from product.context import Context
from product.roles import OWNER
from tableapi import Conflict, NotFound, script

MAX_HOURS = 168


@dataclass(frozen=True, slots=True)
class _Key:
    keyhash: bytes
    istest: int
    live: bool
    oldkeyuntil: datetime | None  # of an old key that still works


class Input(proof.Proof):
    keyid: int = Field(ge=1, lt=2**63)
    hours: int = Field(default=24, ge=0, le=MAX_HOURS)
    replace: bool = False


class Output(BaseModel):
    keyid: int
    apikey: str
    oldkeyuntil: datetime


_KEY = """
    select keyhash, istest, isactive = 1 and isdeleted = 0 and (expireson is null or expireson > now()) as live,
           case when oldkeyuntil > now() then oldkeyuntil end as oldkeyuntil
    from apikeys where keyid = $1 and clientid = $2 for update
"""
_ROTATE = f"""
    update apikeys set oldkeyhash = keyhash, oldkeyuntil = $2, apikey = $3, keyhash = $4,
        madeby = {sessions.maker("$5", "$6")}
    where clientid = $7 and keyid = $1
"""  # noqa: S608


@script(roles=OWNER, limit="20/hour per account")
async def run(ctx: Context, input: Input) -> Output:
    proved = await proof.is_proved(ctx, input)
    until = datetime.now(UTC) + timedelta(hours=input.hours)
    async with ctx.db.transaction():
        row = await ctx.db.first(_Key, _KEY, input.keyid, ctx.actor.clientid)
        if row is None:
            raise NotFound(f"There is no key with the id {input.keyid}.", case="no_such_key")
        if not row.live:
            raise Conflict("This key is no longer valid. Create a new one.", reason="key_off")
        if row.oldkeyuntil is not None and not input.replace:
            raise Conflict(
                "The key before the last rotation still works. Wait for its end, or end it now with replace=true.",
                context={"oldkeyuntil": row.oldkeyuntil},
                reason="old_key_works",
            )
        key = api_keys.generate(test=bool(row.istest))
        stored = key[:4] + "*" * 12 if ctx.settings.keys_shown_once else key
        hashed, by = ctx.vault.index("apikey", key), (ctx.actor.session, proved, ctx.actor.clientid)
        await ctx.db.execute(_ROTATE, input.keyid, until, ctx.vault.seal(stored), hashed, *by)
        await audit.write(ctx, "key_rotated", input.keyid, hours=input.hours)
    return Output(keyid=input.keyid, apikey=key, oldkeyuntil=until)
