"""A program around tableapi that uses its public API only: policy, caller, script, hook, job, on_write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from tableapi import Access, Actor, Authenticator, Context, Invalid, Rule, TableAPI, Unauthorized, Write, hook, script

SCHEMA = """
create table room (id int primary key, name text not null);
create table booking (id serial primary key, room_id int not null references room, guest text not null, nights int);
insert into room values (1, 'Fjord'), (2, 'Skog');
"""


class Tokens(Authenticator):
    """Guests send their name as a token."""

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        guest = headers.get("authorization", "").removeprefix("Bearer ")
        if not guest:
            raise Unauthorized("Say who you are.")
        return Actor("guest", {"guest": guest})


def own(table: Any, actor: Actor) -> Any:
    """Select the bookings of the caller."""
    return table.c.guest == actor.guest


GUESTS = ("guest",)
POLICY = {
    "room": Access(read=Rule(roles=GUESTS)),
    "booking": Access(
        read=Rule(roles=GUESTS, rows=own),
        create=Rule(roles=GUESTS, rows=own, set_on_create={"guest": lambda actor: actor.guest}),
    ),
}


class Stay(BaseModel):
    nights: int


@script(roles=GUESTS, method="GET")
async def free(ctx: Context[Any, Any], input: Stay) -> dict[str, Any]:
    """List the rooms without a booking."""
    rows = await ctx.db.fetch("select name from room where id not in (select room_id from booking) order by id")
    return {"rooms": [row["name"] for row in rows], "nights": input.nights}


@script(internal=True)
async def clear(ctx: Context[Any, Any]) -> int:
    """Delete all bookings."""
    return int(await ctx.db.fetchval("with gone as (delete from booking returning 1) select count(*) from gone"))


@hook("booking", "POST")
async def nights(ctx: Context[Any, Any], records: list[dict[str, Any]], options: Mapping[str, Any]) -> None:
    """Reject stays of more than a month."""
    if any(record.get("nights", 1) > 31 for record in records):
        raise Invalid({"nights": "At most 31"})


def create(url: str, heard: list[Write]) -> TableAPI:
    """Build the application. `heard` collects the reported writes."""
    return TableAPI(
        {"hotel": url}, policy=POLICY, authenticator=Tokens(), scripts={"free": free, "clear": clear}, hooks=[nights],
        on_write=heard.append,
    )  # fmt: skip
