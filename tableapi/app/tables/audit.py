"""Record reads in the audit log before responding, for the roles in the policy's `Sessions.recorded`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Protocol

import orjson

from tableapi import exact_json, threads
from tableapi.auth.policy import Actor
from tableapi.db.errors import to_api_error
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response
from tableapi.query import aggregate
from tableapi.query.options import Options
from tableapi.tables import read
from tableapi.tables.request import TableRequest

MAX_ACCOUNTS = 100  # accounts listed in the audit details
MAX_FILTER_CHARS = 300
MAX_OPTIONS, MAX_QUERY_CHARS = 50, 2000
NOTHING: Mapping[str, Any] = MappingProxyType({})
_SELECTING = ("filter", "where", "ids", "id_field", "params")


class Recorder(Protocol):
    """Records reads in a transaction of its own (`SessionAuthenticator`)."""

    async def reads(self, actor: Actor, table: str, entries: Iterable[tuple[object, str]], ip: str) -> None: ...


async def respond(
    call: TableRequest,
    attempt: Callable[[], Awaitable[Response]],
    account: str,
    recorder: Recorder,
    request: HttpRequest,
) -> Response:
    """Handle a read, and record the accounts that it showed.

    There is one entry for each account. A read that showed several accounts, or none, has an additional entry without
    an account, with the list of accounts in its details. The details contain the options of the read, except in the
    entries of a read of several accounts, because all their owners may see those. A read that fails is recorded too,
    because its error depends on the rows. If recording fails, the read fails.

    account: the field that holds the account of a record.
    """
    try:
        response = await attempt()
    except Exception as error:
        api_error = to_api_error(error)
        failed = {"error": api_error.reason if api_error else "internal"}
        entries = _entries(call, [] if call.actor.account is None else [call.actor.account], request, failed)
        await recorder.reads(call.actor, call.table.name, entries, request.ip)
        raise
    try:
        accounts = await _accounts(call, response, account)
        entries = _entries(call, accounts, request)
        await recorder.reads(call.actor, call.table.name, entries, request.ip)
    except BaseException:
        await response.discard()
        raise
    return response


async def record(
    recorder: Recorder, request: HttpRequest, subject: str, detail: Mapping[str, Any], query: Mapping[str, Any]
) -> None:
    """Record a read that has no rows of a table to show: an explanation, or a script in a look.

    subject: the table or the script.
    """
    whole = {"request": request.request_id, **detail} | ({"query": texts} if (texts := _texts(query)) else {})
    actor = request.actor
    await recorder.reads(actor, subject, [(actor.account, orjson.dumps(whole).decode())], request.ip)


def _entries(
    call: TableRequest, accounts: list[Any], request: HttpRequest, more: Mapping[str, Any] = NOTHING
) -> list[tuple[Any, str]]:
    """Return the account and the details of each entry."""
    detail: dict[str, Any] = (
        {"request": request.request_id} | ({} if call.ident is None else {"id": call.ident[:100]}) | dict(more)
    )
    sent = {**(call.body if isinstance(call.body, dict) else {}), **call.query}
    whole = detail | ({"query": query} if (query := _texts(sent)) else {})
    if len(accounts) == 1:
        return [(accounts[0], orjson.dumps(whole).decode())]
    whole |= {"accounts": accounts[:MAX_ACCOUNTS], "filter": call.filter_text()[:MAX_FILTER_CHARS]}
    each = orjson.dumps(detail).decode()
    return [(None, orjson.dumps(whole).decode()), *((account, each) for account in accounts)]


def _texts(sent: Mapping[str, Any]) -> dict[str, str]:
    """Return options or values as text, each truncated to a maximum length."""
    texts = {
        name: value if isinstance(value, str) else exact_json.dumps(value).decode() for name, value in sent.items()
    }
    return {name[:100]: text[:MAX_QUERY_CHARS] for name, text in list(texts.items())[:MAX_OPTIONS]}


async def _accounts(call: TableRequest, response: Response, account: str) -> list[Any]:
    """Return the accounts that were read: the actor's own, or those in the records."""
    if call.actor.account is not None:
        return [call.actor.account]
    if not _has_records(call, response):
        return await _selected(call, account)
    shown = await _shown(response, account)
    if call.ident is None and _tells_of_others(call.options()):
        shown = sorted({*shown, *await _selected(call, account)})
    return shown


def _tells_of_others(options: Options) -> bool:
    """Return whether a page shows, by a count, offset or cursor, that further records match the filter."""
    return bool(options.filter) and (options.include_count or options.offset > 0 or options.cursor is not None)


def _has_records(call: TableRequest, response: Response) -> bool:
    """Return whether the body is JSON of records that all have the account field."""
    if "raw" in call.query or "json" not in response.content_type or not response.body:
        return False
    options = call.options()
    return not (options.count_only or options.as_list or options.explain or aggregate.is_grouped(options))


async def _shown(response: Response, account: str) -> list[Any]:
    """Return the accounts of all records in a body, including related ones."""
    return await threads.body(
        len(response.body), lambda: sorted(set(_found(exact_json.loads_list(response.body), account)))
    )


def _found(value: Any, account: str) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from _found(item, account)
    elif isinstance(value, dict):
        if isinstance(value.get(account), int):
            yield value[account]
        for item in value.values():
            if isinstance(item, (list, dict)):
                yield from _found(item, account)


async def _selected(call: TableRequest, account: str) -> list[Any]:
    """Query the accounts of the selected records, for groups, counts, files and streams."""
    column = call.table.find(account)
    if column is None:
        return []
    query = {name: call.query[name] for name in _SELECTING if name in call.query}
    body = {n: call.body[n] for n in _SELECTING if n in call.body} if isinstance(call.body, dict) else None
    if call.ident is None and not (query.keys() | (body or {}).keys()) & {"ids"}:
        query |= {"group": column.name, "limit": str(MAX_ACCOUNTS + 1)}
    query["fields"] = column.name
    selecting = replace(call, verb="GET", query=query, body=body or None, headers={}, export=None)
    return await _shown(await read.read(selecting), account)
