"""Send one queued mail. A failure is tried again by the queue, with back-off."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from scripts._shared import mails
from tableapi.context import Context
from tableapi.scripts import script


class Input(BaseModel):
    name: str
    to: str
    values: dict[str, Any]


@script(internal=True)
async def run(ctx: Context, input: Input) -> None:
    await ctx.world.post.send(mails.render(ctx.settings, input.name, input.to, input.values))
