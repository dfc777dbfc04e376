"""`tableapi rotate-keys`: encrypt values under older keys of SECRET_KEYS again, under the first one.

All sealed columns are surveyed first; a value under an unknown key ends the command before anything is changed. Then
each table is walked by primary key in small batches. Every batch is one transaction that locks its rows with SKIP
LOCKED; rows locked by other transactions are picked up in the next round. Servers may keep running, and the command may
be interrupted and repeated: rows under the first key are not written again. The closing report is counted in the
tables.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import asyncpg

from tableapi.auth.policy import SealedTable
from tableapi.cli.progress import ProgressBar
from tableapi.config.command_error import CommandError
from tableapi.config.secret_file import kept_secret
from tableapi.config.settings import Settings
from tableapi.crypto.vault import HASHES, HEAD, Vault
from tableapi.db.session import connect
from tableapi.server.sealed_tables import CannotRotateKeys, Outcome, RotatedTable, declared

LOCK = 0x726F74617465  # advisory lock: "rotate", one run per database
BATCH = 200  # rows locked at once, for about ten milliseconds
ROUNDS = 20  # for rows that were locked


class Rotation:
    """One run over one database."""

    def __init__(
        self, connection: asyncpg.Connection, secret_keys: Sequence[str], sealed: Sequence[SealedTable]
    ) -> None:
        self._db, self._sealed = connection, sealed
        self._keys = [key for key in secret_keys if not key.startswith(HASHES)]
        self._vault = Vault(secret_keys)
        self._heads = self._vault.heads
        self._tables: list[RotatedTable] = []

    async def run(self) -> str:
        """Encrypt every value again and return the closing report. Raises CannotRotateKeys."""
        if not await self._db.fetchval("select pg_try_advisory_lock($1)", LOCK):
            raise CannotRotateKeys(
                "Another tableapi rotate-keys is running on this database. Wait until it has finished."
            )
        self._tables = [await RotatedTable.read(self._db, sealed) for sealed in self._sealed]
        total = await self._stale_values()
        walked = [table for table in self._tables if table.sealed or table.hashes]
        done = {table.name: Outcome() for table in walked}
        bar = ProgressBar("Sealing again", total)
        for _ in range(ROUNDS):
            for table in walked:
                await self._walk(table, done, bar)
            if broken := [value for outcome in done.values() for value in outcome.broken]:
                bar.stop()
                raise CannotRotateKeys(f"{broken[0]} was changed outside the program and cannot be decrypted"
                                   f"{_more(len(broken))}. The other values of this round were encrypted.")  # fmt: skip
            if not (left := await self._stale_values()):
                break
        bar.end(sum(outcome.rows for outcome in done.values()))
        if left:
            raise CannotRotateKeys(
                f"{left:,} values are still encrypted with an older key. Check that the new key comes first on all "
                "nodes."
            )
        return await self._report(done)

    async def _stale_values(self) -> int:
        """Count the values under older keys. Raises CannotRotateKeys for a value under an unknown key."""
        values: Counter[bytes] = Counter()  # by the head that names the key
        for table in self._tables:
            for column in table.sealed:
                for row in await self._db.fetch(table.survey(column)):
                    if row["head"] not in self._heads:
                        raise await self._unknown(table, column, row)
                    values[row["head"]] += row["values"]
        return sum(values.values()) - values[self._heads[0]]

    async def _unknown(self, table: RotatedTable, column: str, survey: Any) -> CannotRotateKeys:
        row = await self._db.fetchrow(table.example(column), survey["head"])
        where = f"{column} of {table.called(dict(row))}" if row else f"{column} of {table.name}"
        fault = f"is under key {_key_name(survey['head'])}, which is not in SECRET_KEYS"
        if len(survey["head"]) < HEAD:
            fault = "is not sealed"
        return CannotRotateKeys(f"{where} {fault}{_more(survey['values'])}. Nothing was changed.")

    async def _walk(self, table: RotatedTable, done: dict[str, Outcome], bar: ProgressBar) -> None:
        """Walk through one table by its key."""
        outcome, after = done[table.name], ()  # type: tuple[Outcome, tuple[Any, ...]]
        outcome.lasting = 0
        while True:
            async with self._db.transaction():
                rows = await self._db.fetch(table.batch(bool(after), BATCH), self._heads[0], *after)
                by_columns: dict[tuple[str, ...], list[list[Any]]] = defaultdict(list)
                for row in rows:
                    if changes := table.changes(row, self._vault, outcome):
                        by_columns[tuple(changes)].append([*changes.values(), *(row[name] for name in table.key)])
                for columns, changed in by_columns.items():
                    await self._db.executemany(table.update(columns), changed)
                    outcome.rows += len(changed)
            if not rows:
                return
            after = tuple(rows[-1][name] for name in table.key)
            bar.at(sum(each.values for each in done.values()), sum(each.rows for each in done.values()))

    async def _report(self, done: dict[str, Outcome]) -> str:
        """Return the closing report: what was changed, and which keys can be removed."""
        rows, values = (sum(getattr(outcome, unit) for outcome in done.values()) for unit in ("rows", "values"))
        summary = f"Re-encrypted {values:,} values in {rows:,} rows; all are under key {_key_name(self._heads[0])}."
        older = [f"{place} ({_key_name(head)})" for place, head in enumerate(self._heads[1:], 2)]
        if not older:
            return f"{summary} There is no older key."
        lasting = {name: outcome.lasting for name, outcome in done.items() if outcome.lasting}
        for table in self._tables:
            if table.lasting and (count := await self._db.fetchval(table.count)):
                lasting[table.name] = count
        which = f"key{'s' if len(older) > 1 else ''} {', '.join(older)} of SECRET_KEYS"
        if not lasting:
            return f"{summary} You can remove {which}."
        hashes = ", ".join(f"{count:,} of {name}" for name, count in lasting.items())
        return (
            f"{summary} You can replace {which} by the output of `tableapi rotate-keys --hash-keys`, which decrypts"
            f" nothing. Keyed hashes that cannot be computed again ({hashes}) still match under it."
        )


def _key_name(head: bytes) -> str:
    return head[1:].hex()


def _more(count: int) -> str:
    return f" (one of {count:,})" if count > 1 else ""


def sealing_keys(settings: Settings) -> tuple[str, ...]:
    """Return SECRET_KEYS, or the key stored under DATA_DIR. Raises CommandError; none is generated."""
    stored = settings.data_dir / "secrets" / "secret_key"
    if settings.secret_keys:
        return settings.secret_keys
    if not stored.exists():
        raise CommandError(f"SECRET_KEYS is not set, and there is no {stored}.")
    return (kept_secret(stored),)


async def rotate_keys(url: str, secret_keys: Sequence[str], folder: Path) -> str:
    """Encrypt everything of the project in `folder` under the first key and return the report.

    Raises CannotRotateKeys.
    """
    from tableapi.project.files import load_policy

    policy = load_policy(folder)
    connection = await connect(url, timeout=10, server_settings={"application_name": "tableapi-rotate-keys"})
    try:
        return await Rotation(
            connection, secret_keys, declared(policy.POLICY, getattr(policy, "SEALED_TABLES", ()))
        ).run()
    finally:
        await connection.close(timeout=5)
