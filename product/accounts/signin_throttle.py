"""Limit password guessing.

Each attempt is counted before the password is checked and refunded on success.

Two limits apply to an email address: five wrong passwords from one network block that network for 15 minutes, and all
networks in which the user has had no session share 20 attempts an hour. This limits guessing from many networks without
locking users out of the networks they sign in from.

Counts are stored in the database and apply to all workers and nodes. Within a worker, attempts for one address from one
network run one at a time, so that simultaneous correct sign-ins are not counted as failures.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakValueDictionary

from product.context import Context
from tableapi import TooMany, network

FAILURES, MINUTES = 5, 15
ACCOUNT_FAILURES, ACCOUNT_MINUTES = 20, 60

# The first attempt after a window ends opens a new one. The attempt that reaches the limit restarts the window, so a
# block always lasts its full time; further attempts do not extend it.
_COUNT = """
    insert into signinfailure as f (keyhash) values ($1)
    on conflict (keyhash) do update set
        failures = case when f.since > now() - make_interval(mins => $3) then least(f.failures, $2) + 1 else 1 end,
        since = case when f.since > now() - make_interval(mins => $3) and f.failures + 1 <> $2 then f.since
                     else now() end
    returning failures, extract(epoch from since + make_interval(mins => $3) - now())::int as wait
"""
_OLDER = """
    select max(extract(epoch from since + make_interval(mins => $3) - now())::int)
    from signinfailure where keyhash = any($1) and failures >= $2 and since > now() - make_interval(mins => $3)
"""
_FORGET = "delete from signinfailure where keyhash = any($1)"
_FORGIVE = "update signinfailure set failures = failures - 1 where keyhash = $1 and failures > 0"
_PLACES = """
    select distinct ip from usersession
    where appuserid = $1 and ip is not null and createdon > now() - interval '90 days'
    union
    select ip from staffsession
    where staffid = $2 and viewing is null and ip is not null and createdon > now() - interval '90 days'
    limit 500
"""
_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


@dataclass(frozen=True, slots=True)
class _Counted:
    failures: int
    wait: int


@dataclass(frozen=True, slots=True)
class _Place:
    ip: str | None


@dataclass(slots=True)
class Attempt:
    """One counted sign-in attempt."""

    ctx: Context
    address: str
    shared: bool = False  # whether the attempt also counts against the limit shared by unknown networks

    async def by_account(self, appuserid: int | None, staffid: int | None = None) -> None:
        """Count the attempt against the shared limit, unless the user has had a session in this network.

        Raises:
            TooMany: the shared limit is used up (429).
        """
        if self.ctx.settings.rate_limits is False or await self._is_known_network(appuserid, staffid):
            return
        await _spend(self.ctx, self.address, ACCOUNT_FAILURES, ACCOUNT_MINUTES)
        self.shared = True

    async def _is_known_network(self, appuserid: int | None, staffid: int | None) -> bool:
        current = self.ctx.request.network
        # The statement also runs for unknown users, so that the response time does not disclose them.
        places = await self.ctx.db.all(_Place, _PLACES, appuserid or 0, staffid or 0)
        return any(network(row.ip) == current for row in places)

    async def forgive(self) -> None:
        """Clear the failures of this network and refund this attempt to the shared limit."""
        if self.ctx.settings.rate_limits is False:
            return
        await self.ctx.db.execute(_FORGET, self.ctx.vault.indexes("signin", _network_key(self.ctx, self.address)))
        if self.shared:
            await self.ctx.db.execute(_FORGIVE, self.ctx.vault.index("signin", self.address))


@asynccontextmanager
async def attempt(ctx: Context, address: str) -> AsyncIterator[Attempt]:
    """Count one attempt before its password is checked.

    Raises:
        TooMany: the address is blocked for this network (429).
    """
    key = _network_key(ctx, address)
    lock = _locks.setdefault(key, asyncio.Lock())
    async with lock:
        if ctx.settings.rate_limits is not False:
            await _spend(ctx, key, FAILURES, MINUTES)
        yield Attempt(ctx, address)


async def _spend(ctx: Context, key: str, limit: int, minutes: int) -> None:
    """Count one attempt. A count stored under an older secret key still blocks."""
    newest, *older = ctx.vault.indexes("signin", key)
    wait = await ctx.db.first_value(int, _OLDER, older, limit, minutes) if older else None
    if wait is None:
        row = await ctx.db.first(_Counted, _COUNT, newest, limit, minutes)
        if row is None or row.failures <= limit:
            return
        wait = row.wait
    raise TooMany(
        "Too many failed attempts. Try again later.",
        headers={"Retry-After": str(max(1, wait))},
        case="too_many_attempts",
    )


def _network_key(ctx: Context, address: str) -> str:
    return f"{address}\0{ctx.request.network}"
