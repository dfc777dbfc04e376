"""Return the dashboard counters of the account."""

from __future__ import annotations

from pydantic import BaseModel

from product.context import Context
from product.roles import SESSION, VIEW
from tableapi import script


class Input(BaseModel):
    pass


class Counters(BaseModel):
    contacts: int
    phones: int
    workemails: int
    personalemails: int
    members: int
    apikeys: int


class Output(BaseModel):
    data: Counters


_COUNT = """
    select (select count(*) from usercontact where clientid = $1) as contacts,
           r.phones, r.workemails, r.personalemails,
           (select count(*) from appuser where clientid = $1 and isdeleted = 0 and role <> 'client') as members,
           (select count(*) from apikeys where clientid = $1 and isdeleted = 0 and isactive = 1) as apikeys
    from (select count(*) filter (where kind = 'directdial') as phones,
                 count(*) filter (where kind = 'businessemail') as workemails,
                 count(*) filter (where kind = 'personalemail') as personalemails
          from reveal where clientid = $1) r
"""


@script(roles=(*SESSION, *VIEW))
async def run(ctx: Context, _input: Input) -> Output:
    return Output(data=await ctx.db.one(Counters, _COUNT, ctx.actor.clientid))
