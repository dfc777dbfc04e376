"""What to read -> one SQL statement whose result is JSON. Pure: no connection, no HTTP.

Every read is one statement: the page in a sub-select, relations as correlated JSON sub-selects beside each row, the
count as a scalar sub-select beside the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import and_, eq
from typing import Any

import sqlalchemy as sa

from tableapi.auth.policy import Rows
from tableapi.query import aggregate
from tableapi.query.bounds import Limits
from tableapi.query.columns import Reader, ordering
from tableapi.query.filter.ast import Condition, Logic, Node
from tableapi.query.names import order_terms
from tableapi.query.options import Options
from tableapi.query.where import ACTOR, Binder, ParamSource, Scope, clause
from tableapi.schema.model import Column, Table
from tableapi.schema.sqltypes import DIALECT
from tableapi.schema.types import BY_NAME, PgType, check

_EXACT = frozenset(("smallint", "integer", "bigint", "uuid"))  # types whose = is the same everywhere: no collation
_ORDER = "tableapi order "  # a name that no column has


@dataclass(frozen=True, slots=True)
class Statement:
    """A finished statement: its text and where each of its values comes from, in order."""

    sql: str
    slots: tuple[ParamSource, ...]
    measure: Statement | None = None  # tells how large the answer would be; None where it cannot be too large


def finish(statement: Any, binder: Binder) -> Statement:
    compiled = statement.compile(dialect=DIALECT, compile_kwargs={"render_postcompile": True})
    given = {name: None for name, bound in compiled.binds.items() if bound.required}
    expanded = compiled.construct_expanded_state(given).parameters  # the list of an IN becomes one value each
    slots = []
    for name in compiled.positiontup or ():
        bound = compiled.binds.get(name)
        if name in binder.slots:
            slots.append(binder.slots[name])
        elif bound is not None and str(bound._orig_key).startswith("actor."):
            slots.append(ParamSource(("actor", bound._orig_key.removeprefix("actor.")), _fits(bound.type)))
        else:
            slots.append(ParamSource(("const", expanded[name])))
    return Statement(compiled.string, tuple(slots))


def _fits(type_: Any) -> Callable[[Any], Any] | None:
    """A value of the actor as its column wants it: an access file may hold "1" where the column is an integer."""
    name = getattr(type_, "name", "")
    if name not in BY_NAME:
        return None
    pg = PgType(BY_NAME[name], name, name)
    return lambda value: check(pg, value)


def where(scope: Scope, tree: Node | None) -> list[sa.ColumnElement[bool]]:
    """The conditions of a read: the client's tree under the rule of rows, never text beside text (G6)."""
    parts = []
    rule = _rule(scope, tree)
    if rule is not None:
        parts.append(rule(scope.clause, ACTOR))
    if tree is not None:
        parts.append(clause(tree, scope))
    return _once(parts) if len(parts) > 1 else parts


def _once(parts: Iterable[sa.ColumnElement[bool]]) -> list[sa.ColumnElement[bool]]:
    """`a = $1 AND a = $2` as one comparison, as where caller and rule of rows name the same client.

    PostgreSQL makes a = $1 and a filter $1 = $2 of the two, through which every row of the scan passes then.
    """
    found: dict[Any, int] = {}
    kept: list[Any] = []
    for part in _conjuncts(parts):
        place = found.setdefault(part.left, len(kept)) if _fixes(part) else len(kept)
        if place == len(kept):
            kept.append(part)
        else:
            one, other = kept[place].right, part.right
            kept[place] = part.left == sa.case((one == other, one))
    return kept


def _conjuncts(parts: Iterable[Any]) -> Iterator[Any]:
    for part in parts:
        if isinstance(part, sa.BooleanClauseList) and part.operator is and_:
            yield from _conjuncts(part.clauses)
        else:
            yield part


def _fixes(part: Any) -> bool:
    """Whether a field is compared with a value, whose type has one =."""
    return (
        isinstance(part, sa.BinaryExpression)
        and part.operator is eq
        and isinstance(part.right, sa.BindParameter)
        and getattr(part.left.type, "name", "") in _EXACT
    )


def _rule(scope: Scope, tree: Node | None) -> Rows | None:
    demanded = _demanded(tree, scope.right.rows_by) if tree is not None else None
    return demanded or scope.right.rows


def _demanded(tree: Node, rows_by: Mapping[str, Rows]) -> Rows | None:
    """The rule of a field that every row of this filter has equal to a value; of an OR both sides must demand it."""
    match tree:
        case Logic("and", left, right):
            return _demanded(left, rows_by) or _demanded(right, rows_by)
        case Logic("or", left, right):
            rule = _demanded(left, rows_by)
            return rule if rule is _demanded(right, rows_by) else None
        case Condition(path, "=", _, False) if len(path) == 1:
            return rows_by.get(path[0].lower())
    return None


