"""Process a bulk lookup. After a failure, such as an unavailable vendor, the queue runs it again."""

from __future__ import annotations

from pydantic import BaseModel

from scripts._shared.bulk import job
from scripts._shared.context import Context
from tableapi.endpoints.registry import script


class Input(BaseModel):
    jobid: int


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    await job.run(ctx, input.jobid)
