"""Find clients by e-mail address, name, domain, id or Stripe customer. At most 20, the best first."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, StringConstraints

from product.context import Context
from product.desk import clients, log
from product.roles import STAFF
from tableapi import script


class Input(BaseModel):
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=254)]


class Output(BaseModel):
    resource: list[clients.Client]
    more: bool


@script(roles=STAFF, limit="60/minute per session")
async def run(ctx: Context, input: Input) -> Output:
    rows, more = await clients.find(ctx, input.text)
    found = [row.clientid for row in rows]
    await log.write(ctx, "search", found[0] if len(found) == 1 else None, clients=found)
    return Output(resource=rows, more=more)
