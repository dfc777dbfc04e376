"""Plan reads: turn a request, the schema and the caller's rights into SQL, or raise an error.

Plans are cached by table, role and options. Filter literals, identifiers, the offset, the cursor and named values are
not part of the key, because they are bound at each request.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from tableapi import exact_json
from tableapi.auth.rights import Right, Rights
from tableapi.errors import BadRequest, DuplicateField, Forbidden
from tableapi.query import aggregate, columns
from tableapi.query.cursor import ordering
from tableapi.query.expressions.conditions import where
from tableapi.query.expressions.operands import Scope
from tableapi.query.expressions.order import order_terms
from tableapi.query.filter import cache
from tableapi.query.filter.ast import Filter
from tableapi.query.limits import FilterLimits, Limits
from tableapi.query.names import key_parts, names
from tableapi.query.options import Options, is_condition
from tableapi.query.select import counting, group_count, grouping, keyed, listing
from tableapi.query.spelling import unknown_field
from tableapi.query.statement import Binder, Parameter, Statement, UnfitValue, arguments, bound, too_complex
from tableapi.query.statement import Bindings as Bindings
from tableapi.schema.model import Column, Table
from tableapi.schema.types import NESTED_KINDS, BadValue, stored


@dataclass(slots=True)
class Plan:
    """A compiled read.

    kind: list, keyed, count or measure. probe: whether one row more than `limit` is read. meta: whether the response
    may have `meta`. mark: identifies the order, for cursors. sealed: 1 if the response has sealed fields, CREDENTIAL
    if some of them grant access.
    beyond_row: whether it has more than columns of the row. names: the fields of a record. counter: the plan of the
    count. replica: whether a replica may run it. patterns: whether it contains a regular expression from the request.
    estimate: whether it is a count estimated by PostgreSQL's planner. measure: the plan that returns the size of the
    response, if that may be too large.
    """

    sql: str
    parameters: list[Parameter]
    table: Table
    kind: str
    options: Options
    limit: int = 0
    probe: bool = False
    meta: bool = False
    mark: str = ""
    sealed: int = 0
    names: tuple[str, ...] = ()
    counter: Plan | None = None
    replica: bool = False
    patterns: bool = False
    beyond_row: bool = False
    estimate: bool = False
    measure: Plan | None = None

    def args(self, values: Bindings) -> list[Any]:
        """Return the parameters of the statement, in order.

        Raises:
            BadRequest: a value does not fit its field.
        """
        return arguments(self.parameters, values)


# -- building plans ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """One read, as input of the planner.

    account: the field that names the account for which the read is recorded; paths must not lead to other accounts
    then.
    """

    table: Table
    right: Right
    rights: Rights
    options: Options
    filter: Filter | None
    limits: Limits
    verb: str = "GET"
    account: str = ""

    def scope(self) -> Scope:
        """Return a new scope of the table."""
        binder = reading_binder(self.options, self.limits.filter)
        binder.account, binder.binds = self.account, True
        return Scope(self.table, binder.alias(self.table), self.right, self.rights, binder)

    def reader(self) -> columns.Reader:
        return columns.Reader(self.options, self.limits.rows, self.limits.filter)


def reading_binder(options: Options, limits: FilterLimits) -> Binder:
    """Return the binder of a read or of a write by filter, with the options of the request."""
    binder = Binder(options.params, limits)
    binder.narrow = columns.narrowing(options, limits)
    binder.condition = columns.filtering(limits)
    return binder


_ACTIONS = {"GET": "read", "POST": "create records in", "PUT": "change", "PATCH": "change", "DELETE": "delete from"}


def right_of(table: Table, rights: Rights, verb: str) -> Right:
    """Return a role's right to use a verb on a table.

    Raises:
        Forbidden: the role does not have it.
    """
    right = rights.right(table, verb)
    if right is None:
        raise no_right_to(table, verb)
    return right


def no_right_to(table: Table, verb: str) -> Forbidden:
    """Build the error for a role without the right to use a verb on a table."""
    return Forbidden(f"Your role is not allowed to {_ACTIONS.get(verb, verb)} '{table.name}'.")


def check_combination(options: Options) -> None:
    """Reject options of a list that exclude each other.

    Raises:
        BadRequest: groups with relations or a cursor, or distinct records with groups or a cursor.
    """
    grouped = aggregate.is_grouped(options)
    if options.distinct.strip() and (grouped or options.cursor is not None):
        raise BadRequest(
            "Option 'distinct' supports neither groups nor cursors. Use limit and offset.",
            reason="bad_option",
            context={"option": "distinct"},
        )
    if grouped and options.related.strip():
        raise BadRequest("Groups do not support relations. Leave out 'related'.", reason="bad_option")
    if grouped and options.cursor is not None:
        raise BadRequest("Groups do not support cursors. Use limit and offset.", reason="bad_option")


def list_plan(request: ReadRequest, cursor: list[Any] | None = None) -> Plan:
    """Build the plan of a read by filter, of groups, or of a count.

    cursor: None without one, else the values at which the last page ended, [] for the first page.

    Raises:
        ApiError: an option names something that the caller may not read, or that does not exist.
    """
    options, limits = request.options, request.limits
    if options.include_schema and options.count_only:
        options.include_schema = False
    if options.count_only:
        return count_plan(request)
    own_limit = options.limit is not None and 0 < options.limit <= limits.rows
    limit = options.limit if own_limit and options.limit else limits.rows
    probe = not own_limit or options.cursor is not None or options.estimated
    scope, reader = request.scope(), request.reader()
    tree = request.filter.tree if request.filter else None
    check_combination(options)
    if aggregate.is_grouped(options):
        statement = grouping(scope, options, tree, limit, limits.filter, probe=probe)
    else:
        statement = listing(scope, reader, tree, limit, probe=probe, position=cursor, max_rows=limits.answer_rows)
    plan = Plan(statement.sql, bound(statement), request.table, "list", options, limit, probe, sealed=reader.sealed)
    plan.mark = order_mark(request.table, options)
    plan.names = tuple(reader.top)
    plan.replica, plan.patterns = _from_replica(scope), scope.binder.patterns
    plan.measure = _measure(statement, request)
    if probe or options.estimated:
        plan.counter = count_plan(request)
    plan.meta = probe or options.estimated or options.include_count or options.include_schema
    return plan


def _measure(statement: Statement, request: ReadRequest) -> Plan | None:
    """Return the plan that measures the response of a statement, if needed."""
    if statement.measure is None:
        return None
    return Plan(statement.measure.sql, bound(statement.measure), request.table, "measure", request.options)


def count_plan(request: ReadRequest) -> Plan:
    """Build the plan of a count of records or groups."""
    options, scope = request.options, request.scope()
    tree = request.filter.tree if request.filter else None
    if aggregate.is_grouped(options):
        statement = group_count(scope, options, tree, request.limits.filter)
    else:
        statement = counting(scope, tree, options.distinct, explain=options.estimated)
    plan = Plan(statement.sql, bound(statement), request.table, "count", options, estimate=statement.estimates)
    plan.replica, plan.patterns = _from_replica(scope), scope.binder.patterns
    return plan


def keyed_plan(request: ReadRequest, key: list[Column], count: int, *, lock: bool = False) -> Plan:
    """Build the plan of a read by identifying fields and an optional filter.

    key: the identifying fields. count: the maximum number of records.
    """
    scope, reader = request.scope(), request.reader()
    tree = request.filter.tree if request.filter else None
    statement = keyed(scope, reader, key, count, tree, lock=lock, max_rows=request.limits.answer_rows)
    plan = Plan(statement.sql, bound(statement), request.table, "keyed", request.options, sealed=reader.sealed)
    plan.patterns = scope.binder.patterns
    plan.names = tuple(reader.top)
    plan.replica, plan.beyond_row = _from_replica(scope), request.options.beyond_row(request.table)
    plan.measure = _measure(statement, request)
    return plan


def rounded(count: int) -> int:
    """Round up the number of records in a plan by identifiers, so that a few plans cover every number."""
    return next((most for most in (1, 10, 100) if count <= most), max(count, 1000))


def _from_replica(scope: Scope) -> bool:
    """Return whether the policy permits every table of the statement to be read from a replica."""
    rights = [scope.rights.right(table, "GET") for table in scope.binder.tables.values()]
    return all(right is not None and right.replica for right in rights)


def order_mark(table: Table, options: Options) -> str:
    """Return a digest of the table and its order, so that a cursor from another order is rejected."""
    order = repr((table.name, table.key, order_terms(options.order)))
    return hashlib.blake2b(order.encode(), digest_size=8).hexdigest()


def conditions(options: Options, limits: FilterLimits) -> dict[str, cache.Literals]:
    """Return the literals of the conditions of a read besides its filter, by option.

    Raises:
        BadFilter: a condition is invalid.
        BadRequest: `too_complex`; they have too many literals in total.
    """
    if not options.having and not options.relations:
        return {}
    texts = [("having", options.having), *options.relations.items()]
    found = {name: cache.parse(text, limits)[1] for name, text in texts if is_condition(name) and text.strip()}
    lists = [literal for literals in found.values() for literal in literals if isinstance(literal, list)]
    if sum(map(len, lists)) > limits.of_request()["values"]:
        raise too_complex("values", limits)
    return found


def params_key(params: dict[str, Any]) -> tuple[str, ...]:
    """Return the aspects of the named values that a plan depends on."""
    return tuple(f"{name}={cache.param_kind(value)}" for name, value in sorted(params.items()))


# -- identifiers -----------------------------------------------------------------------------------------------------


def identifying(table: Table, id_field: str, right: Right) -> list[Column]:
    """Return the fields that identify a record: those of `id_field`, or the key.

    Raises:
        UnknownField: `id_field` names an unknown field.
        BadRequest: the fields are not unique, or the table has no key.
    """
    if id_field.strip():
        columns = []
        for name in names(id_field):
            column = table.find(name)
            if column is None or not right.can_read(column.name):
                raise unknown_field(name, table, right)
            if column in columns:
                raise DuplicateField(column.name)
            columns.append(column)
        if not table.is_unique(c.name for c in columns):
            raise BadRequest(f"'{id_field[:100]}' is not unique, so it cannot identify a record.", reason="not_unique")
        return columns
    if not table.key:
        raise BadRequest(f"Table '{table.name}' has no primary key. Use a filter.", reason="no_primary_key")
    return [table.columns[name] for name in table.key]


def identifier(value: Any, key: list[Column]) -> list[Any]:
    """Parse one identifier: a single value, `(a,b)`, a list or an object.

    A text for a JSON, array or composite field may be JSON, as in a CSV cell.

    Raises:
        BadRequest: a value is missing.
    """
    if isinstance(value, str) and len(key) == 1:  # nearly every request
        return [value if key[0].type.kind not in NESTED_KINDS else exact_json.Cell(value)]
    if type(value) is dict and len(key) == 1 and type(value.get(key[0].name)) in (str, int):  # nearly every list
        return [value[key[0].name]]
    if isinstance(value, dict):
        parts = [_part(value, column.name) for column in key]
    elif isinstance(value, list) and not (len(key) == 1 and key[0].type.kind == "array"):
        parts = value
    elif len(key) == 1:
        parts = [value]
    else:
        nested = (column.type.kind in NESTED_KINDS for column in key)
        parts = [exact_json.Cell(part) if next(nested, False) else part for part in key_parts(str(value))]
    if len(parts) != len(key) or any(map(_unfit, parts, key)):
        fields = ", ".join(column.name for column in key)
        if isinstance(value, dict):
            missing = ", ".join(f"'{c.name}'" for c, part in zip(key, parts, strict=True) if _unfit(part, c))
            raise BadRequest(f"The record has no {missing}, which identifies it.", reason="bad_identifier")
        if len(parts) < len(key):
            form = ",".join(f"<{column.name}>" for column in key)
            message = f"The key has {len(key)} fields. Identify a record by {form}."
            raise BadRequest(message, reason="bad_identifier")
        quotes = " Put a value with a comma in quotes." if len(parts) > len(key) > 1 else ""
        raise BadRequest(f"An identifier must have a value for each of: {fields}.{quotes}", reason="bad_identifier")
    return parts


def _unfit(part: Any, column: Column) -> bool:
    """Return whether a part of an identifier cannot be a value of its field."""
    return part is None or (isinstance(part, dict | list) and column.type.kind not in NESTED_KINDS)


def _part(value: dict[Any, Any], name: str) -> Any:
    """Return the value of one field of an identifier sent as an object. An exact match of the name wins."""
    if name in value:
        return value[name]
    values = [other for key, other in value.items() if str(key).lower() == name.lower()]
    if len(values) > 1:
        raise DuplicateField(name)
    return values[0] if values else None


def checked(column: Column, value: Any) -> Any:
    """Convert a value for binding.

    Raises:
        BadRequest: it does not fit the field.
    """
    try:
        return stored(column.type, value)
    except BadValue as error:
        raise UnfitValue(column.name, error, value) from None


def order_length(request: ReadRequest) -> int:
    """Return the number of values in a cursor of this order."""
    scope, terms = request.scope(), order_terms(request.options.order)
    if any(term.function is not None and term.function.name == "rank" for term in terms):
        where(scope, request.filter.tree if request.filter else None)  # RANK refers to the words in the filter
    return len(ordering(scope, terms, request.table.key, total=True))
