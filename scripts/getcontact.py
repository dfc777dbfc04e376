"""Reveal one kind of contact data of a person for one credit. Repeating a reveal is free."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from product import call_limits
from product.contacts import reveal
from product.contacts.contact import Contact
from product.context import Context
from product.credits import balance
from product.credits.balance import Balances
from product.people import directory, profile_url
from product.roles import SESSION
from tableapi import script


class Input(BaseModel):
    linkedinurl: str
    type: Literal["directdial", "businessemail", "personalemail"]
    action: Literal["reveal"]


class Output(BaseModel):
    contactdata: list[Contact]
    charged: Literal[0, 1]
    credits: Balances


@script(roles=SESSION, limit=call_limits.GETCONTACT, repeatable=True)
async def run(ctx: Context, input: Input) -> Output:
    clientid = ctx.actor.clientid
    key = profile_url.typed_key(input.linkedinurl, ctx.settings.profile_host)
    person = await directory.find(ctx, key)  # may call the vendor: outside any transaction
    if person is None or not person.has(input.type):
        return Output(contactdata=[], charged=0, credits=await balance.balances(ctx, clientid))

    done = await reveal.reveal(ctx, person, input.type, clientid=clientid, appuserid=ctx.actor.appuserid)
    return Output(contactdata=[done.contact], charged=1 if done.charged else 0, credits=done.credits)
