"""Groups and aggregates, and the JSON of a page of rows. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson
import sqlalchemy as sa

from tableapi.errors import BadRequest
from tableapi.query import cursor, fields, syntax
from tableapi.query.expressions.conditions import clause
from tableapi.query.expressions.operand import Operand
from tableapi.query.expressions.operands import Scope, aggregate, no_window, single
from tableapi.query.expressions.order import order_terms
from tableapi.query.filter import cache
from tableapi.query.filter.ast import shifted
from tableapi.query.filter.comparable import check_sortable
from tableapi.query.limits import FilterLimits
from tableapi.query.names import FUNCTIONS
from tableapi.query.options import Options
from tableapi.query.statement import Binder
from tableapi.query.syntax import Function, Selected, Term
from tableapi.schema.sqltypes import Named, Native, shown

# Words for aliases that cannot be column names: PostgreSQL would mistake such an alias for the column.
PLACE, MARK, ROW, ROWS = "tableapi place", "tableapi mark", "tableapi row", "tableapi rows"
MAX_NAME_BYTES = 63  # PostgreSQL's limit for names


def labels(names: Sequence[str]) -> list[str] | None:
    """Return short labels for the columns of a record, or None if PostgreSQL keeps their names whole.

    PostgreSQL truncates longer names, so two columns with the same beginning would become one.
    """
    if all(len(name) <= MAX_NAME_BYTES // 4 or len(name.encode()) <= MAX_NAME_BYTES for name in names):
        return None
    return [f"c{number}" for number in range(len(names))]


def json_of(row: Any, names: Sequence[str] | None) -> Any:
    """Return a record as JSON. `names`: the column names, if their labels were shortened."""
    if names is None:
        return sa.func.row_to_json(row.table_valued())
    text: Any = sa.literal_column("'{'")
    for number, (name, column) in enumerate(zip(names, row.c, strict=False)):
        key = sa.literal(("," if number else "") + orjson.dumps(name).decode() + ":", Native("text"))
        value = sa.func.coalesce(sa.cast(sa.func.to_json(column), Named("text")), sa.literal_column("'null'"))
        text = text.concat(key).concat(value)
    return sa.cast(text.concat(sa.literal_column("'}'")), Named("json"))


def probed(binder: Binder, rows: Any, limit: int, names: Sequence[str] | None = None) -> sa.Select[Any]:
    """Return a page without its last row, which was read in addition, and whether that row exists."""
    if PLACE not in rows.selected_columns:  # rows with window functions have their places
        rows = rows.add_columns(sa.func.row_number().over().label(PLACE))
    numbered = rows.subquery(binder.name(ROWS))
    place = numbered.c[PLACE]
    size: sa.ColumnElement[Any] = sa.literal_column(str(limit))
    row = (
        sa.select(*(c for c in numbered.c if c.name not in (PLACE, MARK)))
        .correlate(numbered)
        .subquery(binder.name(ROW))
    )
    body = sa.select(json_of(row, names)).select_from(row).scalar_subquery()
    page = sa.func.array_to_json(sa.func.array_agg(body).filter(place <= size))
    result = sa.select(page.label("body"), (sa.func.count() > size).label("more")).select_from(numbered)
    if MARK in numbered.c:
        last = sa.func.array_agg(numbered.c[MARK]).filter(place == size)
        result = result.add_columns(sa.func.array_to_json(last).label("position"))
    return result


# -- groups ----------------------------------------------------------------------------------------------------------


def is_grouped(options: Options) -> bool:
    """Return whether a read is grouped. Aggregates without `group` form one group of all rows."""
    if options.group.strip() or options.having.strip():
        return True
    return any(part.term is not None and part.term.aggregates for part in syntax.selected(options.fields or ""))


@dataclass(slots=True)
class Group:
    """The scope of `having` and `order` of a grouped read: keys, aggregates and aliases.

    keys: by lower-case name and function, because a column and a cast of it share a name. aliases: by lower-case name.
    """

    scope: Scope
    keys: dict[tuple[str, Function | None], Operand] = field(default_factory=dict)
    aliases: dict[str, Operand] = field(default_factory=dict)

    @property
    def table(self) -> Any:
        return self.scope.table

    @property
    def binder(self) -> Any:
        return self.scope.binder

    def relation(self, name: str) -> None:
        """Return None, because a group has no relations."""
        return

    def key(self, path: tuple[str, ...], function: Function | None) -> Operand | None:
        """Return the key that a term names, or None."""
        if function is None:
            name = ".".join(path).lower()
            by_name = (key for (own, _), key in self.keys.items() if own == name)
            if (key := self.keys.get((name, None)) or next(by_name, None)) is not None or len(path) == 1:
                return key
        return self.keys.get((single(self.scope, Term(path, function)).name.lower(), function))

    def operand(self, path: tuple[str, ...], function: Function | None = None) -> Operand:
        """Return a key, an aggregate, or one of them by its name in the response.

        Raises:
            BadRequest: `not_grouped`.
        """
        if function is not None and function.aggregates and not function.through:
            return aggregate(self.scope, path, function)
        name = ".".join(path)
        if function is None and name.lower() in self.aliases:
            return self.aliases[name.lower()]
        if (key := self.key(path, function)) is not None:
            return key
        word, _, column = name.partition("_")
        if function is None and name.lower() == "count_all":
            return aggregate(self.scope, ("*",), Function("count"))
        if function is None and word.lower() in FUNCTIONS and column:
            return aggregate(self.scope, (column,), Function(word.lower()))
        raise BadRequest(f"'{name[:100]}' is neither a grouped field nor an aggregate.", reason="not_grouped")


def grouped(
    scope: Scope, options: Options, conditions: list[Any], limits: FilterLimits
) -> tuple[Any, list[Any], list[str] | None]:
    """Return the select of the groups, its order, and the names for `json_of`.

    Raises:
        BadRequest: a field is not in `group`, or cannot be grouped by.
    """
    group, source = _keys(scope, options, conditions)
    columns = _columns(group, options)
    if not columns:
        raise BadRequest("Option 'having' needs 'group', or an aggregate in 'fields'.", reason="bad_option")
    keys = [key.expression for key in group.keys.values()]
    short_labels = labels(list(columns))
    labelled = [value.label(name) for value, name in zip(columns.values(), short_labels or columns, strict=True)]
    select = sa.select(*labelled).select_from(group.scope.clause).where(*source).group_by(*keys)
    if options.having.strip():
        tree, literals = cache.parse(options.having, limits)
        condition = shifted(tree.tree, scope.binder.constants(literals, "having"))
        select = select.having(clause(condition, group))  # type: ignore[arg-type]
    ordered = []
    order = []
    for term in order_terms(options.order):
        scope.binder.count("terms")
        operand = group.operand(term.path, term.function)
        check_sortable(operand)
        ordered.append(operand)
        order.append(cursor.directed(term, operand.expression))
    rest = (key for key in group.keys.values() if not any(key is operand for operand in ordered))
    order += [key.expression.asc() for key in rest if key.type.sorts]
    return select, order, list(columns) if short_labels else None


def _keys(scope: Scope, options: Options, conditions: list[Any]) -> tuple[Group, list[Any]]:
    """Return the keys of option `group`, and the conditions of the grouped rows.

    Keys other than plain columns are computed in a sub-select, so that PostgreSQL recognizes repeated ones as equal.
    """
    parts = syntax.selected(options.group)
    scope.binder.count("terms", len(parts))
    keys = [(part, _key(scope, part)) for part in parts]
    for _, key in keys:
        check_sortable(key, grouped=True)
    group = Group(scope)
    if any(key.column is None for _, key in keys):
        labelled = [
            key.expression.label(f"tableapi key {number}") for number, (_, key) in enumerate(keys) if key.column is None
        ]
        rows = sa.select(*scope.columns_read(), *labelled).where(*conditions).subquery(scope.binder.name("b"))
        group.scope, conditions = scope.over(rows), []
        keys = [
            (part, replace(key, expression=rows.c[key.column.name if key.column else f"tableapi key {number}"]))
            for number, (part, key) in enumerate(keys)
        ]
    for part, key in keys:
        function = part.term.function if part.term is not None else None
        group.keys[key.name.lower(), function] = named = replace(key, name=part.alias or key.name)
        if part.alias:
            group.aliases[part.alias.lower()] = named
    return group, conditions


def _key(scope: Scope, part: Selected) -> Operand:
    """Return one key of option `group`."""
    if (column := fields.named(scope, part)) is not None or part.term is None:
        return scope.operand((part.text if column is None else column.name,))
    if part.term.aggregates:
        raise BadRequest("Option 'group' takes fields, not aggregates.", reason="bad_option")
    key = single(scope, part.term)
    return replace(key, expression=key.sortable)


def _columns(group: Group, options: Options) -> dict[str, Any]:
    """Return the columns of a group by their names in the response.

    Raises:
        BadRequest: `not_grouped`.
    """
    if not options.fields:
        return _named([(key.name, key) for key in group.keys.values()], group, options)
    found: list[tuple[str, Operand]] = []
    for part in syntax.selected(options.fields):
        group.binder.count("fields")
        if part.term is not None and part.term.function is not None and part.term.function.over is not None:
            raise no_window(part.term.function)
        if part.term is not None and part.term.aggregates:
            operand = group.operand(part.term.path, part.term.function)
        else:
            operand = _grouped_field(group, part)
        if part.alias:
            group.aliases[part.alias.lower()] = operand
        found.append((part.alias or operand.name, operand))
    return _named(found, group, options)


def _named(found: list[tuple[str, Operand]], group: Group, options: Options) -> dict[str, Any]:
    """Return the columns by name.

    Raises:
        BadRequest: a key has the name of another column.
    """
    columns: dict[str, Operand] = {}
    keys = [id(key) for key in group.keys.values()]
    for name, operand in found:
        known = columns.setdefault(name, operand)
        if known is not operand and (id(known) in keys or id(operand) in keys):
            raise fields.same_name(name)
    texts = options.exact_texts
    return {name: shown(operand.expression, operand.type, texts=texts) for name, operand in columns.items()}


def _grouped_field(group: Group, part: Selected) -> Operand:
    """Return the key named by a part of `fields`."""
    if not part.alias and part.text.lower() in group.aliases:
        return group.aliases[part.text.lower()]
    function = part.term.function if part.term is not None else None
    path = (part.text,) if part.term is None or (part.term.plain and not part.alias) else part.term.path
    name, key = part.text, group.key(path, function)
    if key is None and function is None and len(path) == 1 and group.scope.table.function(path[0]) is None:
        name = group.scope.column(path[0]).name
    if key is None:
        raise BadRequest(
            f"Field '{name[:100]}' is not grouped. Add it to 'group', or use an aggregate such as MAX({name[:100]}).",
            reason="not_grouped",
        )
    return key
