"""Wrong passwords: after five for one address from one place, none is looked at for a quarter of an hour.

Kept in the database, because it must hold for every worker and node; only failures write.
"""

from __future__ import annotations

from tableapi.context import Context
from tableapi.errors import TooMany

FAILURES, MINUTES = 5, 15

_COUNT = """
    select extract(epoch from since + make_interval(mins => $3) - now())::int
    from signinfailure where keyhash = any($1) and failures >= $2 and since > now() - make_interval(mins => $3)
"""
_FAILED = """
    insert into signinfailure as f (keyhash) values ($1)
    on conflict (keyhash) do update set
        failures = case when f.since > now() - make_interval(mins => $2) then f.failures + 1 else 1 end,
        since = case when f.since > now() - make_interval(mins => $2) and f.failures + 1 <> $3 then f.since
                     else now() end
"""


async def check(ctx: Context, address: str) -> None:
    """429 while the address is blocked from this place."""
    if ctx.settings.rate_limits is False:
        return
    wait = await ctx.db.fetchval(_COUNT, ctx.vault.indexes("signin", _key(ctx, address)), FAILURES, MINUTES)
    if wait is not None:
        raise TooMany("Too many failed attempts. Try again later.", headers={"Retry-After": str(max(1, wait))})


async def failed(ctx: Context, address: str) -> None:
    """Count one wrong password. The block counts from the failure that completes it."""
    await ctx.db.execute(_FAILED, ctx.vault.index("signin", _key(ctx, address)), MINUTES, FAILURES)


async def clear(ctx: Context, address: str) -> None:
    """The right password forgives the wrong ones."""
    await ctx.db.execute(
        "delete from signinfailure where keyhash = any($1)", ctx.vault.indexes("signin", _key(ctx, address))
    )


def _key(ctx: Context, address: str) -> str:
    return f"{address}\0{ctx.request.ip}"
