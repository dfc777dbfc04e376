"""Replay the response when a call by an API key is repeated with the same `Idempotency-Key`.

The engine does this for sessions. A public script identifies its caller only after checking the key, so calls by keys
claim and store their responses themselves, in the same table. Errors are not stored: a repeat runs again, which does
not charge twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import BaseModel
from starlette.responses import Response

from product.context import Context
from tableapi import BadRequest, Conflict, Invalid

DEAD_SECONDS = 90  # longer than a call may take, so an older claim without a response belongs to a dead process

_CLAIM = f"""
    insert into idempotency (principal, key, route, bodyhash) values ($1, $2, $3, $4)
    on conflict (principal, key) do update set route = excluded.route, bodyhash = excluded.bodyhash, status = null,
        headers = null, body = null, createdon = excluded.createdon
    where excluded.createdon - idempotency.createdon > interval '24 hours'
       or idempotency.status is null
          and excluded.createdon - idempotency.createdon > interval '{DEAD_SECONDS} seconds'
    returning key
"""  # noqa: S608 - a constant
_FIND = "select bodyhash, status, headers, body from idempotency where principal = $1 and key = $2"
_KEEP = "update idempotency set status = 200, headers = $3, body = $4 where principal = $1 and key = $2"
_DROP = "delete from idempotency where principal = $1 and key = $2 and status is null"


@dataclass(frozen=True, slots=True)
class _Found:
    bodyhash: bytes
    status: int | None
    headers: dict[str, str] | None
    body: bytes | None


async def once(ctx: Context, keyid: int, input: BaseModel, run: Callable[[], Awaitable[BaseModel]]) -> Response:
    """Run a call, or return the stored response of an identical one.

    Raises:
        BadRequest: the Idempotency-Key is malformed (400).
        Invalid: the key was used for another request (422).
        Conflict: the first request with the key has not ended (409).
    """
    key = ctx.request.headers.get("idempotency-key")
    if key is None:
        return response(ctx, await run())
    if not 1 <= len(key) <= 64 or not key.isprintable():
        raise BadRequest("Idempotency-Key must be 1 to 64 printable characters.", reason="bad_idempotency_key")
    claim = (f"apikey:{keyid}", key)
    digest = hashlib.sha256(ctx.request.path.encode() + b"\0" + input.model_dump_json().encode()).digest()
    if await ctx.db.first_value(str, _CLAIM, *claim, f"POST {ctx.request.path}"[:500], digest) is None:
        return await _replay(ctx, claim, digest)
    try:
        body = (await run()).model_dump_json(exclude_none=True).encode()
        await ctx.db.execute(_KEEP, *claim, dict(ctx.headers), ctx.vault.seal_bytes(body))
    except BaseException:
        await ctx.db.execute(_DROP, *claim)
        raise
    return _response(ctx, body)


async def _replay(ctx: Context, claim: tuple[str, str], digest: bytes) -> Response:
    row = await ctx.db.first(_Found, _FIND, *claim)
    if row is not None and row.bodyhash != digest:
        message = "This Idempotency-Key was already used for another request. Send another key."
        raise Invalid({"Idempotency-Key": message}, message)
    if row is None or row.headers is None or row.body is None:
        raise Conflict(
            "The first request with this key is still running. Try again later.", reason="still_running",
            headers={"Retry-After": "1"},
        )  # fmt: skip
    ctx.headers |= {**row.headers, "Idempotency-Replayed": "true"}
    return _response(ctx, ctx.vault.open_bytes(row.body))


def response(ctx: Context, output: BaseModel) -> Response:
    """Return the response of a call that is not stored."""
    return _response(ctx, output.model_dump_json(exclude_none=True).encode())


def _response(ctx: Context, body: bytes) -> Response:
    return Response(body, headers=ctx.headers, media_type="application/json")
