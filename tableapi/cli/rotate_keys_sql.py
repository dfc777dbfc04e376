"""The statements and the values of `tableapi reseal`, one table at a time. What a row gets is made here; who walks over
the rows is `reseal.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tableapi.auth.policy import Access, KeyedHash, SealedTable
from tableapi.config.command_error import CommandError
from tableapi.crypto.vault import HEAD, CannotOpen, Vault

# What the engine itself keeps: answers to repeated requests, and the payloads of jobs.
OURS = (SealedTable("idempotency", sealed={"body"}), SealedTable("pgqueuer", sealed={"payload"}))

_COLUMNS = """
    select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
           coalesce(a.attnum = any(i.indkey::int2[]), false) as key
    from pg_attribute a left join pg_index i on i.indrelid = a.attrelid and i.indisprimary
    where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped
    order by array_position(i.indkey::int2[], a.attnum), a.attnum
"""


class CannotReseal(CommandError):
    """It was refused; the message says why, and what was changed."""


@dataclass(slots=True)
class Outcome:
    """What became of one table."""

    rows: int = 0
    values: int = 0
    lasting: int = 0  # hashes that cannot be made again
    broken: list[str] = field(default_factory=list)  # values that do not open


def declared(policy: Mapping[str, Access], kept: Iterable[SealedTable]) -> list[SealedTable]:
    """All that is under SECRET_KEYS, a table once."""
    found: dict[str, SealedTable] = {}
    fields = [SealedTable(name, sealed=access.sealed) for name, access in policy.items() if access.sealed]
    for one in (*fields, *kept, *OURS):
        before = found.get(one.table, SealedTable(one.table))
        found[one.table] = SealedTable(one.table, before.sealed | one.sealed, {**before.hashes, **one.hashes})
    return list(found.values())


class Table:
    """One table of the database, and what of it is under SECRET_KEYS."""

    def __init__(self, kept: SealedTable, types: Mapping[str, str], key: list[str]) -> None:
        self.name, self.key, self.sealed = kept.table, key, sorted(kept.sealed)
        self.types = types
        self.hashes = {name: how for name, how in kept.hashes.items() if how is not None}
        self.lasting = any(how is None for how in kept.hashes.values())

    @classmethod
    async def read(cls, connection: Any, kept: SealedTable) -> Table:
        """Raises CannotReseal for a table or column that is not there."""
        rows = await connection.fetch(_COLUMNS, kept.table)
        types = {row["name"]: row["type"] for row in rows}
        key = [row["name"] for row in rows if row["key"]]
        wanted = {*kept.sealed, *kept.hashes}
        for how in kept.hashes.values():
            wanted |= set(how.columns) if how else set()
        if missing := sorted(wanted - set(types)):
            raise CannotReseal(f"{kept.table} has no column {missing[0]}. Bring the database up to date: tableapi init")
        if not key:
            raise CannotReseal(f"{kept.table} has no primary key to go through it by.")
        return cls(kept, types, key)

    # -- SQL: every name comes from policy.py and is looked up in the catalog ------------------------------------------

    def head(self, column: str) -> str:
        """How the bytes of a sealed value begin; empty for what is not sealed at all."""
        if self.types[column] == "bytea":
            return f"substring({_quoted(column)} from 1 for {HEAD})"
        text = f"substr({_quoted(column)}, 4, 8)"
        opened = f"substring(decode(translate({text}, '-_', '+/'), 'base64') from 1 for {HEAD})"
        return f"case when {_quoted(column)} ~ '^s1\\.[A-Za-z0-9_-]{{8}}' then {opened} else ''::bytea end"

    def _filled(self, column: str) -> str:
        return f"length({_quoted(column)}) > 0"

    def survey(self, column: str) -> str:
        """Values by the key that sealed them."""
        found = f"select {self.head(column)} as head, count(*) as values from {_quoted(self.name)}"  # noqa: S608
        return f"{found} where {self._filled(column)} group by 1"

    def example(self, column: str) -> str:
        """The key of a row whose value begins with $1."""
        keys = ", ".join(f"{_quoted(name)}::text" for name in self.key)
        where = f"{self._filled(column)} and {self.head(column)} = $1"
        return f"select {keys} from {_quoted(self.name)} where {where} limit 1"  # noqa: S608

    def batch(self, after: bool, size: int) -> str:
        """Rows behind a key that may hold something old ($1: how new values begin), locked. Who has a row now is not
        waited for: the next round finds it again, and so nobody is ever in a deadlock with us."""
        keys = ", ".join(map(_quoted, self.key))
        given = ", ".join(f"${place}::{self.types[name]}" for place, name in enumerate(self.key, 2))
        stale = [f"({self._filled(name)} and {self.head(name)} <> $1)" for name in self.sealed]
        where = ["$1::bytea is not null"] if self.hashes else [" or ".join(stale)]
        where += [f"({keys}) > ({given})"] if after else []
        columns = {*self.key, *self.sealed, *self.hashes, *(c for how in self.hashes.values() for c in how.columns)}
        lock = "update" if self.hashes else "no key update"
        found = f"select {', '.join(map(_quoted, sorted(columns)))} from {_quoted(self.name)}"  # noqa: S608
        which = " and ".join(f"({one})" for one in where)
        return f"{found} where {which} order by {keys} limit {size} for {lock} skip locked"

    @property
    def count(self) -> str:
        return f"select count(*) from {_quoted(self.name)}"  # noqa: S608

    def update(self, columns: Iterable[str]) -> str:
        """New values for the row of a key."""
        names = list(columns)
        sets = ", ".join(f"{_quoted(name)} = ${place}" for place, name in enumerate(names, 1))
        where = " and ".join(f"{_quoted(name)} = ${place}" for place, name in enumerate(self.key, len(names) + 1))
        return f"update {_quoted(self.name)} set {sets} where {where}"  # noqa: S608

    # -- values --------------------------------------------------------------------------------------------------------

    def called(self, row: Mapping[str, Any]) -> str:
        return f"{self.name} ({', '.join(f'{name} {row[name]}' for name in self.key)})"

    def changes(self, row: Any, vault: Vault, done: Outcome) -> dict[str, Any]:
        """The new values of a row; what cannot be opened stays, and is told."""
        made: dict[str, Any] = {}
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
                made[name] = vault.seal(opened) if isinstance(opened, str) else vault.seal_bytes(opened)
        done.values += len(made)
        for name, how in self.hashes.items():
            self._hash(name, how, row[name], plain, vault, made, done)
        return made

    def _hash(
        self, name: str, how: KeyedHash, present: bytes, plain: Mapping[str, Any], vault: Vault, made: dict[str, Any],
        done: Outcome,
    ) -> None:  # fmt: skip
        newest, *older = vault.indexes(how.purpose, how.form(*(plain[column] for column in how.columns)))
        if present in older:
            made[name] = newest
            done.values += 1
        elif present != newest:  # made of something else than what is kept, as of a key that is shown once
            done.lasting += 1


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
