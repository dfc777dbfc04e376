"""Book a room for one day and confirm the booking by pager."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import BaseModel

from tableapi import ApiError, script


class Taken(ApiError):
    """The room has a booking for that day."""

    status, reason = 409, "room_taken"


class Input(BaseModel):
    roomid: int
    day: date


class Output(BaseModel):
    bookingid: int


@script(roles=("guest",), limit="30/minute per user")
async def run(ctx: Any, input: Input) -> Output:
    """Insert the booking and queue its confirmation in one transaction."""
    sql = (
        "insert into booking (roomid, guestid, day) values ($1, $2, $3) on conflict (roomid, day) do nothing"
        " returning bookingid"
    )
    async with ctx.db.transaction():
        bookingid = await ctx.db.fetchval(sql, input.roomid, ctx.actor.guestid, input.day)
        if bookingid is None:
            raise Taken("Choose another room or day.")
        await ctx.later("confirm", bookingid=bookingid)
    return Output(bookingid=bookingid)
