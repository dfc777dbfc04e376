"""Groups, aggregates and pages by cursor: the reads that are more than rows of a table. Pure."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import aggregate_order_by

from tableapi.errors import BadRequest
from tableapi.query.bounds import Limits
from tableapi.query.comparable import sortable
from tableapi.query.filter import cache
from tableapi.query.filter.ast import shifted
from tableapi.query.names import FUNCTIONS, OrderTerm, names, order_terms, plain, split, whole_aggregate
from tableapi.query.options import Options
from tableapi.query.where import TEXT, Scope, clause
from tableapi.schema.model import Column
from tableapi.schema.sqltypes import Named, Native, shown
from tableapi.schema.types import PgType

# Names that no column has: a whole row is referred to by them, and a column of the same name would win.
PLACE, MARK, ROW, ROWS = "tableapi place", "tableapi mark", "tableapi row", "tableapi rows"
BIGINT = PgType("integer", "bigint", "bigint")
NUMERIC = PgType("decimal", "numeric", "numeric")


def asked(options: Options) -> bool:
    """Whether a read is of groups; aggregates without `group` are those of one group of all."""
    named = any(whole_aggregate(part) for part in split(options.fields or ""))
    return bool(options.group.strip() or options.having.strip()) or named


LONGEST = 63  # bytes of a name in PostgreSQL


def labels(names: Sequence[str]) -> list[str] | None:
    """Short names for the columns of a record; None where PostgreSQL keeps its own names whole.

    PostgreSQL cuts longer ones, and two that begin alike would become one.
    """
    if all(len(name) <= LONGEST // 4 or len(name.encode()) <= LONGEST for name in names):
        return None
    return [f"c{number}" for number in range(len(names))]


def json_of(row: Any, names: Sequence[str] | None) -> Any:
    """A record as JSON. `names`: of its columns, where those of the sub-select are short ones."""
    if names is None:
        return sa.func.row_to_json(row.table_valued())
    text: Any = sa.literal_column("'{'")
    for number, (name, column) in enumerate(zip(names, row.c, strict=False)):
        key = sa.literal(("," if number else "") + orjson.dumps(name).decode() + ":", Native("text"))
        value = sa.func.coalesce(sa.cast(sa.func.to_json(column), Named("text")), sa.literal_column("'null'"))
        text = text.concat(key).concat(value)
    return sa.cast(text.concat(sa.literal_column("'}'")), Named("json"))


def probed(rows: Any, limit: int, names: Sequence[str] | None = None) -> sa.Select[Any]:
    """One record more than the page was read: the page without it, and whether it is there."""
    numbered = rows.add_columns(sa.func.row_number().over().label(PLACE)).subquery(ROWS)
    place = numbered.c[PLACE]
    kept: sa.ColumnElement[Any] = sa.literal_column(str(limit))
    row = sa.select(*(c for c in numbered.c if c.name not in (PLACE, MARK))).correlate(numbered).subquery(ROW)
    body = sa.select(json_of(row, names)).select_from(row).scalar_subquery()
    page = sa.func.array_to_json(sa.func.array_agg(body).filter(place <= kept))
    answer = sa.select(page.label("body"), (sa.func.count() > kept).label("more")).select_from(numbered)
    if MARK in numbered.c:
        last = sa.func.array_agg(numbered.c[MARK]).filter(place == kept)
        answer = answer.add_columns(sa.func.array_to_json(last).label("position"))
    return answer


@dataclass(slots=True)
class Group:
    """The scope of `having` and of the order of a grouped read: its fields are grouped fields and aggregates."""

    scope: Scope
    grouped: dict[str, Column]

    @property
    def table(self) -> Any:
        return self.scope.table

    @property
    def binder(self) -> Any:
        return self.scope.binder

    def aggregate(self, function: str, name: str) -> tuple[str, sa.ColumnElement[Any], PgType]:
        """(name of the result, expression, type)"""
        function = function.lower()
        if name == "*":
            if function != "count":
                raise BadRequest(f"{function.upper()}(*) does not exist; name a field.", reason="bad_aggregate")
            return "count_all", sa.func.count(), BIGINT
        column, target = self.scope.plain(name)
        result = f"{function}_{column.name.lower()}"
        if function == "count":
            return result, sa.func.count(target), BIGINT
        if function in ("min", "max"):
            sortable(column)
            if column.type.operators:  # its own functions are as hard to find
                ordered = aggregate_order_by(target, target.asc() if function == "min" else target.desc())
                found = sa.func.array_agg(ordered).filter(target.is_not(None))
                return result, sa.type_coerce(found, sa.ARRAY(Named(column.type.name)))[1], column.type
        elif column.type.operators or not column.type.sorts:
            raise BadRequest(f"Field '{column.name}' has no {function.upper()}.", reason="bad_type")
        expression = getattr(sa.func, function)(target)
        return result, expression, column.type if function in ("min", "max") else NUMERIC

    def plain(self, name: str) -> tuple[Column, sa.ColumnElement[Any]]:
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
        raise BadRequest(f"'{name[:100]}' is neither grouped nor an aggregate.", reason="not_grouped")


def grouped(
    scope: Scope, options: Options, conditions: list[Any], limits: Limits
) -> tuple[Any, list[Any], list[str] | None]:
    """(select of the groups, its order, names as of `json_of`). Raises BadRequest for a field that is not grouped."""
    group = Group(scope, {c.name: c for c in (scope.plain(n)[0] for n in names(options.group))})
    for column in group.grouped.values():
        sortable(column, grouped=True)
    columns: dict[str, Any] = {}
    for part in split(options.fields) if options.fields else group.grouped:
        if not part:
            continue
        if found := whole_aggregate(part):
            name, expression, type_ = group.aggregate(found.function, found.field)
            columns[name] = shown(expression, type_)
        else:
            column = scope.column(plain(part) if options.fields else part)
            if column.name not in group.grouped:
                raise BadRequest(f"Field '{column.name}' is not grouped.", reason="not_grouped")
            columns[column.name] = shown(scope.clause.c[column.name], column.type)
    keys = [scope.clause.c[name] for name in group.grouped]
    short = labels(list(columns))
    made = [one.label(name) for one, name in zip(columns.values(), short or columns, strict=True)]
    select = sa.select(*made).select_from(scope.clause).where(*conditions).group_by(*keys)
    if options.having.strip():
        tree, literals = cache.having(options.having, limits)
        moved = shifted(tree, scope.binder.keep(literals))
        select = select.having(clause(moved, group))  # type: ignore[arg-type]
    order = []
    named = set()
    for term in order_terms(options.order):
        column, target = group.plain(".".join(term.path))
        named.add(column.name)
        order.append(directed(term, target))
    order += [scope.clause.c[name].asc() for name in group.grouped if name not in named]
    return select, order, list(columns) if short else None


def directed(term: OrderTerm, target: Any) -> Any:
    made = target.desc() if term.descending else target.asc()
    if term.nulls:
        made = made.nulls_first() if term.nulls == "first" else made.nulls_last()
    return made


# -- cursors ---------------------------------------------------------------------------------------------------------


def encode_cursor(mark: str, values: bytes) -> str:
    return base64.urlsafe_b64encode(mark.encode() + b":" + values).decode().rstrip("=")


def decode_cursor(text: str, mark: str, length: int) -> list[Any]:
    """The values of the order's fields at the end of the last page. Raises BadRequest for a foreign cursor."""
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        head, _, tail = raw.partition(b":")
        values = orjson.loads(tail)
    except ValueError:
        head, values = b"", None
    mine = head.decode("latin-1") == mark and isinstance(values, list) and len(values) == length
    if not mine or not all(isinstance(value, str | None) for value in values):
        raise BadRequest("The cursor does not belong to this order. Start without one.", reason="bad_cursor")
    return list(values)


