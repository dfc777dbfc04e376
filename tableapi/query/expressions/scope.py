"""A table under an alias, with the fields and relations that one caller may use.

A hidden field gets the same error as a field that does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import sqlalchemy as sa

from tableapi.auth.policy import ActorTerms
from tableapi.auth.rights import Right, Rights
from tableapi.errors import BadRequest, Forbidden
from tableapi.query.spelling import unknown_field
from tableapi.query.statement import Binder
from tableapi.schema.model import Column, Relation, Table
from tableapi.schema.sqltypes import DIALECT, Named, call

ACTOR = ActorTerms()


@dataclass(frozen=True, slots=True)
class Page:
    """The page that the rows of a scope are: the place of a row in it, and whether a row is part of it.

    within: None if every row is. The row that a probe reads in addition is not.
    """

    place: Any
    within: Any = None


class TableAlias:
    """A table under an alias, as one caller may use it.

    path: the relations that lead to it from the table of the request. page: the page that its rows are, for window
    functions; None elsewhere, where there are none. fixed: the values of columns that all of its rows share,
    filled for distributed tables: Citus joins them only if each is filtered by its column of distribution.
    """

    page: Page | None = None
    fixed: Mapping[str, Any] = MappingProxyType({})

    def __init__(
        self,
        table: Table,
        clause: sa.FromClause,
        right: Right,
        rights: Rights,
        binder: Binder,
        path: tuple[str, ...] = (),
    ) -> None:
        self.table, self.clause, self.right, self.rights, self.binder = table, clause, right, rights, binder
        self.path = path

    def over(self, clause: sa.FromClause) -> Self:
        """Return the scope of the same table over different rows, such as those of a page."""
        scope = type(self)(self.table, clause, self.right, self.rights, self.binder, self.path)
        scope.fixed = self.fixed
        return scope

    def column(self, name: str, *, of_path: bool = False) -> Column:
        """Return a column that the caller may read. `of_path`: the name could also be that of a relation.

        Raises:
            UnknownField: the table has no such field, or it is hidden.
        """
        column = self.table.find(name)
        if column is None or not self.right.can_read(column.name):
            relations = self.relations() if of_path or self.table.relation(name) is not None else ()
            raise unknown_field(name, self.table, self.right, relations)
        return column

    def plain(self, name: str, *, of_path: bool = False) -> tuple[Column, sa.ColumnElement[Any]]:
        """Return a column that can be used for comparing, ordering and grouping, and its expression.

        Raises:
            UnknownField: as for `column`.
            BadRequest: the field is sealed, so only its ciphertext could be compared.
        """
        column = self.column(name, of_path=of_path)
        if column.name in self.right.sealed:
            raise BadRequest(f"Field '{column.name}' can only be read, not searched or sorted.", reason="sealed_field")
        return column, self.clause.c[column.name]

    def relation(self, name: str) -> Relation | None:
        """Return a relation by name, or None, also for a function that the caller may not use."""
        relation = self.table.relation(name)
        if relation is None or relation.function is None:
            return relation
        return relation if self.right.computes(relation.name) else None

    def row(self) -> sa.ColumnElement[Any]:
        """Return a row of the table as a single value, to pass to a function."""
        quote = DIALECT.identifier_preparer.quote
        name = f"{quote(self.table.schema)}.{quote(self.table.bare)}"
        return sa.cast(sa.func.row(*(self.clause.c[column] for column in self.table.columns)), Named(name))

    def columns_read(self, clause: sa.FromClause | None = None) -> list[Any]:
        """Return the columns of a page of rows: whole rows, or the columns that PostgreSQL grants to the role."""
        clause = self.clause if clause is None else clause
        if not self.right.grants:
            return [clause]
        return [clause.c[name] for name in self.table.columns if self.right.can_read(name)]

    def rows(self) -> sa.ColumnElement[bool] | None:
        """Return the caller's row rule on this alias."""
        return self.right.rows(self.clause, ACTOR) if self.right.rows else None

    def related(self, relation: Relation) -> tuple[Self, list[sa.ColumnElement[bool]]]:
        """Return the scope of the related table, and the conditions of the join.

        Raises:
            Forbidden: the caller may not read the table, or the junction.
        """
        right = self.rights.right(relation.target, "GET")
        if right is None or not _joins(self.right, relation.own) or not _joins(right, relation.theirs):
            raise Forbidden(f"Relation '{relation.name}' is not permitted.")
        path = (*self.path, relation.name)
        if relation.function is not None:
            returned = self._rows(relation, relation.function)
            inner = type(self)(relation.target, returned, right, self.rights, self.binder, path)
            conditions = [] if (rule := inner.rows()) is None else [rule]
            if not relation.many:  # if the function returns no row, PostgreSQL returns one of NULLs
                names = relation.target.key or tuple(relation.target.columns)
                conditions.append(sa.or_(*(inner.clause.c[name].is_not(None) for name in names)))
            return inner, conditions
        inner = type(self)(relation.target, self.binder.alias(relation.target), right, self.rights, self.binder, path)
        own: list[sa.ColumnElement[Any]] = [self.clause.c[name] for name in relation.own]
        if relation.junction is None:
            conditions = [inner.clause.c[t] == o for t, o in zip(relation.theirs, own, strict=True)]
            if self.fixed and relation.target.distributed:
                pairs = zip(relation.own, relation.theirs, strict=True)
                inner.fixed = {t: self.fixed[o] for o, t in pairs if o in self.fixed}
                conditions += [inner.clause.c[t] == value for t, value in inner.fixed.items()]
        else:
            conditions = [self._joined(relation, relation.junction, inner, own)]
        if (rows := inner.rows()) is not None:
            conditions.append(rows)
        return inner, conditions

    def followed(self, relation: Relation) -> tuple[Self, list[sa.ColumnElement[bool]]]:
        """Return `related` for a path, where the related rows are not part of the response.

        Raises:
            Forbidden: as for `related`, or the path leads to rows of accounts that the record of the read would not
                name.
        """
        if self.leaves_record(relation):
            raise Forbidden(
                f"A path from '{self.table.name}' to '{relation.target.name}' would read other accounts without a "
                "record in the audit log. Use 'related', or read the table itself.",
                reason="not_recorded",
            )
        return self.related(relation)

    def leaves_record(self, relation: Relation) -> bool:
        """Return whether a recorded read would leave a table without accounts for one with accounts."""
        account = self.binder.account
        return bool(account) and self.table.find(account) is None and relation.target.find(account) is not None

    def _rows(self, relation: Relation, function: tuple[str, str]) -> sa.FromClause:
        """Return the rows that a row function returns."""
        self.binder.tables[relation.target.name] = relation.target
        columns = (sa.column(column.name, column.type) for column in relation.target.clause.c)
        rows: sa.FromClause = call(*function, self.row()).table_valued(*columns, name=self.binder.name("t"))
        return rows

    def relations(self) -> list[str]:
        """Return the names of the relations to tables that the caller may read."""
        return readable_relations(self.table, self.right, self.rights)

    def permitted(self, relation: Relation) -> bool:
        """Return whether the caller may read the table of a relation, and its junction."""
        return _permitted(relation, self.right, self.rights)

    def _joined(
        self, relation: Relation, table: Table, inner: TableAlias, own: list[sa.ColumnElement[Any]]
    ) -> sa.ColumnElement[bool]:
        """Return the condition that a row of the junction links the two tables."""
        right = self.rights.right(table, "GET")
        if right is None or not _joins(right, (*relation.junction_own, *relation.junction_theirs)):
            raise Forbidden(f"Relation '{relation.name}' is not permitted.")
        junction = type(self)(table, self.binder.alias(table), right, self.rights, self.binder)
        links = [junction.clause.c[j] == o for j, o in zip(relation.junction_own, own, strict=True)]
        if self.fixed and table.distributed:
            pairs = zip(relation.own, relation.junction_own, strict=True)
            links += [junction.clause.c[j] == self.fixed[o] for o, j in pairs if o in self.fixed]
        if (rows := junction.rows()) is not None:
            links.append(rows)
        theirs = [inner.clause.c[name] for name in relation.theirs]
        if any(inner.table.columns[name].type.operators for name in relation.theirs):
            same = [junction.clause.c[j] == t for j, t in zip(relation.junction_theirs, theirs, strict=True)]
            return sa.exists().where(*links, *same).correlate_except(junction.clause)
        keys = sa.select(*(junction.clause.c[n] for n in relation.junction_theirs)).where(*links)
        target = theirs[0] if len(theirs) == 1 else sa.tuple_(*theirs)
        return target.in_(keys.correlate_except(junction.clause))


def readable_relations(table: Table, right: Right, rights: Rights) -> list[str]:
    """Return the names of the relations of a table to tables that the caller may read."""
    return [relation.name for relation in table.relations.values() if _permitted(relation, right, rights)]


def _permitted(relation: Relation, own: Right, rights: Rights) -> bool:
    """Return whether the caller may read the table of a relation, and its junction."""
    if relation.function is not None and not own.computes(relation.name):
        return False
    joins = [(relation.target, relation.theirs)]
    if relation.junction:
        joins.append((relation.junction, (*relation.junction_own, *relation.junction_theirs)))
    found = [(rights.right(table, "GET"), names) for table, names in joins]
    return all(right is not None and _joins(right, names) for right, names in found) and _joins(own, relation.own)


def _joins(right: Right, names: Iterable[str]) -> bool:
    """Return whether a join may read these columns.

    Under a policy, joins may use hidden columns; under PostgreSQL's grants they may not.
    """
    return not right.grants or all(map(right.can_read, names))
