"""Every ten minutes, fill in what people and contacts are found by, in rows stored without it.

By hand: `tableapi run indexpeople`. With rebuild=1 every row is filled again, after SECRET_KEYS have lost a key or the
rules for titles have changed.
"""

from __future__ import annotations

from pydantic import BaseModel

from product.context import Context
from product.people import indexing
from tableapi import script


class Input(BaseModel):
    rebuild: bool = False


@script(every="10m")
async def run(ctx: Context, input: Input) -> int:
    return await indexing.fill(ctx, rebuild=input.rebuild)
