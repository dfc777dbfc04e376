"""Stream a list as newline-delimited JSON, with one page in memory at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from tableapi import exact_json, threads
from tableapi.errors import BadRequest
from tableapi.http.response import Response
from tableapi.query import aggregate, syntax
from tableapi.tables import read
from tableapi.tables.request import TableRequest

CONTENT_TYPE = "application/x-ndjson"
PAGE = 1000


async def respond(call: TableRequest) -> Response:
    """Handle a read by filter with one record per line. The first page is read before the response begins.

    Without option `limit`, all records are sent. Pages continue by cursor, so each is a single statement, and no
    database connection is held while the client reads.

    Raises:
        BadRequest: an option is not supported in this format, or as in `read.many`.
    """
    for name in ("offset", "skip", "cursor", "timezone", "as_list", "count_only", "ids"):
        if name in call.query:
            raise BadRequest(
                f"Option '{name}' cannot be used with {CONTENT_TYPE}.", reason="bad_option", context={"option": name}
            )
    options = call.options()
    if syntax.windowed(options.fields):
        raise BadRequest(
            f"Window functions read the rows of a page, but {CONTENT_TYPE} has no pages. Request JSON or CSV.",
            reason="bad_window",
        )
    query = {name: value for name, value in call.query.items() if name not in ("limit", "top", "accept", "wrap")}
    headers = {name: value for name, value in call.headers.items() if name not in ("accept", "wrap", "if-none-match")}
    rest = options.limit if options.limit is not None and options.limit > 0 else None
    call = replace(call, query=query, headers=headers)
    one_page = rest is not None and rest <= min(PAGE, call.dataset.limits.rows)  # so a key is not needed
    page = await _page(call, "", rest, cursor=not (one_page or aggregate.is_grouped(options)))
    return Response(b"", content_type=CONTENT_TYPE, stream=_lines(call, page, rest))


async def _page(
    call: TableRequest, position: str, rest: int | None, *, cursor: bool = True
) -> tuple[bytes, int, str | None]:
    """Return the lines of a page, their number, and the position of the next page, or None at the end."""
    most = min(PAGE, call.dataset.limits.rows)
    query = {**call.query, "limit": str(most if rest is None else min(most, rest))}
    response = await read.many(replace(call, query=query | {"cursor": position} if cursor else query))
    return await threads.body(len(response.body), _written, response.body)


async def _lines(call: TableRequest, page: tuple[bytes, int, str | None], rest: int | None) -> AsyncIterator[bytes]:
    """Yield the lines of each page, reading the next page once they are sent."""
    while True:
        lines, number, position = page
        yield lines
        rest = None if rest is None else rest - number
        if position is None or rest == 0:
            return
        page = await _page(call, position, rest)


def _written(body: bytes) -> tuple[bytes, int, str | None]:
    """Return the lines of a response, their number, and the next cursor."""
    content = exact_json.loads_list(body)
    records = content["resource"]
    lines = b"".join(exact_json.dumps(record) + b"\n" for record in records)
    return lines, len(records), content.get("meta", {}).get("next_cursor")
