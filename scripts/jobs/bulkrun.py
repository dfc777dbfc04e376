"""Process a bulk lookup. After a failure, such as an unavailable vendor, the queue runs it again."""

from __future__ import annotations

from pydantic import BaseModel

from product.bulk import job
from product.context import Context
from tableapi import script


class Input(BaseModel):
    jobid: int


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    await job.run(ctx, input.jobid)
