"""Functions and procedures. Only public ones are served, and their parameters are bound values.

A routine is public for every role if the setting PUBLIC_ROUTINES lists it, and for an access file role that names it
exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import asyncpg
import orjson
import sqlalchemy as sa
from sqlalchemy.sql.functions import Function

from tableapi import exact_json
from tableapi.auth.policy import Actor
from tableapi.datasets import transaction
from tableapi.datasets.dataset import Dataset
from tableapi.errors import BadRequest, Conflict, MethodNotAllowed, NotFound
from tableapi.http import preferences
from tableapi.http.body import table_body
from tableapi.http.compression import media_type
from tableapi.http.response import Response, dumps
from tableapi.observability import metrics
from tableapi.query.dml.plan import WritePlan
from tableapi.query.options import Options
from tableapi.query.options import options as read_options
from tableapi.query.spelling import choices, suggestion
from tableapi.query.statement import Binder, Bindings, arguments, bound, finish
from tableapi.schema.model import Argument, Routine
from tableapi.schema.sqltypes import shown as output
from tableapi.tables import overloads, routine_rows
from tableapi.tables.errors import check_affected, of_read
from tableapi.tables.overloads import Sent, Unquoted

KINDS = {"_func": "f", "_proc": "p"}
_SHAPING = ("returns", "wrapper", "params")
_GUARDS = ("dry_run", "max_affected")
_PREFERENCES = ("tx", "max-affected", "count", "handling")  # preferences that affect a routine
_OPTIONS = frozenset((*_SHAPING, *_GUARDS, *routine_rows.OPTIONS, *routine_rows.UNSUPPORTED))
_NO_ROWS: sa.ColumnElement[Any] = sa.literal_column("'[]'::json")
_FIRST: sa.ColumnElement[Any] = sa.literal_column("0")
_FORMATS = frozenset(("", "*/*", "application/*", "application/json"))


def _number(value: Any) -> Any:
    """Convert a result to a number without losing digits."""
    return value if isinstance(value, exact_json.Number) else float(value)


def _whole(value: Any) -> Any:
    """Convert a result to a whole number without losing digits."""
    return value if isinstance(value, exact_json.Number) and value.text.lstrip("-").isdigit() else int(value)


_SCALARS: dict[str, Callable[[Any], Any]] = {
    "string": str, "text": str, "integer": _whole, "int": _whole, "float": float, "double": float, "decimal": _number,
    "boolean": bool, "bool": bool,
}  # fmt: skip


def public(dataset: Dataset, role: str, verb: str = "GET") -> list[Routine]:
    """Return the routines that a role may call."""
    rights = dataset.rights(role)
    listed = {name.lower() for name in dataset.limits.routines}
    return [
        routine
        for routine in dataset.schema.routines
        if (role and routine.name.lower() in listed)
        or rights.routine("_proc" if routine.kind == "p" else "_func", routine.name, verb)
    ]


async def respond(
    http: Any, dataset: Dataset, actor: Actor, parts: list[str], query: dict[str, str], max_bytes: int, *, strict: bool
) -> Response:
    """Handle a GET or POST of `/_func` or `/_proc`.

    strict: whether unknown parameters and options are errors.
    """
    kind = parts[0]
    verb = "GET" if http.method == "HEAD" else http.method
    if verb not in ("GET", "POST"):
        raise MethodNotAllowed("Call routines with GET or POST.", headers={"Allow": "GET, POST"})
    if len(parts) == 1:
        names = sorted({routine.name for routine in public(dataset, actor.role, verb) if routine.kind == KINDS[kind]})
        return Response(dumps({"resource": [{"name": name} for name in names]}))
    body = None
    if verb == "POST":
        body = await table_body(http, max_bytes)
    name, inline = _inline("/".join(parts[1:]))
    named = [routine for routine in await _named(dataset, actor, name, verb) if routine.kind == KINDS[kind]]
    if not named:
        known = sorted({routine.name for routine in public(dataset, actor.role, verb) if routine.kind == KINDS[kind]})
        hint = choices(name, known, "The routines of this path")
        raise NotFound(f"There is no routine '{name[:100]}'.{hint}", reason="unknown_routine")
    sent = inline if inline is not None else _params(query, body)
    chosen = overloads.choose(named, sent, _OPTIONS)
    routine, values = chosen.routine, chosen.values
    preferred: dict[str, str] = {}
    applied = ""
    if "prefer" in http.headers:
        applied, strict = preferences.checked(http.headers, preferred, _PREFERENCES, strict=strict)
        if "handling=strict" in applied and media_type(http.headers.get("accept", "")) not in _FORMATS:
            raise preferences.NotAcceptable("Routines respond only with JSON. Send Accept: application/json.")
    if strict:
        _reject_unknown(routine, query, sent)
    if any("explain" in given for given in (query, sent)) and "explain" not in _parameters(routine):
        message = "Option 'explain' applies only to reads of tables, because the routine would run. Leave it out."
        raise BadRequest(message, reason="bad_option", context={"option": "explain"})
    query = query | {k: v for k, v in preferred.items() if k not in query and k not in _parameters(routine)}
    places = None
    if routine.many and _parameters(routine).isdisjoint(("limit", "offset")):
        places = preferences.ranged(http.headers, query)
    parsed = routine_rows.options_of(routine, query, body)
    guards = _guards(routine, query, body, preferred, parsed)
    run = partial(_run, actor, routine, values, parsed, guards.max_affected, read_only=verb == "GET")
    try:
        if guards.dry_run and verb == "POST":
            async with transaction.undone(dataset) as undone:
                rows = await run(undone)
        else:
            rows = await run(dataset)
    except asyncpg.PostgresError as error:
        raise of_read(error) from None
    headers = {"Dry-Run": "true"} if guards.dry_run else {}
    if applied:
        headers["Preference-Applied"] = applied
    if not isinstance(rows, list):
        response = Response(dumps(rows), headers=headers)
    else:
        shaping = query | ({k: v for k, v in body.items() if isinstance(v, str)} if isinstance(body, dict) else {})
        shaping = {name: value for name, value in shaping.items() if name not in _parameters(routine)}
        shaped = _shaped(rows, shaping.get("returns", ""), shaping.get("wrapper", ""))
        response = Response(dumps(shaped), headers=headers)
    if places is not None:
        response.headers["Content-Range"] = preferences.content_range(places, response.body)
    return response


def is_dry_run(query: Mapping[str, str], prefer: str) -> bool:
    """Whether a call may be rolled back, in which case its response is not stored for an Idempotency-Key."""
    return "dry_run" in query or "rollback" in prefer.lower()


def _parameters(routine: Routine) -> set[str]:
    return set(overloads.names(routine))


def _guards(
    routine: Routine, query: Mapping[str, str], body: Any, preferred: Mapping[str, str], parsed: Options | None
) -> Options:
    """Return the options `dry_run` and `max_affected`; parameters of the same name take precedence.

    Raises:
        BadRequest: the rows changed by the call cannot be counted.
    """
    sent: dict[str, Any] = {}
    for given in (body if isinstance(body, dict) else {}, query):
        sent |= {name: given[name] for name in _GUARDS if name in given and name not in _parameters(routine)}
    guards = read_options(sent | {name: preferred[name] for name in _GUARDS if name in preferred})
    if guards.max_affected is not None and (routine.kind == "p" or not routine.many or parsed is not None):
        raise BadRequest(
            "max_affected limits the rows that a function returns, so it applies only to a function that returns a "
            "set, called without options for its rows.",
            reason="bad_option",
            context={"option": "max_affected"},
        )
    return guards


def _reject_unknown(routine: Routine, query: Mapping[str, str], sent: Sent) -> None:
    """Reject parameters and options that a call would ignore.

    Raises:
        BadRequest: `unknown_option`.
    """
    known = _parameters(routine) | {*_SHAPING, *_GUARDS, *routine_rows.OPTIONS}
    names = dict.fromkeys((*query, *(sent if isinstance(sent, dict) else ())))
    if unknown := [name for name in names if name.lower() not in known and "." not in name]:
        raise BadRequest(
            f"'{routine.name}' has no parameter or option '{unknown[0][:100]}'.{suggestion(unknown[0], known)}",
            reason="unknown_option",
            context={"options": [name[:100] for name in unknown]},
        )


async def _named(dataset: Dataset, actor: Actor, name: str, verb: str) -> list[Routine]:
    """Return the public routines with this name, reloading the schema if there are none.

    Those with exactly this name take precedence over those with the name in another case.
    """
    for again in (False, True):
        if again:
            await dataset.look()
        if named := [routine for routine in public(dataset, actor.role, verb) if routine.name.lower() == name.lower()]:
            return [routine for routine in named if routine.name == name] or named
    return []


# -- parameters ------------------------------------------------------------------------------------------------------


def _inline(text: str) -> tuple[str, Sent | None]:
    """Return the name and the parameters of a path such as `add(1,'x, y')`."""
    name, opened, rest = text.partition("(")
    if not opened:
        return text, None
    if not rest.endswith(")"):
        raise BadRequest("The closing parenthesis of the parameters in the path is missing.", reason="bad_params")
    inner = rest[:-1].strip()
    return name, [_cell(*match.groups()) for match in _CELL.finditer(f"{inner},")] if inner else []


_CELL = re.compile(r"\s*+(?:'((?:[^']|'')*+)'\s*+|([^,]*+)),")  # a value in quotes, or up to the next comma


def _cell(quoted: str | None, plain: str | None) -> exact_json.Cell | None:
    if plain is None:
        return exact_json.Cell((quoted or "").replace("''", "'"))
    return None if plain.strip().lower() == "null" else Unquoted(plain.strip())


def _params(query: dict[str, str], body: Any) -> Sent:
    """Return the parameters of a request: a list by position, or an object by name."""
    sent: Any = query.get("params")
    if sent is not None:
        try:
            sent = exact_json.loads(sent)
        except orjson.JSONDecodeError:
            raise BadRequest("Option 'params' must be JSON.", reason="bad_params") from None
    if isinstance(body, dict) and "params" in body:
        sent = body["params"]
    if sent is None and isinstance(body, list):
        sent = body
    if sent is None:  # a body without `params` contains the parameters themselves
        named = {name: Unquoted(value) for name, value in query.items()} | (body if isinstance(body, dict) else {})
        return {str(name): value for name, value in named.items()}
    if isinstance(sent, dict):
        return sent
    if not isinstance(sent, list):
        raise BadRequest("Option 'params' must be a list or an object.", reason="bad_params")
    if sent and all(isinstance(item, dict) and "name" in item for item in sent):
        return {str(item["name"]): item.get("value") for item in sent}
    return [item["value"] if isinstance(item, dict) and item.keys() == {"value"} else item for item in sent]


# -- running ---------------------------------------------------------------------------------------------------------


def _call(routine: Routine, values: Mapping[int, Any], binder: Binder) -> Function[Any]:
    """Build the call with bound values. Omitted parameters use their defaults; names are the catalog's.

    Parameters are passed by name where all have one, because another overload may have the same types.
    """
    arguments: list[Any] = []
    passed = [argument for argument in routine.arguments if argument.sent or routine.kind == "p"]
    omitted, place = len(values) < len(routine.sent), 0
    gap = all(argument.name for argument in passed) and (omitted or all(argument.mode != "v" for argument in passed))
    for argument in passed:
        if not argument.sent:
            arguments.append(_argument(argument, sa.null(), gap))
            continue
        if place in values:
            arguments.append(
                _argument(
                    argument, binder.value(argument.type, ("value", str(place)), argument.name or str(place + 1)), gap
                )
            )
        else:
            gap = True
        place += 1
    quoted = sa.sql.elements.quoted_name
    return Function(quoted(routine.bare, True), *arguments, packagenames=(quoted(routine.schema, True),))


def _argument(argument: Argument, value: Any, named: bool) -> Any:
    """Return a parameter of the call, passed by name after an omitted one."""
    if argument.mode == "v":
        return sa.literal_column("variadic ").op("")(value)
    return (
        sa.column(sa.sql.elements.quoted_name(argument.name, True)).op("=>")(value)
        if named and argument.name
        else value
    )


async def _run(
    actor: Actor,
    routine: Routine,
    values: Mapping[int, Any],
    parsed: Options | None,
    most: int | None,
    dataset: Any,
    *,
    read_only: bool,
) -> Any:
    """Run a routine, and return its rows as requested by the options.

    most: option `max_affected`. read_only: for GET, which rejects routines that write.
    """
    _check_names(routine, [name for name, _ in routine.outputs])
    bindings = Bindings(Actor(""), [], {}, [], record={str(n): v for n, v in values.items()})
    async with (dataset.db.reads if read_only else dataset.db.writes).acquire() as connection:
        if routine.kind == "p":
            plan = _plan(dataset, routine, values, lambda call, _: call)
            args = arguments(plan.parameters, bindings)
            await routine_rows.read_times_as_text(connection, routine)
            try:
                row = await connection.fetchrow("CALL " + plan.sql, *args)
            except asyncpg.UnsupportedClientFeatureError:  # on preparing the statement, so nothing has run
                raise Conflict(
                    f"'{routine.name}' has an output of a range or composite type of dates or times, which cannot be "
                    "read from a procedure. Contact the administrator of the database: a function can return it.",
                    reason="definition_fails",
                ) from None
            return await routine_rows.outputs(connection, routine, row) if row is not None and len(row) else []
        if parsed is not None:
            key, call = _key(routine, values), partial(_call, routine, values)
            rights = dataset.rights(actor.role)
            try:
                async with connection.transaction(readonly=read_only):
                    return await routine_rows.read(
                        dataset, actor, rights, routine, key, call, parsed, values, connection
                    )
            except asyncpg.ReadOnlySQLTransactionError:
                raise _changes_data() from None
        plan = _plan(dataset, routine, values, partial(_records, routine))
        args = arguments(plan.parameters, bindings)
        try:
            async with connection.transaction(readonly=read_only):
                row = await connection.fetchrow(plan.sql, *args)
                if routine.columns_unknown:
                    _check_names(routine, row["names"])
                rows = exact_json.loads(row["body"])
                check_affected(most, len(rows))
        except asyncpg.ReadOnlySQLTransactionError:
            raise _changes_data() from None
    return rows


def _plan(
    dataset: Any, routine: Routine, values: Mapping[int, Any], build: Callable[[Function[Any], Binder], Any]
) -> WritePlan:
    """Return the statement of a call with these parameters, which is kept for the next one."""
    key = _key(routine, values)
    known: WritePlan | None = dataset.plan_cache.get(key)
    if known is None:
        binder = Binder()
        statement = finish(build(_call(routine, values, binder), binder), binder)
        known = WritePlan(statement.sql, bound(statement))
        metrics.count("plans", "routine")
        dataset.plan_cache.keep(key, known)
    return known


def _key(routine: Routine, values: Mapping[int, Any]) -> tuple[Any, ...]:
    """Return the key of a call among the plans.

    Of a polymorphic or variadic routine, each call has its own types.
    """
    types = tuple((argument.name, argument.mode, argument.type.name) for argument in routine.arguments)
    outputs = tuple((name, type_.name) for name, type_ in routine.outputs)
    return "routine", routine.kind, routine.schema, routine.bare, routine.result, types, outputs, tuple(values)


def _records(routine: Routine, call: Function[Any], binder: Binder) -> sa.Select[Any]:
    """Select the rows of a function as one JSON array, and the column names if only a row has them."""
    if not routine.columns_unknown:
        table = routine_rows.table_of(routine)
        shown: list[Any] = [sa.literal_column("*")]  # of a function that returns nothing
        if table is not None:
            returned = routine_rows.returned(routine, table, call, binder)
            shown = [output(returned.c[c.name], c.type).label(c.name) for c in table.columns.values()]
        rows: Any = sa.select(*shown).select_from(call if table is None else returned).subquery(binder.name("r"))
        records = sa.func.coalesce(sa.func.json_agg(rows.table_valued()), _NO_ROWS)
        return sa.select(records.label("body")).select_from(rows)
    rows = sa.select(call.label("row")).subquery(binder.name("r"))  # PostgreSQL accepts it only as a value
    record = sa.func.to_json(rows.c.row)
    records = sa.func.coalesce(sa.func.json_agg(record).filter(record.is_not(None)), _NO_ROWS)
    found = sa.select(records.label("body")).select_from(rows).subquery(binder.name("f"))
    # NULL::json has no keys, and all rows of one call have the same columns.
    names = sa.func.array(sa.select(sa.func.json_object_keys(found.c.body.op("->")(_FIRST))).scalar_subquery())
    return sa.select(found.c.body, names.label("names")).select_from(found)


def _check_names(routine: Routine, names: list[str]) -> None:
    """Reject rows with two columns of the same name, of which a JSON object would have only one.

    Raises:
        Conflict: the definition of the routine has to change.
    """
    if len(set(names)) < len(names):
        name = next(name for place, name in enumerate(names) if name in names[:place])
        raise Conflict(
            f"'{routine.name}' returns several columns named '{name}'. Its definition must give each its own name, "
            "for example with AS in its last SELECT. Contact the administrator of the database.",
            reason="definition_fails",
            context={"field": name},
        )


def _changes_data() -> MethodNotAllowed:
    return MethodNotAllowed("This routine changes data. Call it with POST.", headers={"Allow": "POST"})


def _shaped(rows: Any, returns: str, wrapper: str) -> Any:
    """Shape the rows according to `returns` (a type for a value, TABLE for rows) and `wrapper`."""
    result = rows
    if returns and returns.lower() != "table":
        kind = _SCALARS.get(returns.lower())
        if kind is None:
            raise BadRequest(f"Option 'returns' must be TABLE or one of {', '.join(_SCALARS)}.", reason="bad_option")
        first = next(iter(rows[0].values()), None) if rows else None
        try:
            result = None if first is None else kind(first)
        except (TypeError, ValueError, OverflowError):
            raise BadRequest(f"The result cannot be converted to {returns}.", reason="bad_option") from None
    return {wrapper: result} if wrapper else result
