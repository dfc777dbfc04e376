"""List the payment events that were not applied, and apply one again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import orjson
from pydantic import BaseModel, Field

from product.context import Context
from product.desk import log
from product.roles import STAFF
from product.success import Output
from tableapi import Conflict, NotFound, script

MOST = 100

# Events with a note were read but could not be applied, because their customer or payment is unknown.
_OPEN = f"""
    select id, type, created, keptat, note, payload::jsonb #>> '{{data,object,customer}}' as customer
    from stripeevent where handledon is null order by created limit {MOST}
"""  # noqa: S608
_NOTED = f"""
    select id, type, created, keptat, note, payload::jsonb #>> '{{data,object,customer}}' as customer
    from stripeevent where handledon is not null and note like 'unknown%' and created > now() - interval '90 days'
    order by created desc limit {MOST}
"""  # noqa: S608
_CLIENTS = "select stripe_custid, clientid from client where stripe_custid = any($1)"
_AGAIN = """
    update stripeevent set handledon = null, note = null
    where id = $1 and (handledon is null or note like 'unknown%') returning payload
"""


@dataclass(frozen=True, slots=True)
class _Client:
    stripe_custid: str | None
    clientid: int


class Event(BaseModel):
    id: str
    type: str
    created: datetime
    keptat: datetime
    note: str | None
    customer: str | None
    clientid: int | None


class Events(BaseModel):
    resource: list[Event]


class Input(BaseModel):
    id: str = Field(min_length=1, max_length=255, pattern=r"^[\x21-\x7e]*$")


@script(method="GET", roles=STAFF, limit="60/minute per session")
async def listed(ctx: Context) -> Events:
    """List events that wait to be applied, and those of 90 days with an unknown customer or payment."""
    rows = [dict(row) for sql in (_OPEN, _NOTED) for row in await ctx.db.fetch(sql)]
    known = await ctx.db.all(_Client, _CLIENTS, [row["customer"] for row in rows if row["customer"]])
    clients = {row.stripe_custid: row.clientid for row in known}
    events = [Event(**row, clientid=clients.get(row["customer"])) for row in rows]
    found = sorted(set(clients.values()))
    await log.write(ctx, "read", found[0] if len(found) == 1 else None, "payment events", clients=found)
    return Events(resource=events)


@script(roles=STAFF, limit="120/minute per session", repeatable=True)
async def apply(ctx: Context, input: Input) -> Output:
    """Apply an event again. It reads the present state at the provider, so a repeat changes nothing."""
    async with ctx.db.transaction():
        payload = await ctx.db.first_value(str, _AGAIN, input.id)
        if payload is None:
            if await ctx.db.first_value(bool, "select true from stripeevent where id = $1", input.id):
                raise Conflict("This event has already been applied.", reason="event_applied")
            raise NotFound(f"There is no event with the id {input.id[:100]}.", case="no_such_event")
        await ctx.later("stripeevent", id=input.id)
        customer = orjson.loads(payload).get("data", {}).get("object", {}).get("customer")
        known = await ctx.db.first(_Client, _CLIENTS, [customer]) if isinstance(customer, str) else None
        await log.write(ctx, "event_applied_again", known.clientid if known else None, input.id)
    return Output()
