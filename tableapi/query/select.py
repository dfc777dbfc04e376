"""Build the statements of reads, without connections or HTTP.

A read is one statement with a JSON result: the page in a sub-select, relations as correlated JSON sub-selects for each
row, and the count as a scalar sub-select.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import distinct_on

from tableapi.errors import BadRequest
from tableapi.query import aggregate, cursor, syntax
from tableapi.query.columns import Reader
from tableapi.query.expressions.conditions import (
    conjuncts,
    fixes,
    guarded_by,
    joined,
    names_constant,
    rule_and_filter,
    rule_of,
    where,
)
from tableapi.query.expressions.operands import Scope
from tableapi.query.expressions.order import OrderTerm, order_terms
from tableapi.query.expressions.scope import ACTOR, Page
from tableapi.query.filter.ast import Node
from tableapi.query.limits import FilterLimits
from tableapi.query.options import Options
from tableapi.query.statement import Binder, ParamSource, Statement, finish
from tableapi.schema.model import Column, Table
from tableapi.schema.sqltypes import bind_list, element

_ORDER = "tableapi order "  # prefix of labels; no column has such a name


def measured(read: Any, scope: Scope, reader: Reader, page: Any, rows: int) -> Statement:
    """Compile a read, with the statement that measures it if it may return more than `rows` rows."""
    statement = finish(read, scope.binder)
    if reader.rows <= rows:
        return statement
    scope.binder.count_again()
    return replace(statement, measure=finish(reader.measure(scope, page.element, rows), scope.binder))


def listing(
    scope: Scope,
    reader: Reader,
    tree: Node | None,
    limit: int,
    *,
    probe: bool,
    position: Any = None,
    max_rows: int = 100_000,
) -> Statement:
    """Build the read of a page.

    Columns: `body`; `count` with include_count; `more` if the page is probed for a next one; with a cursor `position`,
    the values of the ordering fields in its last row.

    position: None without a cursor, else the values at which the last page ended, [] for the first page.
    """
    options = reader.options
    rule, filtered = rule_and_filter(scope, tree)
    conditions = all_rows = joined(rule, filtered)
    _fix(scope, conditions)
    scope.binder.may_fail = False
    given = order_terms(options.order)
    count = _put_first(options.distinct, given)
    terms = cursor.ordering(scope, given, scope.table.key, total=position is not None)
    distinct = [target for _, target, _ in terms[:count]]
    listed = _listed(scope, tree, terms) if not distinct else None
    if listed is not None:
        terms = [(term, listed.c[column.name], column) for term, _, column in terms]
        # The key list already satisfies the rest of the rule, which would only distort PostgreSQL's row estimate.
        conditions = joined([part for part in conjuncts(rule) if fixes(part)], filtered)
        conditions += (scope.clause.c[name] == listed.c[name] for name in scope.table.key)
    if position:
        following = cursor.after(terms, position, scope)
        conditions = [*conditions, guarded_by(rule[0], following, scope) if rule else following]
    near = None
    if position is None and not distinct:
        near = cursor.nearest(scope, terms, conditions, limit + probe, options.offset)
    if near is not None:
        terms, conditions = cursor.ordering(near, order_terms(options.order), scope.table.key), []
    keys = None
    if position is None and near is None and not distinct:
        keys = _keys(scope, terms, conditions, options.offset, listed if tree is None else None)
    if keys is not None:
        page = _page_of(_cut(keys, limit + probe, options.offset, scope.binder), scope, tree, terms)
    else:
        select = sa.select(*(near or scope).columns_read()).where(*conditions)
        if distinct:
            select = select.ext(distinct_on(*distinct))
        if position is not None:
            select = select.add_columns(cursor.position(terms).label(aggregate.MARK))
        select = select.order_by(*(cursor.directed(t, target) for t, target, _ in terms))
        if listed is not None:
            select = select.add_columns(*_ordering(terms))
        cut = _cut(select, limit + probe, options.offset, scope.binder)
        page = cut.subquery(scope.binder.name("p" if listed is None else "k"))
        if listed is not None:
            page = _allowed(page.select(), page, page, scope, tree, terms)
    inner, windows = scope.over(page), not options.as_list and syntax.windowed(options.fields)
    if windows:
        inner = _placed(scope, page, limit if probe else None)
        page = inner.clause
    rows = sa.select(*reader.columns(inner, options.fields, options.related, limit)).select_from(page)
    if position is not None:
        rows = rows.add_columns(page.c[aggregate.MARK])
    if windows:  # a window sorts the rows in its own order
        rows = (rows.add_columns(page.c[aggregate.PLACE]) if probe else rows).order_by(page.c[aggregate.PLACE])
    result = (
        aggregate.probed(scope.binder, rows, limit, reader.names) if probe else whole(scope.binder, rows, reader.names)
    )
    if options.include_count and not options.estimated:
        result = result.add_columns(_count(scope, all_rows, tree, distinct).scalar_subquery().label("count"))
    return measured(result, scope, reader, page, max_rows)


def _fix(scope: Scope, conditions: list[Any]) -> None:
    if scope.table.distributed:
        equal = (part for part in conjuncts(conditions) if fixes(part) or names_constant(part))
        scope.fixed = {part.left.name: part.right for part in equal}


def _put_first(text: str, order: list[OrderTerm]) -> int:
    """Return the number of fields in option `distinct`. An order that lacks some of them gets them.

    Raises:
        BadRequest: the order begins with another field.
    """
    own = list({term.term: term for term in order_terms(text)}.values())
    first = [term.term for term in order[: len(own)]]
    if not set(first) <= {term.term for term in own}:
        raise BadRequest(
            "Option 'order' must begin with the fields of 'distinct', and may have others after them.",
            reason="bad_order",
            context={"option": "order"},
        )
    order[len(first) : len(first)] = [term for term in own if term.term not in first]
    return len(own)


def _placed(scope: Scope, page: Any, limit: int | None) -> Scope:
    """Return the rows of a page with their places, for window functions.

    limit: how many of them belong to the page, None for all.
    """
    place = sa.func.row_number().over().label(aggregate.PLACE)
    rows = sa.select(*page.c, place).select_from(page).subquery(scope.binder.name("w"))
    placed = scope.over(rows)
    within = None if limit is None else rows.c[aggregate.PLACE] <= sa.literal_column(str(limit))
    placed.page = Page(rows.c[aggregate.PLACE], within)
    return placed


def _listed(scope: Scope, tree: Node | None, terms: cursor.Terms) -> Any:
    """Return the right's key list if it has the fields of the order, else None.

    Its index contains the caller's rows in that order; under the row rule, PostgreSQL would find and sort all of them.
    """
    if scope.right.key_list is None or scope.right.grants or rule_of(scope, tree) is not scope.right.rows:
        return None
    listed = scope.right.key_list(ACTOR).subquery(scope.binder.name("l"))
    return listed if all(term.term.plain and column.name in listed.c for term, _, column in terms) else None


def _keys(scope: Scope, terms: cursor.Terms, conditions: list[Any], offset: int, listed: Any) -> Any:
    """Return the keys of the rows in order if reading them first is cheaper, else None.

    It is cheaper with an offset, because skipped rows are not read in full, and from a key list without a filter.
    Citus would join the keys with the rows of each shard, and lose the order.
    """
    key, table = scope.table.key, scope.table
    if listed is not None:
        keys = sa.select(*(listed.c[name] for name in key))
    elif key and offset > 0 and not (scope.right.grants or table.inherited or table.distributed):
        keys = sa.select(*(scope.clause.c[name] for name in key)).where(*conditions)
    else:
        return None
    keys = keys.add_columns(*_ordering(terms))
    return keys.order_by(*(cursor.directed(term, target) for term, target, _ in terms))


def _ordering(terms: cursor.Terms) -> list[Any]:
    """Return the order expressions of a page under labels of their own."""
    return [target.label(f"{_ORDER}{n}") for n, (_, target, _) in enumerate(terms)]


def _allowed(select: Any, rows: Any, page: Any, scope: Scope, tree: Node | None, terms: cursor.Terms) -> Any:
    """Restrict a select to the `rows` that the row rule allows, ordered by the `_ordering` of a page."""
    if (row_rule := rule_of(scope, tree)) is not None:
        select = select.where(row_rule(rows, ACTOR))
    order = (cursor.directed(term, page.c[f"{_ORDER}{n}"]) for n, (term, *_) in enumerate(terms))
    return select.order_by(*order).subquery(scope.binder.name("p"))


def _page_of(keys: Any, scope: Scope, tree: Node | None, terms: cursor.Terms) -> Any:
    """Return the rows with these keys in the same order, applying the row rule again."""
    page_keys = keys.subquery(scope.binder.name("k"))
    rows = scope.over(scope.binder.alias(scope.table))
    same = sa.and_(*(rows.clause.c[name] == page_keys.c[name] for name in scope.table.key))
    select = sa.select(rows.clause).join_from(page_keys, rows.clause, same)
    return _allowed(select, rows.clause, page_keys, scope, tree, terms)


def grouping(
    scope: Scope, options: Options, tree: Node | None, limit: int, limits: FilterLimits, *, probe: bool
) -> Statement:
    """Build the read of a page of groups. Columns as in `listing`; `count` is the number of groups."""
    select, order, names = aggregate.grouped(scope, options, where(scope, tree), limits)
    rows = (
        _cut(select.order_by(*order), limit + probe, options.offset, scope.binder)
        .subquery(scope.binder.name("p"))
        .select()
    )
    result = aggregate.probed(scope.binder, rows, limit, names) if probe else whole(scope.binder, rows, names)
    if options.include_count:
        result = result.add_columns(
            sa.select(sa.func.count())
            .select_from(select.subquery(scope.binder.name("g")))
            .scalar_subquery()
            .label("count")
        )
    return finish(result, scope.binder)


def group_count(scope: Scope, options: Options, tree: Node | None, limits: FilterLimits) -> Statement:
    """Build the query for the number of groups."""
    select, *_ = aggregate.grouped(scope, options, where(scope, tree), limits)
    return finish(
        sa.select(sa.func.count().label("count")).select_from(select.subquery(scope.binder.name("g"))), scope.binder
    )


def whole(binder: Binder, rows: Any, names: Sequence[str] | None = None) -> sa.Select[Any]:
    """Return all rows as one JSON array. array_agg keeps their order and writes compact JSON."""
    records = rows.subquery(binder.name(aggregate.ROWS))
    record = records.table_valued() if names is None else aggregate.json_of(records, names)
    return sa.select(sa.func.array_to_json(sa.func.array_agg(record)).label("body"))


def _cut(select: Any, limit: int, offset: int, binder: Binder) -> Any:
    """Limit a select.

    LIMIT is part of the statement, because a parameter would make PostgreSQL plan again at every execution.
    """
    select = select.limit(sa.literal_column(str(limit)))
    if offset > 0:
        select = select.offset(sa.bindparam("offset", type_=sa.BigInteger))
        binder.sources["offset"] = ParamSource(("offset",))
    return select


def _count(scope: Scope, conditions: list[Any], tree: Node | None, distinct: list[Any] | None = None) -> Any:
    """Select the number of rows, or of their distinct values."""
    if distinct:
        labels = (target.label(f"d{n}") for n, target in enumerate(distinct))
        values = sa.select(*labels).select_from(scope.clause).where(*conditions).distinct()
        return sa.select(sa.func.count().label("count")).select_from(values.subquery(scope.binder.name("d")))
    if tree is None and scope.right.key_list is not None:
        return sa.select(sa.func.count().label("count")).select_from(
            scope.right.key_list(ACTOR).subquery(scope.binder.name("l"))
        )
    return sa.select(sa.func.count().label("count")).select_from(scope.clause).where(*conditions)


def counting(scope: Scope, tree: Node | None, distinct: str = "", *, explain: bool = False) -> Statement:
    """Build the query for the number of records or, with `explain`, its cheaper estimate by the planner.

    Under a row rule, the records matching a filter are always counted, because PostgreSQL's estimate is based on the
    values of all rows. So are all records under row-level security, because the estimate ignores its policies, and
    those of a distributed table, for which Citus estimates 100,000.
    """
    conditions = where(scope, tree)
    if distinct.strip():
        fields = [cursor.ordered(scope, term.term)[1] for term in order_terms(distinct)]
        return finish(_count(scope, conditions, tree, fields), scope.binder)
    if explain and not (scope.right.secured or scope.table.distributed) and (tree is None or not _limited(scope)):
        rows: sa.Select[Any] = sa.select(sa.literal_column("1")).select_from(scope.clause).where(*conditions)
        statement = finish(rows, scope.binder)
        return Statement("EXPLAIN (FORMAT JSON) " + statement.sql, statement.sources, estimates=True)
    return finish(_count(scope, conditions, tree), scope.binder)


def _limited(scope: Scope) -> bool:
    """Return whether a row rule or row-level security may hide rows of a table in the statement."""
    rights = (scope.rights.right(table, "GET") for table in scope.binder.tables.values())
    return any(right is None or right.secured or right.rows is not None for right in rights)


def version(scope: Scope, table: Table) -> Any:
    """Return the version of a row, which changes with every write and is the basis of its ETag."""
    if table.has_xmin and scope.right.xmin:
        return sa.literal_column(f"{scope.clause.name}.xmin::text")  # type: ignore[attr-defined]
    return sa.func.md5(sa.cast(sa.func.row(*(scope.clause.c[n] for n in versioned(scope))), sa.Text))


def versioned(scope: Scope) -> list[str]:
    """Return the fields that the version of a row without xmin is made of."""
    return [n for n in scope.table.columns if scope.right.can_read(n) and n not in scope.right.masked]


def keyed(
    scope: Scope, reader: Reader, key: list[Column], count: int, tree: Node | None = None, *, lock: bool = False,
    max_rows: int = 100_000,
) -> Statement:  # fmt: skip
    """Build the read of up to `count` records by identifier that match the filter `tree`.

    For several records, each part of their keys is passed as one array. Columns: `body`, `mark` (the row version), and
    for several `place` in the list of identifiers.
    """
    options = reader.options
    table = scope.table
    conditions = where(scope, tree)
    columns = [*scope.columns_read(), version(scope, table).label(aggregate.MARK)]
    if count == 1:
        values = [scope.binder.value(column.type, ("id", part), column.name) for part, column in enumerate(key)]
        conditions += [scope.clause.c[column.name] == value for column, value in zip(key, values, strict=True)]
        source: Any = scope.clause
    else:
        sent, parts = _sent_keys(scope, key)
        columns.append((sent.c.n - sa.literal_column("1")).label(aggregate.PLACE))
        on = sa.and_(*(scope.clause.c[column.name] == part for column, part in zip(key, parts, strict=True)))
        source = scope.clause.join(sent, on)
    _fix(scope, conditions)
    select = sa.select(*columns).select_from(source).where(*conditions)
    if table.distributed and not lock:  # else Citus would compute the JSON on each machine, which it refuses
        select = select.limit(sa.literal_column(str(1 if count == 1 else max_rows)))
    if lock:
        select = select.with_for_update(of=scope.clause)
    page = select.subquery(scope.binder.name("p"))
    inner = scope.over(page)
    columns = reader.columns(inner, options.fields, options.related, count)
    row = sa.select(*columns).correlate(page).subquery(scope.binder.name(aggregate.ROW))
    body = sa.select(aggregate.json_of(row, reader.names)).select_from(row).scalar_subquery()
    result = sa.select(body.label("body"), page.c[aggregate.MARK].label("mark"))
    if count > 1:
        result = result.add_columns(page.c[aggregate.PLACE].label("place")).order_by(page.c[aggregate.PLACE])
    return measured(result, scope, reader, page, max_rows)


def _sent_keys(scope: Scope, key: list[Column]) -> tuple[Any, list[Any]]:
    """Return the identifiers of a request as rows with their positions, and the columns of the key parts."""
    arrays, own = [], []
    for part, column in enumerate(key):
        array, type_ = bind_list(column.type, scope.binder.part_of_keys(column, part))
        arrays.append(array)
        own.append(sa.column(f"k{part}", type_))
    rows = sa.func.unnest(*arrays).table_valued(*own, with_ordinality="n").render_derived(name=scope.binder.name("w"))
    return rows, [element(column.type, rows.c[f"k{part}"]) for part, column in enumerate(key)]