# -- the statements --------------------------------------------------------------------------------------------------


def measured(answer: Any, scope: Scope, reader: Reader, page: Any, rows: int) -> Statement:
    """The finished statement, with another one that measures its answer where it may hold more than `rows` rows."""
    shape = finish(answer, scope.binder)
    if reader.rows <= rows:
        return shape
    return replace(shape, measure=finish(reader.measure(scope, page.element, rows), scope.binder))


def listing(
    scope: Scope, reader: Reader, tree: Node | None, limit: int, *, probe: bool, cursor: Any = None, most: int = 100_000
) -> Statement:
    """A page. Columns: `body`; `count` with include_count; when the page is probed for a next one `more`, and with a
    cursor `position`, the values of the order's fields in its last row.

    cursor: None without one, else the values where the last page ended ([] for the first page).
    """
    options = reader.options
    conditions = where(scope, tree)
    counted = list(conditions)
    terms = ordering(scope, order_terms(options.order), scope.table.key, total=cursor is not None)
    if cursor:
        conditions.append(aggregate.after(terms, cursor, scope))
    keys = _keys(scope, tree, terms, conditions, options.offset) if cursor is None else None
    if keys is not None:
        page = _page_of(_cut(keys, limit + probe, options.offset, scope.binder), scope, tree, terms)
    else:
        select = sa.select(scope.clause).where(*conditions)
        if cursor is not None:
            select = select.add_columns(aggregate.position(terms).label(aggregate.MARK))
        select = select.order_by(*(aggregate.directed(t, target) for t, target, _ in terms))
        page = _cut(select, limit + probe, options.offset, scope.binder).subquery("p")
    inner = Scope(scope.table, page, scope.right, scope.rights, scope.binder)
    rows = sa.select(*reader.columns(inner, options.fields, options.related, limit)).select_from(page)
    if cursor is not None:
        rows = rows.add_columns(page.c[aggregate.MARK])
    answer = aggregate.probed(rows, limit, reader.names) if probe else whole(rows, reader.names)
    if options.include_count and not options.estimated:
        answer = answer.add_columns(_count(scope, counted, tree).scalar_subquery().label("count"))
    return measured(answer, scope, reader, page, most)


def _keys(scope: Scope, tree: Node | None, terms: aggregate.Terms, conditions: list[Any], offset: int) -> Any:
    """The keys of the rows in their order, with what they are ordered by: read first where that is the cheaper way,
    since then no row is read that only had to be skipped. None where it is not, or the table has no key."""
    key = scope.table.key
    listed = scope.right.listed(ACTOR).subquery("l") if tree is None and scope.right.listed else None
    if listed is not None and all(len(t.path) == 1 and column.name in listed.c for t, _, column in terms):
        found, targets = sa.select(*(listed.c[name] for name in key)), [listed.c[column.name] for *_, column in terms]
    elif key and offset > 0:
        found = sa.select(*(scope.clause.c[name] for name in key)).where(*conditions)
        targets = [target for _, target, _ in terms]
    else:
        return None
    found = found.add_columns(*(target.label(f"{_ORDER}{n}") for n, target in enumerate(targets)))
    return found.order_by(*(aggregate.directed(t, target) for (t, *_), target in zip(terms, targets, strict=True)))


def _page_of(keys: Any, scope: Scope, tree: Node | None, terms: aggregate.Terms) -> Any:
    """The rows of those keys, in the same order. Each is under the rule of rows, wherever its key is from."""
    found = keys.subquery("k")
    rows = Scope(scope.table, scope.binder.alias(scope.table), scope.right, scope.rights, scope.binder)
    same = sa.and_(*(rows.clause.c[name] == found.c[name] for name in scope.table.key))
    select = sa.select(rows.clause).join_from(found, rows.clause, same)
    if (allowed := _rule(scope, tree)) is not None:
        select = select.where(allowed(rows.clause, ACTOR))
    order = (aggregate.directed(t, found.c[f"{_ORDER}{n}"]) for n, (t, *_) in enumerate(terms))
    return select.order_by(*order).subquery("p")


def grouping(
    scope: Scope, options: Options, tree: Node | None, limit: int, limits: Limits, *, probe: bool
) -> Statement:
    """A page of groups; columns as of a page of rows, `count` being the number of groups."""
    select, order, names = aggregate.grouped(scope, options, where(scope, tree), limits)
    rows = _cut(select.order_by(*order), limit + probe, options.offset, scope.binder).subquery("p").select()
    answer = aggregate.probed(rows, limit, names) if probe else whole(rows, names)
    if options.include_count:
        answer = answer.add_columns(
            sa.select(sa.func.count()).select_from(select.subquery("g")).scalar_subquery().label("count")
        )
    return finish(answer, scope.binder)


