"""Reveal one kind of contact data of a person for one credit. Asking again for the same is free."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from scripts._shared import credits, people, profile, reveals  # noqa: A004
from scripts._shared.contacts import Contact
from scripts._shared.credits import Balances
from scripts._shared.roles import SESSION
from tableapi.context import Context
from tableapi.scripts import script


class Input(BaseModel):
    linkedinurl: str
    type: Literal["directdial", "businessemail", "personalemail"]
    action: Literal["reveal"]


class Output(BaseModel):
    contactdata: list[Contact]
    charged: Literal[0, 1]
    credits: Balances


@script(roles=SESSION, limit="60/minute per user", repeatable=True)
async def run(ctx: Context, input: Input) -> Output:
    clientid = ctx.actor.clientid
    key = profile.typed_key(input.linkedinurl, ctx.settings.profile_host)
    person = await people.find(ctx, key)  # perhaps the network: outside any transaction
    if person is None or not person.has(input.type):
        return Output(contactdata=[], charged=0, credits=await credits.balances(ctx, clientid))

    done = await reveals.reveal(ctx, person, input.type, clientid=clientid, appuserid=ctx.actor.appuserid)
    return Output(contactdata=[done.contact], charged=1 if done.charged else 0, credits=done.credits)
