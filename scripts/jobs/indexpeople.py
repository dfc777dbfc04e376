"""Every minute, index people and contacts that are not indexed yet, and rebuild stale bitmaps.

Also erases what requests in flight have written about people while these were erased.

By hand: `tableapi run indexpeople`. With rebuild=1 every row is indexed again, for example after removing a key from
SECRET_KEYS or changing the rules for titles. With least=0 a directory of any size gets bitmaps.
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from product.context import Context
from product.people import erasure, indexing, term_index
from tableapi import script


class Input(BaseModel):
    rebuild: bool = False
    least: int = Field(default=term_index.LEAST, ge=0)


@script(every="1m")
async def run(ctx: Context, input: Input) -> int:
    await erasure.erase_late(ctx)
    filled = await indexing.fill(ctx, rebuild=input.rebuild)
    await term_index.update(ctx, least=input.least)
    return filled
