"""Confirm one booking by pager. Safe to repeat: a confirmed booking is left alone."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from tableapi import script


class Input(BaseModel):
    bookingid: int


@script(internal=True)
async def run(ctx: Any, input: Input) -> None:
    """Send the confirmation, then mark the booking."""
    row = await ctx.db.fetchrow("select roomid, day, confirmedon from booking where bookingid = $1", input.bookingid)
    if row is None or row["confirmedon"] is not None:
        return
    await ctx.vendors.pager.send(f"room {row['roomid']} on {row['day']}")
    await ctx.db.execute("update booking set confirmedon = now() where bookingid = $1", input.bookingid)
