"""The rows of one read: fields, relations to any depth allowed, and their order. Pure."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tableapi.errors import BadRequest, UnknownField
from tableapi.query import aggregate
from tableapi.query.bounds import Limits
from tableapi.query.comparable import sortable
from tableapi.query.filter import cache
from tableapi.query.filter.ast import Node, shifted
from tableapi.query.names import OrderTerm, names, order_terms
from tableapi.query.options import Options, RelationOptions
from tableapi.query.where import Binder, Scope, clause
from tableapi.schema.model import Column, Relation
from tableapi.schema.sqltypes import Named, shown
from tableapi.schema.types import PgType

MOST_RELATIONS, MOST_LEVELS = 10, 3


def ordering(scope: Scope, terms: list[OrderTerm], key: tuple[str, ...], *, total: bool = False) -> aggregate.Terms:
    """The order, ended by the key, so that pages never overlap. `total`: no two rows may be equal in it.

    Raises BadRequest when that cannot be."""
    found: aggregate.Terms = []
    seen: set[str] = set()
    for term in terms:
        column, target = _ordered(scope, term.path)
        found.append((term, target, column))
        if len(term.path) == 1:
            seen.add(column.name)
    for name in key:
        if name not in seen:
            found.append((OrderTerm((name,), False, ""), scope.clause.c[name], scope.table.columns[name]))
    if not key and (terms or total):
        if scope.table.kind in "rm":  # without a key the place in the table tells equal rows apart
            found.append((OrderTerm(("ctid",), False, ""), sa.literal_column(f"{scope.clause.name}.ctid"), _PLACE))  # type: ignore[attr-defined]
        elif total:
            raise BadRequest(f"'{scope.table.name}' has no key; use limit and offset.", reason="no_key")
    return found


_PLACE = Column("ctid", PgType("other", "tid", "tid"), False, None, "", False)


def _ordered(scope: Scope, path: tuple[str, ...]) -> tuple[Column, sa.ColumnElement[Any]]:
    """A field of the table, or of a parent: order=company_by_company_id.name."""
    if len(path) == 1:
        found = scope.plain(path[0])
        sortable(found[0])
        return found
    relation = scope.table.relation(path[0])
    if relation is None:
        raise UnknownField(".".join(path), scope.table.name)
    if relation.many:
        raise BadRequest(f"'{relation.name}' has many records; order by a field of a parent.", reason="bad_order")
    inner, conditions = scope.related(relation)
    column, target = _ordered(inner, path[1:])
    return column, sa.select(target).where(*conditions).correlate_except(inner.clause).limit(
        sa.literal_column("1")
    ).scalar_subquery()


def chosen(scope: Scope, fields: str | None) -> list[Column]:
    """The fields that shall be in the answer. Empty text: the identifying ones."""
    table = scope.table
    if fields is None or fields.strip() == "*":
        return [c for c in table.columns.values() if scope.right.sees(c.name)]
    if not fields.strip():
        return [table.columns[n] for n in table.key if scope.right.sees(n)]
    found: dict[str, Column] = {}
    for name in names(fields):
        if name == "*":
            found.update((c.name, c) for c in chosen(scope, None))
        else:
            column = scope.column(name)
            found[column.name] = column
    return list(found.values())


class Reader:
    """Builds the select of the rows of one request: fields, and relations to any depth allowed."""

    def __init__(self, options: Options, most: int, limits: Limits) -> None:
        self.options, self.most, self.limits = options, most, limits
        self.relations = 0
        self.rows = 0  # how many rows the answer may hold, those of relations included
        self.sealed = False  # whether any field in the answer is sealed
        self.top: list[str] = []  # the names in a record of the answer
        self.names: list[str] | None = None  # the same, where the columns of the select have short ones

    def columns(self, scope: Scope, fields: str | None, related: str, rows: int = 1) -> list[Any]:
        """Labelled columns and relations of the rows of the table asked for, of which there are `rows` at most."""
        self.rows = rows
        made, self.names = self._columns(scope, fields, related, (), rows)
        return made

    def _columns(
        self, scope: Scope, fields: str | None, related: str, path: tuple[str, ...], most: int
    ) -> tuple[list[Any], list[str] | None]:
        """Labelled columns and relations of the rows of a scope, and their names as of `groups.json_of`.

        `most`: how many rows of this scope the whole answer may hold.
        """
        wanted = chosen(scope, fields)
        if not path and self.options.as_list:
            wanted = chosen(scope, self.options.id_field)
        relations = self._wanted(scope, related)
        if not path:  # the joining field is added to the answer, but not inside a relation
            have = {c.name for c in wanted}
            for name in (n for r in relations for n in r.own):
                if name not in have and scope.right.sees(name):
                    wanted.append(scope.table.columns[name])
                    have.add(name)
        self.sealed = self.sealed or any(c.name in scope.right.sealed for c in wanted)
        own = [c.name for c in wanted] + [r.name for r in relations]
        if not path:
            self.top = own
        made = [shown(scope.clause.c[c.name], c.type) for c in wanted]
        made += [self._relation(scope, r, (*path, r.name), most) for r in relations]
        short = aggregate.labels(own)
        return [one.label(name) for one, name in zip(made, short or own, strict=True)], own if short else None

    def _wanted(self, scope: Scope, related: str) -> list[Relation]:
        found: dict[str, Relation] = {}
        for name in names(related):
            if name == "*":
                for relation in scope.table.relations.values():
                    if self._permitted(scope, relation):
                        found[relation.name] = relation
                continue
            named = scope.table.relation(name)
            if named is None:
                raise BadRequest(
                    f"Table '{scope.table.name}' has no relation '{name[:100]}'.",
                    reason="unknown_relation",
                    context={"relation": name[:100]},
                )
            found[named.name] = named
        everything = related.strip() == "*"
        self.relations += 0 if everything else len(found)
        if self.relations > MOST_RELATIONS:
            raise BadRequest(f"More than {MOST_RELATIONS} relations.", reason="too_many_relations")
        return list(found.values())

    def _permitted(self, scope: Scope, relation: Relation) -> bool:
        tables = (relation.target, relation.junction) if relation.junction else (relation.target,)
        return all(scope.rights.right(table, "GET") for table in tables)

    def _relation(self, scope: Scope, relation: Relation, path: tuple[str, ...], most: int) -> Any:
        if len(path) > MOST_LEVELS:
            raise BadRequest(f"Relations go {MOST_LEVELS} levels deep at most.", reason="too_deep")
        options = self.options.of_relation(".".join(path))
        inner, conditions = self._inner(scope, relation, options)
        limit = self._limit(relation, options)
        self.rows += most * limit
        columns, names = self._columns(inner, options.fields, options.related, path, most * limit)
        select = self._cut(sa.select(*columns), inner, conditions, relation, options)
        rows = select.correlate_except(inner.clause).subquery(f"{aggregate.ROWS}{inner.clause.name[1:]}")  # type: ignore[attr-defined]
        if relation.many:
            empty = sa.cast(sa.literal_column("'[]'"), Named("json"))
            row = rows.table_valued() if names is None else aggregate.json_of(rows, names)
            body: Any = sa.func.coalesce(sa.func.array_to_json(sa.func.array_agg(row)), empty)
        else:
            body = aggregate.json_of(rows, names)
        return sa.select(body).select_from(rows).scalar_subquery()

    def _inner(
        self, scope: Scope, relation: Relation, options: RelationOptions
    ) -> tuple[Scope, list[sa.ColumnElement[bool]]]:
        """The related table, and the conditions of its rows."""
        inner, conditions = scope.related(relation)
        tree = cache.parse(options.filter, self.limits)[0].tree if options.filter.strip() else None
        if tree is not None:
            conditions.append(clause(_constant(tree, options.filter, inner.binder, self.limits), inner))
        return inner, conditions

    def _limit(self, relation: Relation, options: RelationOptions) -> int:
        if not relation.many:
            return 1
        return options.limit if options.limit and 0 < options.limit < self.most else self.most

    def _cut(self, select: Any, inner: Scope, conditions: Any, relation: Relation, options: RelationOptions) -> Any:
        """The rows of a relation that belong to one parent, in their order and within their limit."""
        select = select.select_from(inner.clause).where(*conditions)
        terms = ordering(inner, order_terms(options.order), relation.target.key)
        if relation.many:
            select = select.order_by(*(aggregate.directed(t, target) for t, target, _ in terms))
            if options.offset > 0:
                select = select.offset(sa.literal_column(str(options.offset)))
        return select.limit(sa.literal_column(str(self._limit(relation, options))))

    # -- how large an answer is ----------------------------------------------------------------------------------------

    def measure(self, scope: Scope, page: Any, rows: int) -> Any:
        """A select of `rows` and `bytes` of the answer, which stops at `rows` and one more.

        Every row of the answer is a row of a union, whose size is read without its value where PostgreSQL knows it.
        """
        self.relations = 0
        source = page.cte("m")
        top = Scope(scope.table, source, scope.right, scope.rights, scope.binder)
        sizes = [sa.select(_size(top, self.options.fields)).select_from(source)]
        sizes += self._sizes(top, source, self.options.related, ())
        union = sa.union_all(*sizes).limit(sa.literal_column(str(rows + 1))).subquery("s")
        return sa.select(sa.func.count().label("rows"), sa.func.sum(union.c.size).label("bytes"))

    def _sizes(self, scope: Scope, source: Any, related: str, path: tuple[str, ...]) -> list[Any]:
        made = []
        for relation in self._wanted(scope, related):
            options = self.options.of_relation(".".join((*path, relation.name)))
            inner, conditions = self._inner(scope, relation, options)
            select = self._cut(sa.select(inner.clause), inner, conditions, relation, options)
            name = f"m{inner.clause.name}"  # type: ignore[attr-defined]
            lateral = select.correlate_except(inner.clause).lateral(name)
            one = Scope(relation.target, lateral, inner.right, inner.rights, inner.binder)
            joined = source.join(lateral, sa.true())
            made.append(sa.select(_size(one, options.fields)).select_from(joined))
            made += self._sizes(one, joined, options.related, (*path, relation.name))
        return made


def _size(scope: Scope, fields: str | None) -> Any:
    """About how many bytes a row takes in the answer, by lengths that PostgreSQL knows without reading the values."""
    wanted = chosen(scope, fields)
    size: Any = sa.literal_column(str(8 * len(wanted) + sum(len(column.name) for column in wanted)))
    for column in wanted:
        target = scope.clause.c[column.name]
        if column.type.name in ("text", "character varying", "bytea"):
            size = size + sa.func.coalesce(sa.func.octet_length(target), sa.literal_column("0"))
        elif column.type.kind in ("json", "array", "composite", "other"):
            size = size + sa.func.coalesce(sa.func.pg_column_size(target), sa.literal_column("0"))
    return sa.cast(size, Named("bigint")).label("size")


def _constant(tree: Node, text: str, binder: Binder, limits: Limits) -> Node:
    """The filter of a relation is part of the shape; its literals are constants under places of their own."""
    literals = cache.parse(text, limits)[1]
    return shifted(tree, binder.keep(literals))
