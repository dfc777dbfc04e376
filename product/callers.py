"""Authenticate calls that serve a session or an API key, and replay the response of a repeated call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from starlette.responses import Response

from product import api_keys
from product.accounts import sessions
from product.context import Context
from product.roles import SESSION, VIEW
from tableapi.auth.policy import Actor
from tableapi.errors import Unauthorized
from tableapi.http.response import Reply
from tableapi.idempotency.replay import IdempotencyStore
from tableapi.idempotency.store import InDatabase
from tableapi.project.guard import parse_limits


@dataclass(frozen=True, slots=True)
class Caller:
    """An account, and the user or the API key that acts for it."""

    clientid: int
    appuserid: int | None = None
    keyid: int | None = None

    @property
    def name(self) -> str:
        """What rate limits count by."""
        return f"key={self.keyid}" if self.keyid is not None else f"appuserid={self.appuserid}"


async def session_or_key(ctx: Context, scope: str, limits: str) -> Caller:
    """Return the caller of a public script: a session with an app key, or an API key with a scope.

    Raises:
        Unauthorized: there is neither (401).
        MissingScope: the key does not have the scope (403).
        TooMany: one of the limits, counted for each user or key, is exceeded (429).
    """
    if ctx.actor.role in (*SESSION, *VIEW):  # the request of a tool has its actor already
        caller = Caller(ctx.actor.clientid, ctx.actor.appuserid)
    else:
        key = ctx.request.headers.get("x-api-key") or ctx.request.headers.get("x-dreamfactory-api-key") or ""
        if key not in ctx.settings.app_keys:
            return await by_key(ctx, scope, limits)
        user = await sessions.live_user(ctx, ctx.request.session_token)
        sessions.refuse_confined(user)
        if user["role"] not in (*SESSION, *VIEW):
            raise Unauthorized(sessions.EXPIRED)
        caller = Caller(user["clientid"], user["appuserid"])
    _count(ctx, caller, limits)
    return caller


async def by_key(ctx: Context, scope: str, limits: str) -> Caller:
    """Return the caller of a script for API keys alone. Raises as `session_or_key` does."""
    row = await api_keys.live(ctx, ctx.request.headers.get("x-api-key", ""), scope)
    caller = Caller(row["clientid"], keyid=row["keyid"])
    _count(ctx, caller, limits)
    await api_keys.used(ctx, row["keyid"])
    return caller


def _count(ctx: Context, caller: Caller, limits: str) -> None:
    path = ctx.request.path.rstrip("/").rpartition("/")[2]
    for limit in parse_limits(limits):
        ctx.limit(f"{path} {limit.seconds}", caller.name, limit.amount, limit.seconds)


async def once(ctx: Context, caller: Caller, input: BaseModel, run: Callable[[], Awaitable[BaseModel]]) -> Any:
    """Run a call of an API key; with an `Idempotency-Key`, a repeat gets the stored response.

    The engine does this for sessions. A public script knows its caller only after it has checked the key.
    """

    async def reply() -> Reply:
        output = await run()
        return Reply(output.model_dump_json(exclude_none=True).encode(), 200, "application/json", dict(ctx.headers))

    key = ctx.request.headers.get("idempotency-key")
    if key is None:
        response = await reply()
    else:
        actor = Actor(role="apikey", user={"keyid": caller.keyid})
        store = IdempotencyStore(InDatabase(ctx.db, ctx.vault))
        response = await store.again(
            key, actor, f"POST {ctx.request.path}", input.model_dump_json().encode(), reply, True
        )
    return Response(response.body, response.status, headers=response.headers, media_type="application/json")
