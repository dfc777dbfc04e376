"""The jobs of a project, as scripts queue and list them. `queue.py` runs them, with pgqueuer.

pgqueuer takes 0.2 s to import, and only projects need it: `Scripts.load` imports it at start, or the first job would
hold up the event loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import asyncpg
import orjson

from tableapi.crypto.vault import Vault
from tableapi.db.database import Db
from tableapi.observability import tracing

if TYPE_CHECKING:
    from pgqueuer.queries import Queries
    from pgqueuer.types import JobId

CAUSE = "_cause"  # payload key: request id and trace context of the request that queued the job
_LISTED = """
    select j.id, j.entrypoint as job, j.status::text as status, j.attempts, j.created, j.updated, j.execute_after,
           (select l.traceback->>'exception_type' from pgqueuer_log l
            where l.job_id = j.id and l.traceback is not null order by l.id desc limit 1) as error
    from pgqueuer j order by (j.status = 'failed') desc, j.id desc limit $1
"""
_RETRIABLE = "select true from pgqueuer where id = $1 and status = 'failed' for update"
_COUNTED = "select status::text as status, count(*) as jobs from pgqueuer group by 1"


async def list_jobs(db: Db, limit: int) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return the jobs in the queue, failed ones first, and their number by status.

    Payloads stay encrypted.
    """
    rows, counts = await db.fetch(_LISTED, limit), await db.fetch(_COUNTED)
    return [dict(row) for row in rows], {row["status"]: row["jobs"] for row in counts}


async def enqueue(db: Db, vault: Vault, name: str, payload: Mapping[str, Any], request_id: str = "") -> None:
    """Store a job, inside the caller's transaction if there is one."""
    cause = tracing.carried(request_id)
    async with db.connection() as connection:
        sealed = vault.seal_bytes(orjson.dumps(dict(payload) | ({CAUSE: cause} if cause else {})))
        await queries(connection).enqueue(name, sealed)


async def retry_job(db: Db, job_id: int) -> bool:
    """Queue a failed job again. Return False if there is no such failed job."""
    async with db.transaction():
        if not await db.fetchval(_RETRIABLE, job_id):
            return False
        async with db.connection() as connection:
            await queries(connection).requeue_jobs([cast("JobId", job_id)])
    return True


def queries(connection: asyncpg.Connection) -> Queries:
    """Return the statements of the queue."""
    from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
    from pgqueuer.queries import Queries

    return Queries(AsyncpgDriver(connection))
