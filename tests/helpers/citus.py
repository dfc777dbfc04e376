"""The rules of Citus for a statement, checked in its parse tree: no Citus is needed.

The rules are those that Citus 13.2 applied to the product's statements. `Tables` tells them where each table lies
(the table of tables in deploy/citus.sql) and what the catalog says about columns and functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import asyncpg
import pglast
from pglast.enums import A_Expr_Kind, OnConflictAction

ast: Any = pglast.ast  # its fields may all be None, by their types
TIMES = {"timestamptz", "timestamp", "date", "timetz"}
_WRITES = ast.InsertStmt, ast.UpdateStmt, ast.DeleteStmt


@dataclass(frozen=True)
class Tables:
    """The columns with their types, by table; the key of each distributed table, null for a copy on each machine.

    volatility: the worst of a function's overloads.
    """

    columns: dict[str, dict[str, str]]
    groups: dict[str, str]
    keys: dict[str, str | None]
    volatility: dict[str, str]

    @classmethod
    async def load(cls, db: asyncpg.Connection) -> Tables:
        """Read the catalog, and the temporary table `placed` of deploy/citus.sql."""
        columns: dict[str, dict[str, str]] = {}
        for table, column, type_ in await db.fetch(
            "select c.relname::text, a.attname::text, t.typname::text from pg_class c join pg_attribute a on"
            " a.attrelid = c.oid and a.attnum > 0 join pg_type t on t.oid = a.atttypid where relnamespace ="
            " 'public'::regnamespace and relkind = 'r'"
        ):
            columns.setdefault(table, {})[column] = type_
        placed = await db.fetch("select name, place, key from placed where place <> 'local'")
        functions = await db.fetch(
            "select proname::text, max(translate(provolatile::text, 'isv', '123')) from pg_proc group by 1"
        )
        return cls(
            columns, {row["name"]: row["place"] for row in placed}, {row["name"]: row["key"] for row in placed},
            {name: "isv"[int(worst) - 1] for name, worst in functions},
        )  # fmt: skip

    def type_of(self, node: Any, named: dict[str, str]) -> str:
        """Return the type of a time or an interval; "" for what needs none. `named`: the tables of the statement."""
        match node:
            case ast.ColumnRef():
                found = [self.columns[table].get(_name(node), "") for table in named.values()]
                return next(filter(None, found), "")
            case ast.TypeCast():
                return str(node.typeName.names[-1].sval)
            case ast.FuncCall():
                return {"now": "timestamptz", "make_interval": "interval"}.get(node.funcname[-1].sval, "")
            case ast.A_Expr() if node.name[-1].sval in "+-" and node.lexpr is not None:
                left = self.type_of(node.lexpr, named)
                return "interval" if left in TIMES and self.type_of(node.rexpr, named) in TIMES else left
        return "timestamptz" if isinstance(node, ast.SQLValueFunction) else ""

    def mutable(self, node: Any, named: dict[str, str]) -> str:
        """Return the volatility of an expression itself, without its parts: i, s or v."""
        match node:
            case ast.FuncCall():
                return self.volatility.get(node.funcname[-1].sval, "v")
            case ast.SQLValueFunction():
                return "s"
            case ast.TypeCast() if not isinstance(node.arg, ast.A_Const | ast.ParamRef):
                types = {self.type_of(node.arg, named), str(node.typeName.names[-1].sval)}
                return "s" if types & TIMES and len(types) > 1 else "i"
            case ast.A_Expr() if node.name[-1].sval in "+-" and node.lexpr is not None:
                left, right = self.type_of(node.lexpr, named), self.type_of(node.rexpr, named)
                return "s" if left in TIMES and right not in TIMES else "i"
        return "i"


def _nodes(node: Any) -> Iterator[Any]:
    """Yield a node and all inside it."""
    if isinstance(node, tuple | list):
        for one in node:
            yield from _nodes(one)
    elif isinstance(node, ast.Node):
        yield node
        for name in node:
            yield from _nodes(getattr(node, name))


def _name(column: Any) -> str:
    return getattr(column.fields[-1], "sval", "*")


def refused(sql: str, tables: Tables) -> str:
    """Return why Citus refuses a statement; "" if no rule does."""
    parsed = pglast.parse_sql(sql)
    if len(parsed) > 1:
        return "several commands in one string"
    everything = list(_nodes(parsed[0].stmt))
    local = {node.ctename for node in everything if isinstance(node, ast.CommonTableExpr)}
    used = [node for node in everything if isinstance(node, ast.RangeVar) and node.relname not in local]
    named = {(node.alias.aliasname if node.alias else node.relname): node.relname for node in used
             if node.relname in tables.columns}  # fmt: skip
    groups = {tables.groups[name] for name in named.values() if tables.keys.get(name)}
    if len(groups) > 1:
        return f"tables of several groups: {', '.join(sorted(groups))}"
    writes = [node for node in everything if isinstance(node, _WRITES) and node.relation.relname in tables.keys]
    for write in writes:
        if why := _of_write(write, tables, named):
            return why
    return _of_locks(everything, tables) or _of_copies(everything, tables)


def _of_write(write: Any, tables: Tables, named: dict[str, str]) -> str:
    def worst(*parts: Any) -> str:
        return max((tables.mutable(node, named) for node in _nodes(parts)), default="i")

    key = tables.keys[write.relation.relname]
    if key is None and not isinstance(write, ast.InsertStmt) and _distributed(write, tables):
        return "a copied table is written by rows of a group"
    returned = write.returningClause.exprs if write.returningClause else ()
    if worst(returned) > "i":
        return "RETURNING is not immutable"
    if isinstance(write, ast.InsertStmt):
        if write.selectStmt and write.selectStmt.valuesLists and _has(ast.SubLink, write.selectStmt, returned):
            return "sub-select in INSERT"
        conflict = write.onConflictClause
        if conflict and conflict.action == OnConflictAction.ONCONFLICT_UPDATE:
            if worst(conflict.targetList, conflict.whereClause) > "i":
                return "DO UPDATE is not immutable"
            if key in [target.name for target in conflict.targetList]:
                return "changes the distribution key"
        # Citus folds the tested value of a simple CASE to null: a wrong value may be stored.
        if _simple_case(write.selectStmt):
            return "simple CASE with a parameter in a write"
        return ""
    sets = write.targetList if isinstance(write, ast.UpdateStmt) else ()
    for target in sets:
        if target.name == key and not isinstance(target.val, ast.ColumnRef):
            return "changes the distribution key"
    if worst(sets) == "v":
        return "SET is volatile"
    for node in _nodes((sets, write.whereClause)):
        if isinstance(node, ast.CaseExpr | ast.CoalesceExpr) and worst(node) > "i":
            return "CASE or COALESCE of a write is not immutable"
        if tables.mutable(node, named) > "i" and _has(ast.ColumnRef, node):
            return "a stable function of a column in a write"
    return "simple CASE with a parameter in a write" if _simple_case(sets) else ""


def _has(kind: Any, *parts: Any) -> bool:
    return any(isinstance(node, kind) for node in _nodes(parts))


def _simple_case(parts: Any) -> bool:
    cases = (node for node in _nodes(parts) if isinstance(node, ast.CaseExpr))
    return any(isinstance(case.arg, ast.ParamRef) for case in cases)


def _bare(node: Any) -> Any:
    """Return an expression without its cast."""
    return node.arg if isinstance(node, ast.TypeCast) else node


def _distributed(part: Any, tables: Tables) -> list[Any]:
    return [node for node in _nodes(part) if isinstance(node, ast.RangeVar) and tables.keys.get(node.relname)]


def _of_copies(everything: list[Any], tables: Tables) -> str:
    for select in everything:
        if not isinstance(select, ast.SelectStmt):
            continue
        outer = [node for node in _nodes(select.fromClause) if isinstance(node, ast.RangeVar)]
        if not outer or any(tables.keys.get(node.relname, "") is not None for node in outer):
            continue
        for inner in (node.subselect for node in _nodes((select.targetList, select.whereClause))
                      if isinstance(node, ast.SubLink)):  # fmt: skip
            keys = {tables.keys[node.relname] for node in _distributed(inner, tables)}
            parts = [part for part in _nodes(inner) if isinstance(part, ast.SelectStmt)]
            if not keys <= {name for part in parts for _, name in _equal(part)}:
                return "rows of a group correlated with a copied table"
    return ""


def _equal(select: Any) -> set[tuple[str, str]]:
    """Return the columns that a select compares with constants, each with the alias before it."""
    return {
        (node.lexpr.fields[0].sval if len(node.lexpr.fields) > 1 else "", _name(node.lexpr))
        for node in _nodes(select.whereClause)
        if isinstance(node, ast.A_Expr) and node.kind == A_Expr_Kind.AEXPR_OP and node.name[-1].sval == "="
        and isinstance(node.lexpr, ast.ColumnRef) and isinstance(_bare(node.rexpr), ast.ParamRef | ast.A_Const)
    }  # fmt: skip


def _of_locks(everything: list[Any], tables: Tables) -> str:
    for select in everything:
        if not isinstance(select, ast.SelectStmt) or not select.lockingClause:
            continue
        equal = _equal(select)
        tables_of = [node for node in _nodes(select.fromClause) if isinstance(node, ast.RangeVar)]
        keyed = [(table.alias.aliasname if table.alias else table.relname, key)
                 for table in tables_of if (key := tables.keys.get(table.relname))]  # fmt: skip
        # Citus passes the constant of one table on to those that are joined with it by the key.
        if keyed and not {*keyed, *(("", key) for _, key in keyed)} & equal:
            return "FOR UPDATE without the key as a constant"
    return ""
