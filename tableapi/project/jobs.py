"""The jobs of a project, as scripts queue and list them. `queue.py` runs them, with pgqueuer.

pgqueuer takes 0.2 s to import, and only projects need it: `Scripts.load` imports it at start.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tableapi.crypto.vault import Vault
from tableapi.db.database import Db

CAUSE = "_cause"  # payload key: request id and trace context of the request that queued the job
_LISTED = """
    select j.id, j.entrypoint as job, j.status::text as status, j.attempts, j.created, j.updated, j.execute_after,
           (select l.traceback->>'exception_type' from pgqueuer_log l
            where l.job_id = j.id and l.traceback is not null order by l.id desc limit 1) as error
    from pgqueuer j order by (j.status = 'failed') desc, j.id desc limit $1
"""
_COUNTED = "select status::text as status, count(*) as jobs from pgqueuer group by 1"


async def list_jobs(db: Db, limit: int) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return the jobs in the queue, failed ones first, and their number by status.

    Payloads stay encrypted.
    """
    rows, counts = await db.fetch(_LISTED, limit), await db.fetch(_COUNTED)
    return [dict(row) for row in rows], {row["status"]: row["jobs"] for row in counts}


async def enqueue(db: Db, vault: Vault, name: str, payload: Mapping[str, Any], request_id: str = "") -> None:
    """Store a job, inside the caller's transaction if there is one."""
    from tableapi.project import queue

    await queue.enqueue(db, vault, name, payload, request_id)


async def retry_job(db: Db, job_id: int) -> bool:
    """Queue a failed job again. Return False if there is no such failed job."""
    from tableapi.project import queue

    return await queue.requeue(db, job_id)
