"""The columns of one read: fields, and relations to any permitted depth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from tableapi.errors import BadRequest, Forbidden
from tableapi.query import aggregate, fields
from tableapi.query.cursor import directed, ordering
from tableapi.query.expressions.conditions import clause, guarded
from tableapi.query.expressions.operands import Scope
from tableapi.query.expressions.order import order_terms
from tableapi.query.expressions.scope import Page
from tableapi.query.filter import cache
from tableapi.query.filter.ast import shifted
from tableapi.query.limits import FilterLimits
from tableapi.query.names import names as name_list
from tableapi.query.options import Options
from tableapi.query.relation_options import RelationOptions
from tableapi.query.spelling import unknown_relation
from tableapi.schema.model import Relation, Table
from tableapi.schema.sqltypes import Named

MAX_RELATIONS, MAX_LEVELS = 10, 3
MAX_ALL_RELATIONS = 1000  # relations that `*` may expand to; a PostgreSQL statement may have 1,664 columns


class Reader:
    """Builds the columns of one read.

    most: maximum rows of a page, and of a relation per parent. Set by `columns`: rows (how many rows the response may
    have, including related rows), sealed (as in `Operand`), top (the names in a record), and names (the
    same names, if the columns have short labels).
    """

    def __init__(self, options: Options, most: int, limits: FilterLimits) -> None:
        self.options, self.most, self.limits = options, most, limits
        self.relations = 0
        self.rows = 0
        self.sealed = 0
        self.top: list[str] = []
        self.names: list[str] | None = None

    def columns(self, scope: Scope, names: str | None, related: str, rows: int = 1) -> list[Any]:
        """Return the labelled columns and relations of the request, for `rows` rows."""
        self.rows = rows
        columns, self.names = self._columns(scope, names, related, (), rows)
        return columns

    def _columns(
        self, scope: Scope, names: str | None, related: str, path: tuple[str, ...], most: int
    ) -> tuple[list[Any], list[str] | None]:
        """Return the labelled columns and relations of the rows of a scope, and their names as in `json_of`.

        names: option `fields`. most: how many rows of this scope the whole response may have.
        """
        columns = fields.selected(scope, self.options.id_field if not path and self.options.as_list else names)
        relations = self._relations(scope, related)
        present = {field.name for field in columns}
        if not path:  # joining fields are in the response, except inside a relation
            for name in (n for r in relations for n in r.own):
                if name not in present and scope.right.can_read(name):
                    columns.append(fields.of_column(scope, scope.table.columns[name]))
                    present.add(name)
        if scope.right.always_returned and not self.options.as_list:
            columns = fields.with_always(scope, columns)
            present |= scope.right.always_returned
        if clash := next((relation.name for relation in relations if relation.name in present), None):
            raise fields.same_name(clash)
        self.sealed = max(self.sealed, *(field.operand.sealed for field in columns), 0)
        own = [field.name for field in columns] + [r.name for r in relations]
        if not path:
            self.top = own
        expressions = [field.shown(texts=self.options.exact_texts) for field in columns]
        expressions += [self._relation(scope, r, (*path, r.name), most) for r in relations]
        labels = aggregate.labels(own)
        return [
            expression.label(name) for expression, name in zip(expressions, labels or own, strict=True)
        ], own if labels else None

    def _relations(self, scope: Scope, related: str) -> list[Relation]:
        """Return the relations of option `related`. `*` means all of them that the caller may read.

        Raises:
            BadRequest: a relation does not exist, or there are too many.
        """
        relations: dict[str, Relation] = {}
        for name in name_list(related):
            if name == "*":
                permitted = filter(scope.permitted, scope.table.relations.values())
                relations.update((r.name, r) for r in permitted if not r.derived or _in_all(scope.table, r))
                continue
            relation = scope.relation(name)
            if relation is None:
                raise unknown_relation(name, scope.table, scope.relations())
            relations[relation.name] = relation
        everything = related.strip() == "*"
        if len(relations) > MAX_ALL_RELATIONS:
            raise BadRequest(
                f"Table '{scope.table.name}' has {len(relations):,} relations, and '*' stands for at most "
                f"{MAX_ALL_RELATIONS:,}. Name up to {MAX_RELATIONS} of them.",
                reason="too_many_relations",
            )
        self.relations += 0 if everything else len(relations)
        if self.relations > MAX_RELATIONS:
            raise BadRequest(f"A request may name at most {MAX_RELATIONS} relations.", reason="too_many_relations")
        return list(relations.values())

    def _relation(self, scope: Scope, relation: Relation, path: tuple[str, ...], most: int) -> Any:
        """Return the JSON of one relation of a row."""
        if len(path) > MAX_LEVELS:
            raise BadRequest(f"Relations may be nested at most {MAX_LEVELS} levels deep.", reason="too_deep")
        options = self.options.of_relation(".".join(path))
        if options.offset > 0 and scope.leaves_record(relation):
            raise Forbidden(
                f"With an offset, '{'.'.join(path)}' would tell of other accounts without a record in the audit log. "
                f"Leave it out, or read '{relation.target.name}' itself.",
                reason="not_recorded",
            )
        inner, conditions = self._inner(scope, relation)
        limit = self._limit(relation, options)
        self.rows += most * limit
        columns, names = self._columns(inner, options.fields, options.related, path, most * limit)
        select = self._cut(sa.select(*columns), inner, conditions, relation, options)
        rows = select.correlate_except(inner.clause).subquery(scope.binder.name(aggregate.ROWS))
        if relation.many:
            row = rows.table_valued() if names is None else aggregate.json_of(rows, names)
            # One array expression per row; an aggregate would need another sub-select and be NULL without rows.
            return sa.func.array_to_json(sa.func.array(sa.select(row).select_from(rows).scalar_subquery()))
        return sa.select(aggregate.json_of(rows, names)).select_from(rows).scalar_subquery()

    def _inner(self, scope: Scope, relation: Relation) -> tuple[Scope, list[sa.ColumnElement[bool]]]:
        """Return the related table and the conditions of its rows, filter included."""
        inner, conditions = scope.related(relation)
        conditions += narrowing(self.options, self.limits)(inner)
        return inner, conditions

    def _limit(self, relation: Relation, options: RelationOptions) -> int:
        """Return the maximum number of rows of a relation per parent."""
        if not relation.many:
            return 1
        return options.limit if options.limit and 0 < options.limit < self.most else self.most

    def _cut(self, select: Any, inner: Scope, conditions: Any, relation: Relation, options: RelationOptions) -> Any:
        """Return the rows of a relation that belong to one parent, in order and within the limit."""
        select = select.select_from(inner.clause).where(*conditions)
        terms = ordering(inner, order_terms(options.order), relation.target.key)
        if relation.many:
            select = select.order_by(*(directed(t, target) for t, target, _ in terms))
            if options.offset > 0:
                select = select.offset(sa.literal_column(str(options.offset)))
        return select.limit(sa.literal_column(str(self._limit(relation, options))))

    # -- the size of a response ----------------------------------------------------------------------------------------

    def measure(self, scope: Scope, page: Any, rows: int) -> Any:
        """Select the `rows` and `bytes` of the response, stopping after `rows` + 1.

        Every row of the response is one row of a union. If PostgreSQL stores the size of a value, the value itself is
        not read.
        """
        self.relations = 0
        source = page.cte(scope.binder.name("m"))
        top = scope.over(source)
        top.page = Page(sa.literal_column("0"))  # sizes do not depend on the order of a window
        sizes = [sa.select(_size(top, self.options.fields)).select_from(source)]
        sizes += self._sizes(top, source, self.options.related, ())
        union = sa.union_all(*sizes).limit(sa.literal_column(str(rows + 1))).subquery(scope.binder.name("s"))
        return sa.select(sa.func.count().label("rows"), sa.func.sum(union.c.size).label("bytes"))

    def _sizes(self, scope: Scope, source: Any, related: str, path: tuple[str, ...]) -> list[Any]:
        """Return one select for each relation, with the sizes of the related rows."""
        sizes = []
        for relation in self._relations(scope, related):
            options = self.options.of_relation(".".join((*path, relation.name)))
            inner, conditions = self._inner(scope, relation)
            select = self._cut(sa.select(*inner.columns_read()), inner, conditions, relation, options)
            lateral = select.correlate_except(inner.clause).lateral(scope.binder.name("m"))
            related_scope = inner.over(lateral)
            joined = source.join(lateral, sa.true())
            sizes.append(sa.select(_size(related_scope, options.fields)).select_from(joined))
            sizes += self._sizes(related_scope, joined, options.related, (*path, relation.name))
        return sizes


def _size(scope: Scope, columns: str | None) -> Any:
    """Return the size of a row as a column of `measure`."""
    return sa.cast(fields.size(scope, columns), Named("bigint")).label("size")


def narrowing(options: Options, limits: FilterLimits) -> Callable[[Scope], list[Any]]:
    """Return a function that finds the conditions of `<relation>.filter` in a related scope."""

    def narrow(scope: Scope) -> list[Any]:
        path = ".".join(scope.path)
        text = options.of_relation(path).filter
        if not text.strip():
            return []
        tree, literals = cache.parse(text, limits)
        start = scope.binder.constants(literals, f"{path}.filter".lower())
        return [guarded(shifted(tree.tree, start), scope, scope.rows())]

    return narrow


def filtering(limits: FilterLimits) -> Callable[[Scope, str], Any]:
    """Return the function that builds the condition of an aggregate with FILTER."""

    def condition(scope: Scope, text: str) -> Any:
        tree, literals = cache.parse(text, limits)
        return clause(shifted(tree.tree, scope.binder.constants(literals)), scope)

    return condition


def _in_all(table: Table, relation: Relation) -> bool:
    """Return whether `*` includes a relation of a view: only those to tables, because a view may fail."""
    return table.is_view and not relation.target.is_view
