"""Work through a bulk job. A failure on the way, such as a vendor that is down, goes back into the queue."""

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
