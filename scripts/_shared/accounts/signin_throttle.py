"""Wrong passwords: each attempt is counted before its password is looked at, and forgiven when it was right.

An address is blocked for a quarter of an hour in a network after five wrong passwords from there. Beside that, networks
in which its user has never had a session share 20 attempts an hour, so that trying one account from many addresses does
not help, and cannot lock its user out of the networks that it uses.

The counts are in the database, because they hold for every worker and node. Attempts for one address from one network
wait for each other within a worker, so that several right ones at once do not count as wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakValueDictionary

from scripts._shared.context import Context
from tableapi.errors import TooMany
from tableapi.ratelimit.counter import network

FAILURES, MINUTES = 5, 15
ACCOUNT_FAILURES, ACCOUNT_MINUTES = 20, 60

# A new window begins with the first attempt after the old one. The attempt that fills it sets its time anew, so that
# a block counts from there; further ones change nothing.
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
    where appuserid = $1 and ip is not null and createdon > now() - interval '90 days' limit 500
"""
_waiting: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


@dataclass(slots=True)
class Attempt:
    """One attempt to sign in, counted until it is forgiven."""

    ctx: Context
    address: str
    shared: bool = False  # whether it is counted among those from networks that are new to the account

    async def by_account(self, appuserid: int | None) -> None:
        """Count it for the address over all networks, unless its user is known in this one. Raises TooMany."""
        if self.ctx.settings.rate_limits is False or await self._known(appuserid):
            return
        await _spend(self.ctx, self.address, ACCOUNT_FAILURES, ACCOUNT_MINUTES)
        self.shared = True

    async def _known(self, appuserid: int | None) -> bool:
        here = self.ctx.request.network
        # An unknown user takes the same statement, and so the same time.
        return any(network(row["ip"]) == here for row in await self.ctx.db.fetch(_PLACES, appuserid or 0))

    async def forgive(self) -> None:
        """The password was right: forget the failures from here, and this attempt among the others."""
        if self.ctx.settings.rate_limits is False:
            return
        await self.ctx.db.execute(_FORGET, self.ctx.vault.indexes("signin", _here(self.ctx, self.address)))
        if self.shared:
            await self.ctx.db.execute(_FORGIVE, self.ctx.vault.index("signin", self.address))


@asynccontextmanager
async def attempt(ctx: Context, address: str) -> AsyncIterator[Attempt]:
    """Count one attempt before its password is looked at. Raises TooMany while the address is blocked from here."""
    key = _here(ctx, address)
    lock = _waiting.setdefault(key, asyncio.Lock())
    async with lock:
        if ctx.settings.rate_limits is not False:
            await _spend(ctx, key, FAILURES, MINUTES)
        yield Attempt(ctx, address)


async def _spend(ctx: Context, key: str, most: int, minutes: int) -> None:
    """Count one attempt. A count that an older secret key made still blocks."""
    newest, *older = ctx.vault.indexes("signin", key)
    wait = await ctx.db.fetchval(_OLDER, older, most, minutes) if older else None
    if wait is None:
        row = await ctx.db.fetchrow(_COUNT, newest, most, minutes)
        if row is None or row["failures"] <= most:
            return
        wait = row["wait"]
    raise TooMany("Too many failed attempts. Try again later.", headers={"Retry-After": str(max(1, wait))})


def _here(ctx: Context, address: str) -> str:
    return f"{address}\0{ctx.request.network}"