def group_count(scope: Scope, options: Options, tree: Node | None, limits: Limits) -> Statement:
    select, *_ = aggregate.grouped(scope, options, where(scope, tree), limits)
    return finish(sa.select(sa.func.count().label("count")).select_from(select.subquery("g")), scope.binder)


def whole(rows: Any, names: Sequence[str] | None = None) -> sa.Select[Any]:
    """All rows of a select as one JSON array. array_agg keeps the order of its sub-select and writes compact JSON."""
    if names is not None:
        found = rows.subquery(aggregate.ROWS)
        return sa.select(sa.func.array_to_json(sa.func.array_agg(aggregate.json_of(found, names))).label("body"))
    return sa.select(
        sa.func.array_to_json(sa.func.array_agg(rows.subquery(aggregate.ROWS).table_valued())).label("body")
    )


def _cut(select: Any, limit: int, offset: int, binder: Binder) -> Any:
    """LIMIT is part of the shape: bound, it would make PostgreSQL plan anew at every execution."""
    select = select.limit(sa.literal_column(str(limit)))
    if offset > 0:
        select = select.offset(sa.bindparam("offset", type_=sa.BigInteger))
        binder.slots["offset"] = ParamSource(("offset",))
    return select


def _count(scope: Scope, conditions: list[Any], tree: Node | None) -> Any:
    if tree is None and scope.right.listed is not None:
        return sa.select(sa.func.count().label("count")).select_from(scope.right.listed(ACTOR).subquery("l"))
    return sa.select(sa.func.count().label("count")).select_from(scope.clause).where(*conditions)


def counting(scope: Scope, tree: Node | None, *, explain: bool = False) -> Statement:
    """The number of records, or with `explain` the plan of reading them, whose row estimate is a cheap count."""
    if explain:
        shape = finish(
            sa.select(sa.literal_column("1")).select_from(scope.clause).where(*where(scope, tree)), scope.binder
        )
        return Statement("EXPLAIN (FORMAT JSON) " + shape.sql, shape.slots)
    return finish(_count(scope, where(scope, tree), tree), scope.binder)


def version(scope: Scope, table: Table) -> Any:
    """What changes whenever the row does: the basis of its ETag."""
    if table.has_xmin:
        return sa.literal_column(f"{scope.clause.name}.xmin::text")  # type: ignore[attr-defined]
    return sa.func.md5(
        sa.cast(sa.func.row(*(scope.clause.c[n] for n in table.columns if scope.right.sees(n))), sa.Text)
    )


def keyed(
    scope: Scope, reader: Reader, wanted: list[Column], count: int, *, lock: bool = False, most: int = 100_000
) -> Statement:
    """Records by identifier. Columns: `place` in the list of identifiers, `body`, `mark` (the row's version)."""
    options = reader.options
    table = scope.table
    identifiers = [
        [scope.binder.value(c.type, ("id", n, i), c.name) for i, c in enumerate(wanted)] for n in range(count)
    ]
    conditions = where(scope, None)
    columns = [scope.clause, version(scope, table).label(aggregate.MARK)]
    if count == 1:
        conditions += [scope.clause.c[c.name] == v for c, v in zip(wanted, identifiers[0], strict=True)]
        columns.append(sa.literal_column("0").label(aggregate.PLACE))
        source: Any = scope.clause
    else:
        values = sa.values(sa.column("n"), *(sa.column(f"k{i}") for i in range(len(wanted))), name="w").data(
            [(sa.literal_column(str(n)), *row) for n, row in enumerate(identifiers)]
        )
        columns.append(values.c.n.label(aggregate.PLACE))
        on = sa.and_(*(scope.clause.c[c.name] == values.c[f"k{i}"] for i, c in enumerate(wanted)))
        source = scope.clause.join(values, on)
    select = sa.select(*columns).select_from(source).where(*conditions)
    if lock:
        select = select.with_for_update(of=scope.clause)
    page = select.subquery("p")
    inner = Scope(table, page, scope.right, scope.rights, scope.binder)
    columns = reader.columns(inner, options.fields, options.related, count)
    row = sa.select(*columns).correlate(page).subquery(aggregate.ROW)
    body = sa.select(aggregate.json_of(row, reader.names)).select_from(row).scalar_subquery()
    answer = sa.select(page.c[aggregate.PLACE].label("place"), body.label("body"), page.c[aggregate.MARK].label("mark"))
    answer = answer.order_by(page.c[aggregate.PLACE]) if count > 1 else answer
    return measured(answer, scope, reader, page, most)
