"""Every night, take California's deletion requests through a cycle: `tableapi run drop`.

Off without DROP_API_KEY. With recheck=1, match requests that were reported as not found once more, in case another
program has added people.
"""

from __future__ import annotations

from pydantic import BaseModel

from product.context import Context
from product.people import drop
from tableapi import script

OFF = "DROP is off. Set DROP_API_KEY to the key of the data broker portal."


class Input(BaseModel):
    recheck: bool = False


@script(internal=True, every="1d")
async def run(ctx: Context, input: Input) -> str:
    vendor = ctx.vendors.drop
    if vendor is None:
        return OFF
    if input.recheck:
        done = await drop.recheck(ctx, vendor)
        amended = ", ".join(done.reported) or "nothing"
        return f"{done.matched:,} requests match now; {done.people:,} people erased; amended {amended}."
    done = await drop.cycle(ctx, vendor)
    if done.waiting:
        return f"DROP prepares the next batch. Run this again in {done.waiting} s; the schedule does so tomorrow."
    if done.empty:
        return "DROP has no new requests."
    return (
        f"{done.items:,} requests, {done.withdrawn:,} withdrawn; {done.matched:,} match (in {done.match_seconds} s);"
        f" {done.people:,} people erased; reported {', '.join(done.reported) or 'nothing'}."
    )
