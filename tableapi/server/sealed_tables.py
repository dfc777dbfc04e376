"""SQL statements about the sealed values of a project, and new values for `tableapi rotate-keys`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tableapi.auth.policy import Access, KeyedHash, SealedTable
from tableapi.config.command_error import CommandError
from tableapi.crypto.vault import HEAD, CannotOpen, Vault

# Sealed by the engine: responses stored for repeated requests, and payloads of jobs.
ENGINE_TABLES = (SealedTable("idempotency", sealed={"body"}), SealedTable("pgqueuer", sealed={"payload"}))

SAMPLED = 10_000  # rows in which a value is looked for
_COLUMNS = """
    select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
           coalesce(a.attnum = any(i.indkey::int2[]), false) as key
    from pg_attribute a left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
    where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped
    order by array_position(i.indkey::int2[], a.attnum), a.attnum
"""


class CannotRotateKeys(CommandError):
    """Values cannot be encrypted again; the message says which, and whether anything was changed."""


@dataclass(slots=True)
class Outcome:
    """The result for one table."""

    rows: int = 0
    values: int = 0
    lasting: int = 0  # hashes that cannot be computed again
    broken: list[str] = field(default_factory=list)  # values that cannot be decrypted


def declared(policy: Mapping[str, Access], kept: Iterable[SealedTable]) -> list[SealedTable]:
    """Return the tables with values under SECRET_KEYS, each once."""
    tables: dict[str, SealedTable] = {}
    fields = [SealedTable(name, sealed=access.sealed) for name, access in policy.items() if access.sealed]
    for table in (*fields, *kept, *ENGINE_TABLES):
        before = tables.get(table.table, SealedTable(table.table))
        tables[table.table] = SealedTable(table.table, before.sealed | table.sealed, {**before.hashes, **table.hashes})
    return list(tables.values())


class RotatedTable:
    """One table of the database, with its sealed columns and keyed hashes."""

    def __init__(self, declaration: SealedTable, types: Mapping[str, str], key: list[str]) -> None:
        self.name, self.key, self.sealed = declaration.table, key, sorted(declaration.sealed)
        self.types = types
        self.hashes = {name: how for name, how in declaration.hashes.items() if how is not None}
        self.lasting = [name for name, how in declaration.hashes.items() if how is None]

    @classmethod
    async def read(cls, connection: Any, declaration: SealedTable) -> RotatedTable:
        """Read the types and the key of a table.

        Raises CannotRotateKeys for a missing table, column or primary key.
        """
        rows = await connection.fetch(_COLUMNS, declaration.table)
        types = {row["name"]: row["type"] for row in rows}
        key = [row["name"] for row in rows if row["key"]]
        columns = {*declaration.sealed, *declaration.hashes}
        for how in declaration.hashes.values():
            columns |= set(how.columns) if how else set()
        if missing := sorted(columns - set(types)):
            raise CannotRotateKeys(
                f"{declaration.table} has no column {missing[0]}. Bring the database up to date: tableapi init"
            )
        if not key:
            raise CannotRotateKeys(f"{declaration.table} has no primary key; add one first.")
        return cls(declaration, types, key)

    # -- SQL: every name comes from policy.py and is looked up in the catalog ------------------------------------------

    def head(self, column: str) -> str:
        """Return SQL for the head of a sealed value, which names its key; empty if it is not sealed."""
        if self.types[column] == "bytea":
            return f"substring({_quoted(column)} from 1 for {HEAD})"
        text = f"substr({_quoted(column)}, 4, 8)"
        opened = f"substring(decode(translate({text}, '-_', '+/'), 'base64') from 1 for {HEAD})"
        return f"case when {_quoted(column)} ~ '^s1\\.[A-Za-z0-9_-]{{8}}' then {opened} else ''::bytea end"

    def _filled(self, column: str) -> str:
        return f"length({_quoted(column)}) > 0"

    def sample(self, column: str) -> str:
        """Select the head of one value, among the first rows."""
        rows = f"select {_quoted(column)} from {_quoted(self.name)} limit {SAMPLED}"  # noqa: S608
        return f"select {self.head(column)} from ({rows}) sampled where {self._filled(column)} limit 1"  # noqa: S608

    def survey(self, column: str) -> str:
        """Count the values of a column by the key that sealed them."""
        select = f"select {self.head(column)} as head, count(*) as values from {_quoted(self.name)}"  # noqa: S608
        return f"{select} where {self._filled(column)} group by 1"

    def example(self, column: str) -> str:
        """Select the primary key of one row with a value under the key of head $1."""
        keys = ", ".join(f"{_quoted(name)}::text" for name in self.key)
        where = f"{self._filled(column)} and {self.head(column)} = $1"
        return f"select {keys} from {_quoted(self.name)} where {where} limit 1"  # noqa: S608

    def batch(self, after: bool, size: int) -> str:
        """Select and lock rows that may hold values under older keys. $1 is the head of the newest key.

        `after`: continue after a primary key. SKIP LOCKED prevents deadlocks; the next round picks up skipped rows.
        """
        keys = ", ".join(map(_quoted, self.key))
        position = ", ".join(f"${place}::{self.types[name]}" for place, name in enumerate(self.key, 2))
        stale = [f"({self._filled(name)} and {self.head(name)} <> $1)" for name in self.sealed]
        where = ["$1::bytea is not null"] if self.hashes else [" or ".join(stale)]
        where += [f"({keys}) > ({position})"] if after else []
        columns = {*self.key, *self.sealed, *self.hashes, *(c for how in self.hashes.values() for c in how.columns)}
        lock = "update" if self.hashes else "no key update"
        select = f"select {', '.join(map(_quoted, sorted(columns)))} from {_quoted(self.name)}"  # noqa: S608
        conditions = " and ".join(f"({condition})" for condition in where)
        return f"{select} where {conditions} order by {keys} limit {size} for {lock} skip locked"

    @property
    def count(self) -> str:
        """Count the rows with a hash that cannot be computed again."""
        present = " or ".join(f"{_quoted(name)} is not null" for name in self.lasting)
        return f"select count(*) from {_quoted(self.name)} where {present}"  # noqa: S608

    def update(self, columns: Iterable[str]) -> str:
        """Update these columns of the row with a primary key."""
        names = list(columns)
        sets = ", ".join(f"{_quoted(name)} = ${place}" for place, name in enumerate(names, 1))
        where = " and ".join(f"{_quoted(name)} = ${place}" for place, name in enumerate(self.key, len(names) + 1))
        return f"update {_quoted(self.name)} set {sets} where {where}"  # noqa: S608

    # -- values --------------------------------------------------------------------------------------------------------

    def called(self, row: Mapping[str, Any]) -> str:
        return f"{self.name} ({', '.join(f'{name} {row[name]}' for name in self.key)})"

    def changes(self, row: Any, vault: Vault, done: Outcome) -> dict[str, Any]:
        """Return the new values of a row by column; values that cannot be decrypted go to `done.broken`."""
        changes: dict[str, Any] = {}
        plain = dict(row)
        for name in self.sealed:
            if not row[name]:
                continue
            try:
                opened = vault.open(row[name]) if isinstance(row[name], str) else vault.open_bytes(row[name])
            except (CannotOpen, ValueError):
                done.broken.append(f"{name} of {self.called(row)}")
                return {}
            plain[name] = opened
            if not vault.is_newest(row[name]):
                changes[name] = vault.seal(opened) if isinstance(opened, str) else vault.seal_bytes(opened)
        done.values += len(changes)
        for name, how in self.hashes.items():
            self._hash(name, how, row[name], plain, vault, changes, done)
        return changes

    def _hash(
        self, name: str, how: KeyedHash, present: bytes, plain: Mapping[str, Any], vault: Vault,
        changes: dict[str, Any], done: Outcome,
    ) -> None:  # fmt: skip
        newest, *older = vault.indexes(how.purpose, how.form(*(plain[column] for column in how.columns)))
        if present in older:
            changes[name] = newest
            done.values += 1
        elif present != newest:  # its source is not stored, as for a key that is shown once
            done.lasting += 1


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
