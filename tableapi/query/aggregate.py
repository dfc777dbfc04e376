"""Groups and aggregates, and the JSON of a page of rows. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import aggregate_order_by

from tableapi.errors import BadRequest
from tableapi.query import cursor
from tableapi.query.bounds import Limits
from tableapi.query.filter import cache
from tableapi.query.filter.ast import shifted
from tableapi.query.filter.comparable import check_sortable
from tableapi.query.names import FUNCTIONS, names, order_terms, plain, split, whole_aggregate
from tableapi.query.options import Options
from tableapi.query.where import Scope, clause
from tableapi.schema.model import Column, Relation
from tableapi.schema.sqltypes import Named, Native, shown
from tableapi.schema.types import PgType

# Aliases that no column has: a column of the same name would be taken for the whole row.
PLACE, MARK, ROW, ROWS = "tableapi place", "tableapi mark", "tableapi row", "tableapi rows"
BIGINT = PgType("integer", "bigint", "bigint")
NUMERIC = PgType("decimal", "numeric", "numeric")


def is_grouped(options: Options) -> bool:
    """Return whether a read is of groups. Aggregates without `group` are those of one group of all rows."""
    aggregates = any(whole_aggregate(part) for part in split(options.fields or ""))
    return bool(options.group.strip() or options.having.strip()) or aggregates


MAX_NAME_BYTES = 63  # of a name in PostgreSQL


def labels(names: Sequence[str]) -> list[str] | None:
    """Return short labels for the columns of a record, or None where PostgreSQL keeps the names whole.

    PostgreSQL truncates longer names, so that two columns with the same beginning would become one.
    """
    if all(len(name) <= MAX_NAME_BYTES // 4 or len(name.encode()) <= MAX_NAME_BYTES for name in names):
        return None
    return [f"c{number}" for number in range(len(names))]


def json_of(row: Any, names: Sequence[str] | None) -> Any:
    """Return a record as JSON. `names`: of its columns, when their labels are short ones."""
    if names is None:
        return sa.func.row_to_json(row.table_valued())
    text: Any = sa.literal_column("'{'")
    for number, (name, column) in enumerate(zip(names, row.c, strict=False)):
        key = sa.literal(("," if number else "") + orjson.dumps(name).decode() + ":", Native("text"))
        value = sa.func.coalesce(sa.cast(sa.func.to_json(column), Named("text")), sa.literal_column("'null'"))
        text = text.concat(key).concat(value)
    return sa.cast(text.concat(sa.literal_column("'}'")), Named("json"))


def probed(rows: Any, limit: int, names: Sequence[str] | None = None) -> sa.Select[Any]:
    """Return a page that was read with one row more: the page without that row, and whether it exists."""
    numbered = rows.add_columns(sa.func.row_number().over().label(PLACE)).subquery(ROWS)
    place = numbered.c[PLACE]
    size: sa.ColumnElement[Any] = sa.literal_column(str(limit))
    row = sa.select(*(c for c in numbered.c if c.name not in (PLACE, MARK))).correlate(numbered).subquery(ROW)
    body = sa.select(json_of(row, names)).select_from(row).scalar_subquery()
    page = sa.func.array_to_json(sa.func.array_agg(body).filter(place <= size))
    result = sa.select(page.label("body"), (sa.func.count() > size).label("more")).select_from(numbered)
    if MARK in numbered.c:
        last = sa.func.array_agg(numbered.c[MARK]).filter(place == size)
        result = result.add_columns(sa.func.array_to_json(last).label("position"))
    return result


@dataclass(slots=True)
class Group:
    """The scope of `having` and of the order of a grouped read: grouped fields and aggregates."""

    scope: Scope
    grouped: dict[str, Column]

    @property
    def table(self) -> Any:
        return self.scope.table

    @property
    def binder(self) -> Any:
        return self.scope.binder

    def aggregate(self, function: str, name: str) -> tuple[str, sa.ColumnElement[Any], PgType]:
        """Return the name, the expression and the type of an aggregate.

        Raises:
            BadRequest: the function does not exist for the field.
        """
        function = function.lower()
        if name == "*":
            if function != "count":
                raise BadRequest(f"{function.upper()}(*) does not exist. Name a field.", reason="bad_aggregate")
            return "count_all", sa.func.count(), BIGINT
        column, target = self.scope.plain(name)
        result = f"{function}_{column.name.lower()}"
        if function == "count":
            return result, sa.func.count(target), BIGINT
        if function in ("min", "max"):
            check_sortable(column)
            if column.type.operators:  # min() and max() of such a type may be outside the search path
                ordered = aggregate_order_by(target, target.asc() if function == "min" else target.desc())
                values = sa.func.array_agg(ordered).filter(target.is_not(None))
                return result, sa.type_coerce(values, sa.ARRAY(Named(column.type.name)))[1], column.type
        elif column.type.operators or not column.type.sorts:
            raise BadRequest(
                f"Field '{column.name}' has the type {column.type.db_type}, which has no {function.upper()}.",
                reason="bad_type",
            )
        expression = getattr(sa.func, function)(target)
        return result, expression, column.type if function in ("min", "max") else NUMERIC

    def related(self, relation: Relation) -> NoReturn:
        """Refuse a relation, which a group has not."""
        raise BadRequest(f"'{relation.name}' is neither a grouped field nor an aggregate.", reason="not_grouped")

    def plain(self, name: str, *, of_path: bool = False) -> tuple[Column, sa.ColumnElement[Any]]:
        """Return a grouped field or an aggregate by the name of its result, and its expression.

        Raises:
            BadRequest: `not_grouped`.
        """
        column = self.scope.table.find(name)
        if column is not None and column.name in self.grouped:
            return self.scope.plain(name)
        if name.lower() == "count_all":
            _, expression, type_ = self.aggregate("count", "*")
            return Column(name, type_, False, None, "", False), expression
        function, _, field = name.partition("_")
        if function.lower() in FUNCTIONS and field:
            _, expression, type_ = self.aggregate(function, field)
            return Column(name, type_, True, None, "", False), expression
        raise BadRequest(f"'{name[:100]}' is neither a grouped field nor an aggregate.", reason="not_grouped")


def grouped(
    scope: Scope, options: Options, conditions: list[Any], limits: Limits
) -> tuple[Any, list[Any], list[str] | None]:
    """Return the select of the groups, its order, and the names of `json_of`.

    Raises:
        BadRequest: a field is not grouped, or cannot be.
    """
    group = Group(scope, {c.name: c for c in (scope.plain(n)[0] for n in names(options.group))})
    for column in group.grouped.values():
        check_sortable(column, grouped=True)
    columns: dict[str, Any] = {}
    for part in split(options.fields) if options.fields else group.grouped:
        if not part:
            continue
        if function := whole_aggregate(part):
            name, expression, type_ = group.aggregate(function.function, function.field)
            columns[name] = shown(expression, type_)
        else:
            column = scope.column(plain(part) if options.fields else part)
            if column.name not in group.grouped:
                raise BadRequest(
                    f"Field '{column.name}' is not grouped. Add it to 'group', or use an aggregate such as "
                    f"MAX({column.name}).",
                    reason="not_grouped",
                )
            columns[column.name] = shown(scope.clause.c[column.name], column.type)
    keys = [scope.clause.c[name] for name in group.grouped]
    short_labels = labels(list(columns))
    labelled = [value.label(name) for value, name in zip(columns.values(), short_labels or columns, strict=True)]
    select = sa.select(*labelled).select_from(scope.clause).where(*conditions).group_by(*keys)
    if options.having.strip():
        tree, literals = cache.having(options.having, limits)
        condition = shifted(tree, scope.binder.constants(literals))
        select = select.having(clause(condition, group))  # type: ignore[arg-type]
    order = []
    named = set()
    for term in order_terms(options.order):
        column, target = group.plain(".".join(term.path))
        named.add(column.name)
        order.append(cursor.directed(term, target))
    order += [scope.clause.c[name].asc() for name in group.grouped if name not in named]
    return select, order, list(columns) if short_labels else None
