"""The fields of a response: columns, values inside them, fields of parents, functions and aliases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from tableapi.errors import BadRequest
from tableapi.query import syntax
from tableapi.query.expressions.operand import Operand
from tableapi.query.expressions.operands import Scope, of_response, single
from tableapi.query.names import names
from tableapi.query.options import computed
from tableapi.query.spelling import suggestion
from tableapi.query.syntax import Selected
from tableapi.query.windows import window
from tableapi.schema.model import Column
from tableapi.schema.sqltypes import shown

MAX_THROUGH_RELATIONS = 20  # fields read through relations, per table or relation


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a response: its name and its expression."""

    name: str
    operand: Operand

    def shown(self, *, texts: bool = False) -> Any:
        """Return the expression that PostgreSQL renders as its JSON value. `texts`: see `sqltypes.shown`."""
        return shown(self.operand.expression, self.operand.type, texts=texts)


def chosen(scope: Scope, fields: str | None) -> list[Column]:
    """Return the columns of a response. None or `*`: all readable columns; empty: the key."""
    table = scope.table
    if fields is None or fields.strip() == "*":
        return [c for c in table.columns.values() if scope.right.can_read(c.name)]
    if not fields.strip():
        return [table.columns[n] for n in table.key if scope.right.can_read(n)]
    columns: dict[str, Column] = {}
    for name in names(fields):
        if name == "*":
            columns.update((c.name, c) for c in chosen(scope, None))
        else:
            column = scope.column(name)
            columns[column.name] = column
    return list(columns.values())


def selected(scope: Scope, fields: str | None) -> list[Field]:
    """Return the fields of a response like `chosen`, plus expressions in option `fields`.

    Raises:
        UnknownField, BadRequest: a part of the option is invalid, or two have the same name.
    """
    if not computed(scope.table, fields):
        return [of_column(scope, column) for column in chosen(scope, fields)]
    result: dict[str, Field] = {}
    through = 0
    for part in syntax.selected(fields or ""):
        if part.text == "*":
            result.update((c.name, of_column(scope, c)) for c in chosen(scope, None))
            continue
        if part.alias or part.term is None or not part.term.plain:
            scope.binder.count("fields")
        field, deep = _selected(scope, part)
        through += deep
        if field.name in result and (part.alias or result[field.name].operand.column is not field.operand.column):
            raise same_name(field.name)
        result[field.name] = field
    if through > MAX_THROUGH_RELATIONS:
        raise BadRequest(
            f"At most {MAX_THROUGH_RELATIONS} fields may be read through relations.", reason="too_many_relations"
        )
    return list(result.values())


def with_always(scope: Scope, selection: list[Field]) -> list[Field]:
    """Add the fields that the right includes in every record.

    Raises:
        BadRequest: another field has the same name.
    """
    named_fields = {field.name: field for field in selection}
    for name in sorted(scope.right.always_returned):
        column = scope.table.columns[name]
        if named_fields.setdefault(name, of_column(scope, column)).operand.column is not column:
            raise same_name(name)
    return list(named_fields.values())


def same_name(name: str) -> BadRequest:
    """Build the error for two fields with the same name."""
    return BadRequest(
        f"Two fields of the response would be named '{name[:100]}'. Rename one: <field> AS <name>.",
        reason="duplicate_field",
        context={"field": name[:100]},
    )


def of_column(scope: Scope, column: Column) -> Field:
    return Field(column.name, of_response(scope, column))


def named(scope: Scope, part: Selected) -> Column | None:
    """Return the column with the whole part as its name, for example a name that contains a dot."""
    column = None if part.alias else scope.table.find(part.text)
    return column if column is not None and scope.right.can_read(column.name) else None


def _selected(scope: Scope, part: Selected) -> tuple[Field, bool]:
    """Return one field, and whether it is read through a relation."""
    if (column := named(scope, part)) is not None:
        return of_column(scope, column), False
    term = part.term
    if term is None or (term.plain and not part.alias and scope.table.function(part.text) is None):
        if name := syntax.called(part.text):  # perhaps select=name,city(name) of other APIs
            relation = suggestion(name, scope.relations(), "Write related={} for related records.")
            raise BadRequest(
                syntax.no_function(name, relation), reason="unknown_function", context={"option": "fields"}
            )
        return of_column(scope, scope.column(part.text)), False
    if term.function is not None and term.function.over is not None:
        return Field(part.alias, window(scope, term)), len(term.path) > 1 and scope.relation(term.path[0]) is not None
    operand = single(scope, term, shown=True)
    through = bool(term.function and term.function.through) or scope.relation(term.path[0]) is not None
    return Field(part.alias or operand.name, operand), through


def size(scope: Scope, fields: str | None) -> Any:
    """Estimate the bytes of a row in the response without reading its values."""
    selection = selected(scope, fields)
    total: Any = sa.literal_column(str(8 * len(selection) + sum(len(field.name) for field in selection)))
    for field in selection:
        target, type_ = field.operand.expression, field.operand.type
        if type_.name in ("text", "character varying", "bytea"):
            total = total + sa.func.coalesce(sa.func.octet_length(target), sa.literal_column("0"))
        elif type_.kind in ("json", "array", "composite", "other", "geometry", "geography"):
            total = total + sa.func.coalesce(sa.func.pg_column_size(target), sa.literal_column("0"))
    return total
