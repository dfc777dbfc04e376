"""`tableapi reseal`: what is sealed under an older key of SECRET_KEYS is sealed again under the first, so that the
older one can go. The program goes on meanwhile.

It looks at everything first: a value under a key that is not known ends it before anything is changed. Then it goes
through the tables by key, some rows at a time, each lot in a transaction that locks them, so that no write is lost; a
row that somebody has at that moment is left for the next round. It may be stopped and begun again at any time: what is
done is not done twice. What it says at the end is counted again in the tables, not remembered.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import asyncpg

from tableapi.auth.policy import SealedTable
from tableapi.cli.progress import Bar
from tableapi.cli.rotate_keys_sql import CannotReseal, Outcome, Table
from tableapi.crypto.vault import HASHES, HEAD, Vault

LOCK = 0x72657365616C  # "reseal": one at a time per database
BATCH = 200  # rows that are locked at once, for some ten milliseconds
ROUNDS = 20  # for rows that others had


class Reseal:
    """One run over one database."""

    def __init__(self, connection: asyncpg.Connection, secret_keys: Sequence[str], kept: Sequence[SealedTable]) -> None:
        self._db, self._kept = connection, kept
        self._keys = [key for key in secret_keys if not key.startswith(HASHES)]
        self._vault = Vault(secret_keys)
        self._heads = self._vault.heads
        self._tables: list[Table] = []

    async def run(self) -> str:
        """Do it; the last line for the person who asked. Raises CannotReseal."""
        if not await self._db.fetchval("select pg_try_advisory_lock($1)", LOCK):
            raise CannotReseal("Another tableapi reseal runs on this database.")
        self._tables = [await Table.read(self._db, one) for one in self._kept]
        total = await self._old()
        walked = [table for table in self._tables if table.sealed or table.hashes]
        done = {table.name: Outcome() for table in walked}
        bar = Bar("Sealing again", total)
        for _ in range(ROUNDS):
            for table in walked:
                await self._walk(table, done, bar)
            if broken := [told for one in done.values() for told in one.broken]:
                bar.stop()
                raise CannotReseal(f"{broken[0]} was changed outside the program and cannot be opened"
                                   f"{_more(len(broken))}. The rest of this round is done.")  # fmt: skip
            if not (left := await self._old()):
                break
        bar.end(sum(one.rows for one in done.values()))
        if left:
            raise CannotReseal(f"{left:,} values are still under an older key: do all nodes have the new key first?")
        return await self._told(done)

    async def _old(self) -> int:
        """How many values are not under the newest key. Raises CannotReseal for one under no key that is known."""
        found: Counter[bytes] = Counter()
        for table in self._tables:
            for column in table.sealed:
                for row in await self._db.fetch(table.survey(column)):
                    if row["head"] not in self._heads:
                        raise await self._unknown(table, column, row)
                    found[row["head"]] += row["values"]
        return sum(found.values()) - found[self._heads[0]]

    async def _unknown(self, table: Table, column: str, found: Any) -> CannotReseal:
        row = await self._db.fetchrow(table.example(column), found["head"])
        where = f"{column} of {table.called(dict(row))}" if row else f"{column} of {table.name}"
        why = f"is under key {_ident(found['head'])}, which SECRET_KEYS does not hold"
        if len(found["head"]) < HEAD:
            why = "is not sealed"
        return CannotReseal(f"{where} {why}{_more(found['values'])}. Nothing was changed.")

    async def _walk(self, table: Table, done: dict[str, Outcome], bar: Bar) -> None:
        """Once through a table."""
        one, after = done[table.name], ()  # type: tuple[Outcome, tuple[Any, ...]]
        one.lasting = 0
        while True:
            async with self._db.transaction():
                rows = await self._db.fetch(table.batch(bool(after), BATCH), self._heads[0], *after)
                alike: dict[tuple[str, ...], list[list[Any]]] = defaultdict(list)
                for row in rows:
                    if made := table.changes(row, self._vault, one):
                        alike[tuple(made)].append([*made.values(), *(row[name] for name in table.key)])
                for columns, changed in alike.items():
                    await self._db.executemany(table.update(columns), changed)
                    one.rows += len(changed)
            if not rows:
                return
            after = tuple(rows[-1][name] for name in table.key)
            bar.at(sum(each.values for each in done.values()), sum(each.rows for each in done.values()))

    async def _told(self, done: dict[str, Outcome]) -> str:
        rows, values = sum(one.rows for one in done.values()), sum(one.values for one in done.values())
        told = f"{values:,} values in {rows:,} rows were sealed again; all are under key {_ident(self._heads[0])}."
        older = [f"{place} ({_ident(head)})" for place, head in enumerate(self._heads[1:], 2)]
        if not older:
            return f"{told} There is no older key."
        lasting = {name: one.lasting for name, one in done.items() if one.lasting}
        for table in self._tables:
            if table.lasting and (count := await self._db.fetchval(table.count)):
                lasting[table.name] = count
        which = f"key{'s' if len(older) > 1 else ''} {', '.join(older)} of SECRET_KEYS"
        if not lasting:
            return f"{told} Safe to drop: {which}."
        kept = ", ".join(f"{count:,} of {name}" for name, count in lasting.items())
        return (
            f"{told} Safe to replace by what `tableapi reseal --hash-keys` prints: {which}. Keyed hashes that cannot be"
            f" made again ({kept}) are found by it; it opens nothing."
        )


def _ident(head: bytes) -> str:
    return head[1:].hex()


def _more(count: int) -> str:
    return f" (one of {count:,})" if count > 1 else ""


def sealing_keys(settings: Settings) -> tuple[str, ...]:
    """SECRET_KEYS, or the key that was made once under DATA_DIR. None is made: nothing could be under it."""
    kept = settings.data_dir / "secrets" / "secret_key"
    if settings.secret_keys:
        return settings.secret_keys
    if not kept.exists():
        raise CommandError(f"SECRET_KEYS is missing, and there is no {kept}.")
    return (kept_secret(kept),)


async def reseal(url: str, secret_keys: Sequence[str], folder: Path) -> str:
    """Seal everything of the project in `folder` under the first key; what to say of it. Raises CannotReseal."""
    from tableapi.app.state import load_policy
    from tableapi.cli.rotate_keys import Reseal
    from tableapi.cli.rotate_keys_sql import declared

    policy = load_policy(folder)
    connection = await asyncpg.connect(url, timeout=10, server_settings={"application_name": "tableapi-reseal"})
    try:
        return await Reseal(connection, secret_keys, declared(policy.POLICY, getattr(policy, "KEPT", ()))).run()
    finally:
        await connection.close(timeout=5)
