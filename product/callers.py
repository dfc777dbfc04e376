"""Authenticate calls that accept either a session or an API key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from product import api_keys, audit, call_limits
from product.accounts import sessions
from product.context import Context
from product.roles import SESSION, VIEW
from tableapi import Forbidden, TooMany, parse_limits

(_DAILY,) = parse_limits(call_limits.ADDRESSES)


@dataclass(frozen=True, slots=True)
class Caller:
    """An account, and the user or API key that acts for it."""

    clientid: int
    appuserid: int | None = None
    keyid: int | None = None
    tool: str = ""  # tool of an agent, with the agent's name
    looks: bool = False  # whether staff look at the app as the user, without the user's notes
    test: bool = False  # whether it is a test key; its calls are counted apart

    @property
    def name(self) -> str:
        """The key under which rate limits count: an account for all of its API keys, which can be replaced."""
        if self.keyid is None:
            return f"appuserid={self.appuserid}"
        return f"{'test ' if self.test else ''}clientid={self.clientid}"


async def session_or_key(ctx: Context, scope: str, limits: str, *, spends: bool = False) -> Caller:
    """Return the caller of a public script: a session with an app key, or an API key with a scope.

    Raises:
        Unauthorized: there is neither (401).
        MissingScope: the key does not have the scope (403).
        Forbidden: the call spends credits, and the session is staff looking at the app as a member (403).
        TooMany: one of the limits, counted for each user, or for the account of the key, is exceeded (429).
    """
    role = ctx.actor.role
    if role in (*SESSION, *VIEW):  # a tool's request already has an actor
        caller = Caller(ctx.actor.clientid, ctx.actor.appuserid, looks=role in VIEW)
    else:
        key = ctx.request.headers.get("x-api-key") or ctx.request.headers.get("x-dreamfactory-api-key") or ""
        if key not in ctx.settings.app_keys:
            return await by_key(ctx, scope, limits)
        api_keys.reject_app_key(ctx)
        user = await sessions.live_user(ctx, ctx.request.session_token)
        sessions.reject_confined(user)
        if (role := user.role) not in (*SESSION, *VIEW) or user.clientid is None:
            raise sessions.ended()
        caller = Caller(user.clientid, user.appuserid, looks=role in VIEW)
        await record_look(ctx, user)
    if spends and caller.looks:
        raise Forbidden(
            "You are viewing this account as support, so you cannot reveal contacts.",
            reason="view_only",
            case="view_reveals_nothing",
        )
    count(ctx, caller, limits)
    return caller


async def record_look(ctx: Context, user: sessions.Session) -> None:
    """Record a call by staff in a look, for scripts that authenticate the caller themselves."""
    if user.role in VIEW:
        path = ctx.request.path.removeprefix("/api/v2/")
        await audit.write(ctx, "support_viewed", path, clientid=user.clientid, staffid=user.staffid)


async def by_key(ctx: Context, scope: str, limits: str, *, test: bool = False) -> Caller:
    """Return the caller of a script that accepts only API keys, and with `test` a test key.

    Raises the errors of `session_or_key`.
    """
    row = await api_keys.live(ctx, api_keys.sent(ctx), scope, test=test)
    caller = Caller(row.clientid, keyid=row.keyid, test=bool(row.istest))
    count(ctx, caller, limits)
    await api_keys.used(ctx, row.clientid, row.keyid)
    return caller


def count(ctx: Context, caller: Caller, limits: str) -> None:
    """Count the call against its limits. Raises TooMany (429)."""
    path = ctx.request.path.rstrip("/").rpartition("/")[2]
    for limit in parse_limits(limits):
        ctx.limit(f"{path} {limit.seconds}", caller.name, limit.amount, limit.seconds)


class Addresses:
    """E-mail addresses that a call names or guesses, counted per account and day before a look-up.

    Addresses that turn out to be paid for are given back, so that only guesses count.
    """

    def __init__(self, ctx: Context, caller: Caller, amount: int) -> None:
        """Count `amount` addresses. Raises TooMany (429), with none of them counted."""
        self._uncount: list[Callable[[], None]] = []
        try:
            for _ in range(amount):
                self._uncount.append(ctx.limit("addresses", str(caller.clientid), _DAILY.amount, _DAILY.seconds))
        except TooMany:
            self.paid(amount)
            raise

    def paid(self, amount: int) -> None:
        """Give back the count of `amount` addresses."""
        for _ in range(min(amount, len(self._uncount))):
            self._uncount.pop()()
