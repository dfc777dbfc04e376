"""Run the table hooks of a project before or instead of the engine (docs/guides/scripts.md)."""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import cache
from typing import Any, get_type_hints

from pydantic import BaseModel

from tableapi import exact_json
from tableapi.crypto.vault import MASK, WIRE_HEADER
from tableapi.errors import ApiError, BadRequest, TooLarge
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response, dumps
from tableapi.project.guard import validate
from tableapi.project.registry import Hook, Scripts
from tableapi.query import plan
from tableapi.tables import errors, read, targets, verbs
from tableapi.tables.batch import Batch
from tableapi.tables.export import Export
from tableapi.tables.render import listing
from tableapi.tables.request import DEFAULTS, TableRequest, requested_format
from tableapi.tables.targets import KeyedRecords
from tableapi.tables.write import Writer

CHUNK = 100  # identifiers per statement, for a file of `ids`


async def respond(scripts: Scripts, hook: Hook, call: TableRequest, request: HttpRequest) -> Response:
    """Return the hook's response, or the engine's response for the records as modified by the hook.

    The records passed to a hook always contain the key of their row, under column names: identifiers, `id_field` and
    filters are resolved first. For a GET hook, option `form` is set to csv or xlsx if a file is requested; the hook may
    return an `Export` with the file's contents. Records that name an account other than the session's are rejected
    before the hook runs, so that a hook need not check every field.

    The effects of a hook of a write cannot be undone, so a dry run and a step of a batch are rejected.

    Raises ApiError.
    """
    if call.rights.right(call.table, call.verb) is None:
        raise errors.no_right(call)
    if call.verb != "GET" and (call.batch is not None or call.options().dry_run):
        raise _cannot_undo(call)
    options = dict(call.query)
    options.pop("form", None)
    ctx = scripts.context(call.actor, request)
    if call.verb == "GET":
        # invalid options are rejected before the hook has any effect
        sent = KeyedRecords(call.options(), call.ident, [])
        if (form := requested_format(sent.options, call.headers)) is not None:
            options["form"] = form[0]
    else:
        sent = await targets.by_primary_key(call)
        if sent.selected and not sent.records:
            return await listing(call, sent.options, b"[]", [])
        if call.verb == "DELETE" and call.ident is None:
            errors.check_not_empty(call.body)
        if sent.options.max_affected is not None:
            errors.check_affected(sent.options.max_affected, len(sent.records))
        await _check_tenant(hook, call, sent)
    if sent.ident is not None:
        options["id"] = sent.ident
    model = beside_model(hook)
    result = await hook(ctx, sent.records, options, *((validate(model, call.beside or {}),) if model else ()))
    if isinstance(result, Export):
        # A file is read without the session that could decrypt its fields.
        call = replace(call, export=result, headers={k: v for k, v in call.headers.items() if k != WIRE_HEADER})
        result = None
    if result is not None and call.actor.scopes is not None:
        result = _masked(call, result)
    if result is None:
        if call.export:
            response = await _read_file(call, call.export.most)
        elif call.verb == "GET":
            response = await read.read(call)
        else:
            response = await _written(call, sent)
    elif call.ident is not None:
        response = Response(dumps(result[0] if result else {}))
    else:
        response = await listing(call, sent.options, dumps(result), [])
    response.headers |= ctx.headers
    return response


def _cannot_undo(call: TableRequest) -> BadRequest:
    has_hook = f"'{call.table.name}' has a hook for {call.verb}, whose effects cannot be undone."
    if call.batch is not None:
        return BadRequest(f"{has_hook} Send the request on its own, not in a batch.", reason="no_batch")
    return BadRequest(f"{has_hook} Send the request without dry_run.", reason="no_dry_run")


async def _written(call: TableRequest, sent: KeyedRecords) -> Response:
    """Write the records as modified by the hook, one without options by the plan of an earlier one."""
    if len(sent.records) == 1 and sent.options is DEFAULTS and targets.is_plain(call):
        response = await verbs.by_known_plan(call, sent.records[0])
        if response is not None:
            return response
    return await verbs.write(call, sent.targets(call))


def _masked(call: TableRequest, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of a hook as a client with scopes may see them: without credentials."""
    right = call.rights.right(call.table, call.verb)
    hidden = right.credentials if right is not None else frozenset[str]()
    return [{name: MASK if name in hidden and value else value for name, value in row.items()} for row in rows]


@cache
def beside_model(hook: Hook) -> type[BaseModel] | None:
    """Return the model of the members of the body next to `resource` that a hook takes, or None."""
    fourth = list(inspect.signature(hook).parameters)[3:4]
    return get_type_hints(hook)[fourth[0]] if fourth else None


def passes(hook: Hook) -> bool:
    """Return whether a hook never responds itself: it is annotated as returning None."""
    return hook.__annotations__.get("return") in (None, "None")


async def _check_tenant(hook: Hook, call: TableRequest, sent: KeyedRecords) -> None:
    """Reject records that name another account, before the hook runs.

    If the engine builds the response, the error for a record in a list is reported as part of the batch.
    """
    table, verb = call.table, call.verb
    foreign = {n: fields for n, record in enumerate(sent.records) if (fields := errors.foreign(call, record))}
    if not foreign:
        return
    key = [table.columns[n] for n in table.key]
    batch = Batch("deleted" if verb == "DELETE" else "updated", sent.options)
    async with Writer(call, sent.options) as writer:
        for place, record in enumerate(sent.records):
            try:
                if place in foreign and verb == "POST":
                    raise errors.field_error(call, foreign[place])
                if place in foreign:
                    await writer.check_unchanged(table, verb, key, plan.identifier(record, key), foreign[place])
            except ApiError as error:
                if sent.ident is not None or not passes(hook):
                    raise
                batch.failed(error)
                break
            batch.done(exact_json.dumps({name: record[name] for name in table.key if name in record}))
    if batch.errors:
        batch.body()  # raises, even with `continue`: no record is attempted


async def _read_file(call: TableRequest, most: int) -> Response:
    """Return the file of an `Export`, with up to `most` rows. Raises TooLarge if `ids` has more."""
    idents = None if call.ident is not None else call.options().ids
    if idents is None:
        return await verbs.handle(replace(call, verb="GET"))
    if not idents:
        raise BadRequest("Option 'ids' is empty.", reason="bad_option", context={"option": "ids"})
    if len(idents) > most:
        raise TooLarge(f"A file may contain at most {most} rows. Select fewer.", reason="batch_too_large")
    return await _by_ids(call, idents)


async def _by_ids(call: TableRequest, idents: list[Any]) -> Response:
    """Return the records in the order of `idents`, without duplicates or unreadable records."""
    options = call.options()
    columns, keyed = await read.plan_keyed(call, read.shape_key(call, "keyed", CHUNK), CHUNK)
    keys = list({str(key): key for key in (plan.identifier(ident, columns) for ident in idents)}.values())
    for key in keys:
        for column, part in zip(columns, key, strict=True):
            plan.checked(column, part)
    bodies: list[bytes] = []
    limits = call.dataset.limits.filter
    conditions = plan.conditions(options, limits)
    async with call.dataset.db.reads.acquire() as connection:
        for start in range(0, len(keys), CHUNK):
            chunk = keys[start : start + CHUNK]
            values = plan.Bindings(call.actor, [], options.params, chunk, limits=limits, conditions=conditions)
            bodies += [row["body"] for row in await connection.fetch(keyed.sql, *keyed.args(values))]
    body = await read.unsealed(call, keyed.sealed, b"[" + b",".join(bodies) + b"]")
    return await listing(call, options, body, keyed.names)
