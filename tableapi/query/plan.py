"""A read request + schema + rights -> a plan, or a refusal. Pure; plans are kept by the shape of the request.

The literals of the filter, identifiers, the offset, the cursor and named values are not part of the shape: they are
bound at each request. What is left, with the table and the role, is the key under which a plan is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tableapi.auth.policy import Actor
from tableapi.auth.rights import Right, Rights
from tableapi.errors import BadRequest, DuplicateField, Forbidden, UnknownField
from tableapi.query import aggregate, columns
from tableapi.query.bounds import Bounds
from tableapi.query.filter import cache
from tableapi.query.filter.ast import Filter
from tableapi.query.names import names, order_terms
from tableapi.query.options import Options
from tableapi.query.select import Statement, counting, group_count, grouping, keyed, listing
from tableapi.query.where import Binder, ParamSource, Scope, bad_value
from tableapi.schema.model import Column, Table
from tableapi.schema.types import BadValue, check


@dataclass(slots=True)
class Bindings:
    """What one request binds."""

    actor: Actor
    literals: list[str]
    params: dict[str, Any]
    ids: list[list[Any]]
    offset: int = 0
    cursor: list[Any] | None = None
    record: dict[str, Any] | None = None


@dataclass(slots=True)
class Plan:
    sql: str
    binders: list[Callable[[Bindings], Any]]
    table: Table
    kind: str  # list, keyed, count
    options: Options
    limit: int = 0
    probe: bool = False
    mark: str = ""  # of the order, for cursors
    sealed: bool = False
    names: tuple[str, ...] = ()
    counter: Plan | None = None
    replica: bool = False  # whether a replica may answer
    estimate: bool = False  # of a count: the answer is what PostgreSQL expects, by its plan
    measure: Plan | None = None  # tells how large the answer would be, where it may be too large

    def args(self, values: Bindings) -> list[Any]:
        """The bound values, in order. Raises BadRequest for one that does not fit its field."""
        return [get(values) for get in self.binders]


def bound(shape: Statement) -> list[Callable[[Bindings], Any]]:
    return [_getter(slot) for slot in shape.slots]


def _getter(slot: ParamSource) -> Callable[[Bindings], Any]:
    convert, label = slot.convert, slot.label
    if slot.source[0] == "actor":
        return _actor(slot.source[1], convert)
    raw = _source(slot.source)
    if convert is None:
        return raw

    def get(values: Bindings) -> Any:
        value = raw(values)
        if value is None:
            return None
        try:
            return convert(value)
        except BadValue as error:
            raise bad_value(label, error) from None

    return get


def _source(source: tuple[Any, ...]) -> Callable[[Bindings], Any]:
    match source:
        case ("const", value):
            return lambda _: value
        case ("offset",):
            return lambda v: v.offset
        case ("lit", place):
            return lambda v: v.literals[place]
        case ("param", name):
            return lambda v: v.params[name]
        case ("param", name, place):
            return lambda v: v.params[name][place]
        case ("id", which, part):
            return lambda v: v.ids[which][part]
        case ("cursor", place):
            return lambda v: v.cursor[place] if v.cursor else None
        case ("value", name):
            return lambda v: v.record[name] if v.record else None
    raise AssertionError(source)


def _actor(name: str, convert: Callable[[Any], Any] | None) -> Callable[[Bindings], Any]:
    """A value of the caller. What the caller does not have, or does not fit, is NULL, which equals nothing."""

    def get(values: Bindings) -> Any:
        value = values.actor.values.get(name)
        try:
            return value if convert is None or value is None else convert(value)
        except BadValue:
            return None

    return get


# -- making plans ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """One read as the planner sees it."""

    table: Table
    right: Right
    rights: Rights
    options: Options
    filter: Filter | None
    bounds: Bounds
    verb: str = "GET"

    def scope(self) -> Scope:
        binder = Binder(self.options.params)
        return Scope(self.table, binder.alias(self.table), self.right, self.rights, binder)

    def reader(self) -> columns.Reader:
        return columns.Reader(self.options, self.bounds.rows, self.bounds.filter)


def right_of(table: Table, rights: Rights, verb: str) -> Right:
    """Raises Forbidden when the role has no right for this verb."""
    right = rights.right(table, verb)
    if right is None:
        raise Forbidden(f"Your role may not {verb} '{table.name}'.")
    return right


def list_plan(asked: ReadRequest, cursor: list[Any] | None = None) -> Plan:
    options, bounds = asked.options, asked.bounds
    if options.include_schema and options.count_only:
        options.include_schema = False
    if options.count_only:
        return count_plan(asked)
    own_limit = options.limit is not None and 0 < options.limit <= bounds.rows
    limit = options.limit if own_limit and options.limit else bounds.rows
    probe = not own_limit or options.cursor is not None or options.estimated
    scope, columns = asked.scope(), asked.reader()
    tree = asked.filter.tree if asked.filter else None
    if aggregate.asked(options):
        if options.related.strip():
            raise BadRequest("Groups have no relations; leave out 'related'.", reason="bad_option")
        if options.cursor is not None:
            raise BadRequest("Groups have no cursor; use limit and offset.", reason="bad_option")
        shape = grouping(scope, options, tree, limit, bounds.filter, probe=probe)
    else:
        shape = listing(scope, columns, tree, limit, probe=probe, cursor=cursor, most=bounds.answer_rows)
    plan = Plan(shape.sql, bound(shape), asked.table, "list", options, limit, probe, sealed=columns.sealed)
    plan.mark = order_mark(asked.table, options)
    plan.names = tuple(columns.top)
    plan.replica = _from_replica(scope)
    plan.measure = _measure(shape, asked)
    if probe or options.estimated:
        plan.counter = count_plan(asked)
    return plan


def _measure(shape: Statement, asked: ReadRequest) -> Plan | None:
    if shape.measure is None:
        return None
    return Plan(shape.measure.sql, bound(shape.measure), asked.table, "measure", asked.options)


def count_plan(asked: ReadRequest) -> Plan:
    options, scope = asked.options, asked.scope()
    tree = asked.filter.tree if asked.filter else None
    if grouped := aggregate.asked(options):
        shape = group_count(scope, options, tree, asked.bounds.filter)
    else:
        shape = counting(scope, tree, explain=options.estimated)
    plan = Plan(shape.sql, bound(shape), asked.table, "count", options, estimate=options.estimated and not grouped)
    plan.replica = _from_replica(scope)
    return plan


def keyed_plan(asked: ReadRequest, wanted: list[Column], count: int, *, lock: bool = False) -> Plan:
    scope, columns = asked.scope(), asked.reader()
    shape = keyed(scope, columns, wanted, count, lock=lock, most=asked.bounds.answer_rows)
    plan = Plan(shape.sql, bound(shape), asked.table, "keyed", asked.options, sealed=columns.sealed)
    plan.names = tuple(columns.top)
    plan.replica = _from_replica(scope)
    plan.measure = _measure(shape, asked)
    return plan


def _from_replica(scope: Scope) -> bool:
    """Whether every table of the statement allows it: money beside a contact is still money."""
    found = [scope.rights.right(table, "GET") for table in scope.binder.tables.values()]
    return all(right is not None and right.replica for right in found)


def order_mark(table: Table, options: Options) -> str:
    """A cursor belongs to one order of one table; this tells it from others."""
    order = repr((table.name, table.key, order_terms(options.order)))
    return hashlib.blake2b(order.encode(), digest_size=8).hexdigest()


def params_shape(params: dict[str, Any]) -> tuple[str, ...]:
    return tuple(f"{name}={cache.named(value)}" for name, value in sorted(params.items()))


# -- identifiers -----------------------------------------------------------------------------------------------------


def identifying(table: Table, id_field: str, right: Right) -> list[Column]:
    """The fields that identify a record: those of id_field, which must be unique, or the key."""
    if id_field.strip():
        found = []
        for name in names(id_field):
            column = table.find(name)
            if column is None or not right.sees(column.name):
                raise UnknownField(name, table.name)
            if column in found:
                raise DuplicateField(column.name)
            found.append(column)
        if not table.is_unique(c.name for c in found):
            raise BadRequest(f"'{id_field[:100]}' is not unique and cannot identify a record.", reason="not_unique")
        return found
    if not table.key:
        raise BadRequest(f"Table '{table.name}' has no key. Use a filter.", reason="no_key")
    return [table.columns[name] for name in table.key]


def identifier(value: Any, wanted: list[Column]) -> list[Any]:
    """The values of one identifier: a plain value, (a,b) for several fields, an array or an object."""
    if isinstance(value, dict):
        parts = [_part(value, c.name) for c in wanted]
    elif isinstance(value, list):
        parts = value
    elif len(wanted) == 1:
        parts = [value]
    else:
        text = str(value).strip()
        if text.startswith("(") and text.endswith(")"):
            text = text[1:-1]
        parts = [part.strip() for part in text.split(",")]
    if len(parts) != len(wanted) or any(p is None or isinstance(p, dict | list) for p in parts):
        fields = ", ".join(c.name for c in wanted)
        raise BadRequest(f"An identifier needs a value for: {fields}.", reason="bad_identifier")
    return parts


def _part(value: dict[Any, Any], name: str) -> Any:
    """The value of one field of an identifier given as an object; its exact name comes first."""
    if name in value:
        return value[name]
    found = [one for key, one in value.items() if str(key).lower() == name.lower()]
    if len(found) > 1:
        raise DuplicateField(name)
    return found[0] if found else None


def checked(column: Column, value: Any) -> Any:
    """The value as it is bound. Raises BadRequest when it does not fit the field."""
    try:
        return check(column.type, value)
    except BadValue as error:
        raise bad_value(column.name, error) from None


def order_length(asked: ReadRequest) -> int:
    """How many values a cursor of this order holds."""
    return len(columns.ordering(asked.scope(), order_terms(asked.options.order), asked.table.key, total=True))
