"""The stages of a request for a table: each has one subject, and wraps the next one.

Which stages a request enters follows from its options and headers, so that a plain read enters none of them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from functools import partial

from tableapi.datasets import transaction
from tableapi.errors import BadRequest
from tableapi.http import preferences
from tableapi.http.response import Response
from tableapi.query.option_values import boolean
from tableapi.tables.request import TableRequest

MAX_IGNORED = 20  # fields that a header names
Attempt = Callable[[], Awaitable[Response]]
Stage = Callable[[Attempt, TableRequest], Awaitable[Response]]


async def minimal(attempt: Attempt, call: TableRequest) -> Response:
    """Return the response of a write, without its records if `return=minimal` is set."""
    response = await attempt()
    if not call.options().minimal:
        return response
    return Response(b'{"success":true}', headers={k: v for k, v in response.headers.items() if k == "ETag"})


async def rolled_back(attempt: Attempt, call: TableRequest) -> Response:
    """Handle a write and roll it back, if `dry_run` is set. No listener hears of its records."""
    if not call.options().dry_run:
        return await attempt()
    dataset, written = call.dataset, call.written
    call.written = None
    try:
        async with transaction.undone(dataset) as call.dataset:
            response = await attempt()
    finally:
        call.dataset, call.written = dataset, written
    response.headers.pop("ETag", None)
    response.headers["Dry-Run"] = "true"
    return response


async def in_zone(attempt: Attempt, call: TableRequest) -> Response:
    """Handle a read in a time zone.

    Raises:
        BadRequest: `bad_option` for a write, or the zone is unknown.
    """
    zone = call.query.get("timezone")
    if not zone:
        return await attempt()
    if call.verb != "GET":
        raise BadRequest(
            "Option 'timezone' applies only to reads. Leave it out.",
            reason="bad_option",
            context={"option": "timezone"},
        )
    dataset = call.dataset
    try:
        async with transaction.in_zone(dataset, zone) as call.dataset:
            return await attempt()
    finally:
        call.dataset = dataset


async def unexplained(attempt: Attempt, call: TableRequest) -> Response:
    """Reject option `explain` of a write, unless it is false."""
    if boolean("explain", call.query.get("explain", True)):
        message = "Option 'explain' applies only to reads, because a write would be executed. Leave it out."
        raise BadRequest(message, reason="bad_option", context={"option": "explain"})
    return await attempt()


async def ranged(attempt: Attempt, call: TableRequest) -> Response:
    """Return the response of a read with the records that header `Range` asked for."""
    places = preferences.ranged(call.headers, call.query)
    response = await attempt()
    if places is not None:
        try:
            response.headers["Content-Range"] = preferences.content_range(places, response.body)
        except Exception:
            await response.discard()
            raise
    return response


async def named(attempt: Attempt, ignored: Collection[str]) -> Response:
    """Return the response of a write with the fields that it ignored in a header."""
    response = await attempt()
    names = [name[:100] for name in ignored if name.isascii() and name.isprintable()][:MAX_IGNORED]
    response.headers["X-Ignored-Fields"] = ", ".join(names)
    return response


async def preferred(attempt: Attempt, applied: str) -> Response:
    """Return the response with the preferences that were applied in a header."""
    response = await attempt()
    response.headers["Preference-Applied"] = applied
    return response


def of_write(attempt: Attempt, call: TableRequest) -> Attempt:
    """Return the attempt of a write with the stages that its options ask for."""
    members = call.body if call.ident is None and type(call.body) is dict else {}
    for option, stage in OF_WRITES.items():
        if option in call.query or option in members:
            attempt = partial(stage, attempt, call)
    return attempt


# From the innermost to the outermost.
OF_WRITES: dict[str, Stage] = {"return": minimal, "dry_run": rolled_back, "timezone": in_zone, "explain": unexplained}
