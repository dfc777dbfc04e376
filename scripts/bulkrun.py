"""Work through a bulk job. A failure on the way, such as a vendor that is down, goes back into the queue."""

from __future__ import annotations

from pydantic import BaseModel

from scripts._shared import bulk
from tableapi.context import Context
from tableapi.scripts import script


class Input(BaseModel):
    jobid: int


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    await bulk.run(ctx, input.jobid)
