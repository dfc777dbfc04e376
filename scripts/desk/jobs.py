"""List the jobs of the queue, failed ones first, and queue a failed one again."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field

from product.context import Context
from product.desk import log
from product.roles import STAFF
from product.success import Output
from tableapi import NotFound, list_jobs, retry_job, script

MOST = 100


class Job(BaseModel):
    id: int
    job: str
    status: str
    attempts: int
    created: datetime
    updated: datetime
    execute_after: datetime
    error: str | None


class Jobs(BaseModel):
    resource: list[Job]
    counts: dict[str, int]


class Input(BaseModel):
    id: int = Field(ge=1, lt=2**63)


@script(method="GET", roles=STAFF, limit="60/minute per session")
async def listed(ctx: Context) -> Jobs:
    """List waiting, running and failed jobs, without their payloads."""
    rows, counts = await list_jobs(ctx.db, MOST)
    return Jobs(resource=[Job.model_validate(row) for row in rows], counts=counts)


@script(roles=STAFF, limit="120/minute per session", repeatable=True)
async def again(ctx: Context, input: Input) -> Output:
    """Queue a failed job again, with all its attempts."""
    async with ctx.db.transaction():
        if not await retry_job(ctx.db, input.id):
            raise NotFound(f"There is no failed job with the id {input.id}.", case="no_such_failed_job")
        await log.write(ctx, "job_retried", None, input.id)
    return Output()