Terms = list[tuple[OrderTerm, Any, Column]]


def after(terms: Terms, values: list[Any], scope: Scope, place: int = 0) -> sa.ColumnElement[bool]:
    """Rows that come after those values in the order. Nested, so that an index on the first field is used."""
    (term, target, column), value = terms[place], values[place]
    nulls_last = term.nulls == "last" or (not term.nulls and not term.descending)
    rest = after(terms, values, scope, place + 1) if place + 1 < len(terms) else None
    if value is None:
        same = target.is_(None)
        beyond = sa.false() if nulls_last else target.is_not(None)
        return sa.or_(beyond, sa.and_(same, rest)) if rest is not None else beyond
    # PostgreSQL reads what it wrote: through a number of JSON the digits of a numeric would be lost.
    bound = sa.cast(scope.binder.value(TEXT, ("cursor", place), column.name), Named(column.type.name))
    ahead = target < bound if term.descending else target > bound
    if rest is not None:
        edge = target <= bound if term.descending else target >= bound
        inside = sa.and_(edge, sa.or_(ahead, rest))
    else:
        inside = ahead
    nullable = column.nullable or len(term.path) > 1  # there may be no parent
    return sa.or_(inside, target.is_(None)) if nullable and nulls_last else inside


def position(terms: Terms) -> Any:
    """The values of the order's fields of a row, as a JSON array of texts."""
    return sa.func.json_build_array(*(sa.cast(target, Named("text")) for _, target, _ in terms))
