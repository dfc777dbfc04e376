"""The columns of one read: fields, and relations to any depth allowed. Pure."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from tableapi.errors import BadRequest
from tableapi.query import aggregate
from tableapi.query.bounds import Limits
from tableapi.query.cursor import directed, ordering
from tableapi.query.filter import cache
from tableapi.query.filter.ast import Node, shifted
from tableapi.query.names import names, order_terms
from tableapi.query.options import Options
from tableapi.query.relation_options import RelationOptions
from tableapi.query.spelling import suggestion
from tableapi.query.statement import Binder
from tableapi.query.where import Scope, clause
from tableapi.schema.model import Column, Relation
from tableapi.schema.sqltypes import Named, shown

MAX_RELATIONS, MAX_LEVELS = 10, 3


def chosen(scope: Scope, fields: str | None) -> list[Column]:
    """Return the fields of the response. None or `*`: all that the caller may read; empty: the key."""
    table = scope.table
    if fields is None or fields.strip() == "*":
        return [c for c in table.columns.values() if scope.right.sees(c.name)]
    if not fields.strip():
        return [table.columns[n] for n in table.key if scope.right.sees(n)]
    columns: dict[str, Column] = {}
    for name in names(fields):
        if name == "*":
            columns.update((c.name, c) for c in chosen(scope, None))
        else:
            column = scope.column(name)
            columns[column.name] = column
    return list(columns.values())


class Reader:
    """Builds the columns of one read.

    most: rows of a page and of a relation of one parent. After `columns`: rows (how many rows the response may hold,
    related rows included), sealed (whether a field of it is sealed), top (the names in a record), and names (the same
    names, where the columns have short labels).
    """

    def __init__(self, options: Options, most: int, limits: Limits) -> None:
        self.options, self.most, self.limits = options, most, limits
        self.relations = 0
        self.rows = 0
        self.sealed = False
        self.top: list[str] = []
        self.names: list[str] | None = None

    def columns(self, scope: Scope, fields: str | None, related: str, rows: int = 1) -> list[Any]:
        """Return the labelled columns and relations of the request, for `rows` rows."""
        self.rows = rows
        columns, self.names = self._columns(scope, fields, related, (), rows)
        return columns

    def _columns(
        self, scope: Scope, fields: str | None, related: str, path: tuple[str, ...], most: int
    ) -> tuple[list[Any], list[str] | None]:
        """Return the labelled columns and relations of the rows of a scope, and their names as in `json_of`.

        most: how many rows of this scope the whole response may hold.
        """
        columns = chosen(scope, fields)
        if not path and self.options.as_list:
            columns = chosen(scope, self.options.id_field)
        relations = self._relations(scope, related)
        if not path:  # the joining fields are in the response, but not inside a relation
            present = {c.name for c in columns}
            for name in (n for r in relations for n in r.own):
                if name not in present and scope.right.sees(name):
                    columns.append(scope.table.columns[name])
                    present.add(name)
        self.sealed = self.sealed or any(c.name in scope.right.sealed for c in columns)
        own = [c.name for c in columns] + [r.name for r in relations]
        if not path:
            self.top = own
        expressions = [shown(scope.clause.c[c.name], c.type) for c in columns]
        expressions += [self._relation(scope, r, (*path, r.name), most) for r in relations]
        labels = aggregate.labels(own)
        return [
            expression.label(name) for expression, name in zip(expressions, labels or own, strict=True)
        ], own if labels else None

    def _relations(self, scope: Scope, related: str) -> list[Relation]:
        """Return the relations of option `related`. `*` means all that the caller may read.

        Raises:
            BadRequest: a relation does not exist, or there are too many.
        """
        relations: dict[str, Relation] = {}
        for name in names(related):
            if name == "*":
                permitted = filter(scope.permitted, scope.table.relations.values())
                relations.update((relation.name, relation) for relation in permitted)
                continue
            relation = scope.table.relation(name)
            if relation is None:
                raise BadRequest(
                    f"Table '{scope.table.name}' has no relation '{name[:100]}'." + suggestion(name, scope.relations()),
                    reason="unknown_relation",
                    context={"relation": name[:100]},
                )
            relations[relation.name] = relation
        everything = related.strip() == "*"
        self.relations += 0 if everything else len(relations)
        if self.relations > MAX_RELATIONS:
            raise BadRequest(f"A request may name {MAX_RELATIONS} relations at most.", reason="too_many_relations")
        return list(relations.values())

    def _relation(self, scope: Scope, relation: Relation, path: tuple[str, ...], most: int) -> Any:
        """Return the JSON of one relation of a row."""
        if len(path) > MAX_LEVELS:
            raise BadRequest(f"Relations may be nested {MAX_LEVELS} levels deep at most.", reason="too_deep")
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
        """Return the related table and the conditions of its rows, filter included."""
        inner, conditions = scope.related(relation)
        tree = cache.parse(options.filter, self.limits)[0].tree if options.filter.strip() else None
        if tree is not None:
            conditions.append(clause(_with_constants(tree, options.filter, inner.binder, self.limits), inner))
        return inner, conditions

    def _limit(self, relation: Relation, options: RelationOptions) -> int:
        """Return how many rows of a relation each parent may have."""
        if not relation.many:
            return 1
        return options.limit if options.limit and 0 < options.limit < self.most else self.most

    def _cut(self, select: Any, inner: Scope, conditions: Any, relation: Relation, options: RelationOptions) -> Any:
        """Return the rows of a relation that belong to one parent, in their order and within their limit."""
        select = select.select_from(inner.clause).where(*conditions)
        terms = ordering(inner, order_terms(options.order), relation.target.key)
        if relation.many:
            select = select.order_by(*(directed(t, target) for t, target, _ in terms))
            if options.offset > 0:
                select = select.offset(sa.literal_column(str(options.offset)))
        return select.limit(sa.literal_column(str(self._limit(relation, options))))

    # -- the size of a response ----------------------------------------------------------------------------------------

    def measure(self, scope: Scope, page: Any, rows: int) -> Any:
        """Return a select of the `rows` and `bytes` of the response, which stops after `rows` + 1.

        Every row of the response is one row of a union. Sizes are read without the values where PostgreSQL stores them.
        """
        self.relations = 0
        source = page.cte("m")
        top = Scope(scope.table, source, scope.right, scope.rights, scope.binder)
        sizes = [sa.select(_size(top, self.options.fields)).select_from(source)]
        sizes += self._sizes(top, source, self.options.related, ())
        union = sa.union_all(*sizes).limit(sa.literal_column(str(rows + 1))).subquery("s")
        return sa.select(sa.func.count().label("rows"), sa.func.sum(union.c.size).label("bytes"))

    def _sizes(self, scope: Scope, source: Any, related: str, path: tuple[str, ...]) -> list[Any]:
        """Return the selects of the sizes of the related rows, one for each relation."""
        sizes = []
        for relation in self._relations(scope, related):
            options = self.options.of_relation(".".join((*path, relation.name)))
            inner, conditions = self._inner(scope, relation, options)
            select = self._cut(sa.select(inner.clause), inner, conditions, relation, options)
            name = f"m{inner.clause.name}"  # type: ignore[attr-defined]
            lateral = select.correlate_except(inner.clause).lateral(name)
            related_scope = Scope(relation.target, lateral, inner.right, inner.rights, inner.binder)
            joined = source.join(lateral, sa.true())
            sizes.append(sa.select(_size(related_scope, options.fields)).select_from(joined))
            sizes += self._sizes(related_scope, joined, options.related, (*path, relation.name))
        return sizes


def _size(scope: Scope, fields: str | None) -> Any:
    """Estimate the bytes of a row in the response without reading its values."""
    columns = chosen(scope, fields)
    size: Any = sa.literal_column(str(8 * len(columns) + sum(len(column.name) for column in columns)))
    for column in columns:
        target = scope.clause.c[column.name]
        if column.type.name in ("text", "character varying", "bytea"):
            size = size + sa.func.coalesce(sa.func.octet_length(target), sa.literal_column("0"))
        elif column.type.kind in ("json", "array", "composite", "other"):
            size = size + sa.func.coalesce(sa.func.pg_column_size(target), sa.literal_column("0"))
    return sa.cast(size, Named("bigint")).label("size")


def _with_constants(tree: Node, text: str, binder: Binder, limits: Limits) -> Node:
    """Return the tree of a relation's filter with its literals as constants of the statement."""
    literals = cache.parse(text, limits)[1]
    return shifted(tree, binder.constants(literals))
