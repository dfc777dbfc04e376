"""A streaming replica of an embedded PostgreSQL."""

from __future__ import annotations

import asyncio
import shutil
import time
from pathlib import Path

import asyncpg

from tableapi.server.postgres.server import Embedded, NoPostgres
from tests.helpers.support import PATIENCE


class Standby(Embedded):
    """`with Standby(folder, primary) as url:` - a replica of `primary` that can be promoted."""

    def __init__(self, folder: Path, primary: Embedded) -> None:
        super().__init__(folder, password=primary.password)
        self.primary = primary
        self.settings = primary.settings

    def _make(self, major: int) -> None:
        draft = self.folder / "data.new"
        shutil.rmtree(draft, ignore_errors=True)
        result = self._run("pg_basebackup", "-h", "127.0.0.1", "-p", str(self.primary.port), "-U", "postgres", "-w",
                         "-D", draft, "-R", "-X", "stream", "-c", "fast", "--no-sync")  # fmt: skip
        if result.returncode:
            raise NoPostgres(result.stdout)
        draft.rename(self.data)

    def _make_database(self) -> None:
        """Do nothing: the database came with the base backup."""

    def promote(self) -> None:
        """Promote the replica to primary."""
        if not self._control("promote", "-w", "-t", "30"):
            raise NoPostgres("The replica was not promoted.")


def crash(server: Embedded) -> None:
    """Stop a server immediately, like a power cut."""
    server._control("stop", "-m", "immediate")


async def caught_up(primary: str, replica: str, seconds: float = PATIENCE) -> None:
    """Wait until the replica has replayed the primary's current WAL position."""
    writer, reader = await asyncpg.connect(primary), await asyncpg.connect(replica)
    try:
        position = await writer.fetchval("select pg_current_wal_insert_lsn()::text")
        until = time.monotonic() + seconds
        while not await reader.fetchval(f"select pg_last_wal_replay_lsn() >= '{position}'::pg_lsn"):
            assert time.monotonic() < until, "the replica does not follow"
            await asyncio.sleep(0.02)
    finally:
        await writer.close()
        await reader.close()
