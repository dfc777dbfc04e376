"""Reveal one kind of contact data of a person for one credit. Repeating a reveal is free."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel

from product import call_limits
from product.authorization.metadata import REVEAL
from product.contacts import contact, reveal
from product.contacts.contact import Contact
from product.context import Context
from product.credits import balance
from product.credits.balance import Balances
from product.people import directory, email_checks, profile_url, search_use
from product.people.kinds import Kind
from product.roles import SESSION
from tableapi import script


class Input(BaseModel):
    linkedinurl: str
    type: Kind
    action: Literal["reveal"]


class Check(BaseModel):
    address: str
    verification: str
    checkedon: datetime


class Output(BaseModel):
    contactdata: list[Contact]
    charged: Literal[0, 1]
    credits: Balances
    checks: list[Check] = []


@script(roles=SESSION, limit=call_limits.GETCONTACT, repeatable=True, agents=True, scope=REVEAL, errors=(402,))
async def run(ctx: Context, input: Input) -> Output:
    clientid = ctx.actor.clientid
    key = profile_url.typed_key(input.linkedinurl, ctx.settings.profile_host)
    person = await directory.find(ctx, key)  # may call the vendor: outside any transaction
    if person is None or not person.has(input.type):
        await search_use.shown(ctx, clientid, [person.personid] if person is not None else [])
        return Output(contactdata=[], charged=0, credits=await balance.balances(ctx, clientid))

    try:
        done = await reveal.reveal(ctx, person, input.type, clientid=clientid, appuserid=ctx.actor.appuserid)
    except (balance.NoCredit, balance.SubscriptionExpired):  # tells that there is a value
        await search_use.shown(ctx, clientid, [person.personid])
        raise
    checks = await email_checks.check_person(ctx, person, input.type)
    if input.type == "businessemail":
        await email_checks.keep(ctx, clientid, person, checks)
    addresses = contact.shown(ctx, [check.address for check in checks])
    return Output(
        contactdata=[done.contact],
        charged=1 if done.charged else 0,
        credits=done.credits,
        checks=[
            Check(address=address, verification=check.verification, checkedon=check.checkedon)
            for check, address in zip(checks, addresses, strict=True)
        ],
    )
