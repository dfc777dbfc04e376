"""Functions and procedures (table-api §12): only those that are listed as public, with bound values.

Public is what the setting PUBLIC_ROUTINES lists, for every caller, and what a role of the access file names exactly.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import asyncpg
import orjson
import sqlalchemy as sa
from sqlalchemy.sql.functions import Function

from tableapi import exact_json
from tableapi.auth.policy import Actor
from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest, MethodNotAllowed, NotFound
from tableapi.http import response
from tableapi.http.body import parse_body
from tableapi.http.response import Reply
from tableapi.query import plan
from tableapi.query.select import finish
from tableapi.query.where import Binder
from tableapi.schema.model import Argument, Routine

KINDS = {"_func": "f", "_proc": "p"}
_SHAPING = ("returns", "wrapper", "params")


def _number(value: Any) -> Any:
    return value if isinstance(value, exact_json.Number) else float(value)


def _whole(value: Any) -> Any:
    return value if isinstance(value, exact_json.Number) and value.text.lstrip("-").isdigit() else int(value)


_SCALARS: dict[str, Callable[[Any], Any]] = {
    "string": str, "text": str, "integer": _whole, "int": _whole, "float": float, "double": float, "decimal": _number,
    "boolean": bool, "bool": bool,
}  # fmt: skip


def public(dataset: Dataset, role: str, verb: str = "GET") -> list[Routine]:
    rights = dataset.rights(role)
    listed = {name.lower() for name in dataset.bounds.routines}
    return [
        r for r in dataset.schema.routines
        if (role and r.name.lower() in listed) or rights.routine("_proc" if r.kind == "p" else "_func", r.name, verb)
    ]  # fmt: skip


async def answer(
    http: Any, dataset: Dataset, actor: Actor, parts: list[str], given: Mapping[str, str], most: int
) -> Reply:
    """GET and POST of /_func and /_proc."""
    kind = parts[0]
    verb = "GET" if http.method == "HEAD" else http.method
    if verb not in ("GET", "POST"):
        raise MethodNotAllowed("Routines are called with GET or POST.", headers={"Allow": "GET, POST"})
    if len(parts) == 1:
        names = sorted({r.name for r in public(dataset, actor.role, verb) if r.kind == KINDS[kind]})
        return Reply(response.dumps({"resource": [{"name": name} for name in names]}))
    body = None
    if verb == "POST":
        body = parse_body(http.headers.get("content-type", ""), await http.body(most), most)
    name, inline = _inline("/".join(parts[1:]))
    found = [r for r in await _named(dataset, actor, name, verb) if r.kind == KINDS[kind]]
    if not found:
        raise NotFound(f"There is no routine '{name[:100]}'.", reason="unknown_routine")
    sent = inline if inline is not None else _params(given, body)
    routine, values = _chosen(found, sent)
    rows = await _run(dataset, routine, values, read_only=verb == "GET")
    options = dict(given) | ({k: v for k, v in body.items() if isinstance(v, str)} if isinstance(body, dict) else {})
    return Reply(response.dumps(_shaped(rows, options.get("returns", ""), options.get("wrapper", ""))))


async def _named(dataset: Dataset, actor: Actor, name: str, verb: str) -> list[Routine]:
    for look in (False, True):
        if look and not await dataset.look():
            break
        if found := [r for r in public(dataset, actor.role, verb) if r.name.lower() == name.lower()]:
            return found
    return []


# -- parameters ------------------------------------------------------------------------------------------------------


def _inline(text: str) -> tuple[str, list[Any] | None]:
    """`add(1,'x, y')` -> the name and its values."""
    name, opened, rest = text.partition("(")
    if not opened:
        return text, None
    if not rest.endswith(")"):
        raise BadRequest("The parameters in the path want a closing parenthesis.", reason="bad_params")
    inner = rest[:-1].strip()
    if not inner:
        return name, []
    cells = next(csv.reader([inner], quotechar="'", skipinitialspace=True))
    return name, [None if cell.strip().lower() == "null" else cell.strip() for cell in cells]


def _params(given: Mapping[str, str], body: Any) -> list[Any] | dict[str, Any]:
    """Values by place, or by name."""
    sent: Any = given.get("params")
    if sent is not None:
        try:
            sent = exact_json.loads(sent)
        except orjson.JSONDecodeError:
            raise BadRequest("Option 'params' must be JSON.", reason="bad_params") from None
    if isinstance(body, dict) and "params" in body:
        sent = body["params"]
    if sent is None:
        return {name: value for name, value in given.items() if name not in _SHAPING}
    if isinstance(sent, dict):
        return sent
    if not isinstance(sent, list):
        raise BadRequest("Option 'params' must be a list or an object.", reason="bad_params")
    if sent and all(isinstance(one, dict) and "name" in one for one in sent):
        return {str(one["name"]): one.get("value") for one in sent}
    return [one["value"] if isinstance(one, dict) and one.keys() == {"value"} else one for one in sent]


def _chosen(found: Iterable[Routine], sent: list[Any] | dict[str, Any]) -> tuple[Routine, dict[int, Any]]:
    """The routine of this name that takes these values, and the values by the place of their argument."""
    for routine in found:
        arguments = routine.sent
        if isinstance(sent, list):
            if routine.required <= len(sent) <= len(arguments):
                return routine, dict(enumerate(sent))
            continue
        places = {a.name.lower(): n for n, a in enumerate(arguments) if a.name}
        known = {places[name.lower()]: value for name, value in sent.items() if name.lower() in places}
        if set(range(routine.required)) <= known.keys():
            return routine, known
    raise BadRequest("The routine takes other parameters.", reason="bad_params")


# -- running ---------------------------------------------------------------------------------------------------------


def _call(routine: Routine, values: Mapping[int, Any], binder: Binder) -> Function[Any]:
    """The call with bound values; those that are left out have defaults. Names come from the catalog alone."""
    arguments: list[Any] = []
    gap, place = False, 0
    for one in routine.arguments:
        if not one.sent:
            if routine.kind == "p":
                arguments.append(_passed(one, sa.null(), gap))
            continue
        if place in values:
            arguments.append(
                _passed(one, binder.value(one.type, ("value", str(place)), one.name or str(place + 1)), gap)
            )
        else:
            gap = True
        place += 1
    quoted = sa.sql.elements.quoted_name
    return Function(quoted(routine.bare, True), *arguments, packagenames=(quoted(routine.schema, True),))


def _passed(one: Argument, value: Any, gap: bool) -> Any:
    if one.mode == "v":
        return sa.literal_column("variadic ").op("")(value)
    return sa.column(sa.sql.elements.quoted_name(one.name, True)).op("=>")(value) if gap and one.name else value


async def _run(dataset: Dataset, routine: Routine, values: Mapping[int, Any], *, read_only: bool) -> Any:
    binder = Binder()
    call = _call(routine, values, binder)
    bound = plan.Bindings(Actor(""), [], {}, [], record={str(n): v for n, v in values.items()})
    async with (dataset.db.reads if read_only else dataset.db.writes).acquire() as connection:
        if routine.kind == "p":
            shape = finish(call, binder)
            args = [get(bound) for get in plan.bound(shape)]
            row = await connection.fetchrow("CALL " + shape.sql, *args)
            return [_plain(row)] if row is not None and len(row) else []
        rows = sa.select(sa.literal_column("*")).select_from(call).subquery("r")
        every = sa.func.coalesce(sa.func.json_agg(rows.table_valued()), sa.literal_column("'[]'::json"))
        shape = finish(sa.select(every.label("body")).select_from(rows), binder)
        args = [get(bound) for get in plan.bound(shape)]
        try:
            async with connection.transaction(readonly=read_only):
                body = await connection.fetchval(shape.sql, *args)
        except asyncpg.ReadOnlySQLTransactionError:
            raise MethodNotAllowed("This routine changes data. Call it with POST.", headers={"Allow": "POST"}) from None
    return exact_json.loads(body)


def _plain(row: Any) -> dict[str, Any]:
    return {k: exact_json.loads(v) if isinstance(v, bytes) else v for k, v in dict(row).items()}


def _shaped(rows: Any, returns: str, wrapper: str) -> Any:
    """`returns`: the type of a single value, which then stands alone; TABLE for rows. `wrapper`: the name round it."""
    made = rows
    if returns and returns.lower() != "table":
        kind = _SCALARS.get(returns.lower())
        if kind is None:
            raise BadRequest(f"Option 'returns' must be TABLE or one of {', '.join(_SCALARS)}.", reason="bad_option")
        first = next(iter(rows[0].values()), None) if rows else None
        try:
            made = None if first is None else kind(first)
        except (TypeError, ValueError, OverflowError):
            raise BadRequest(f"The result is no {returns}.", reason="bad_option") from None
    return {wrapper: made} if wrapper else made
