"""Return the paid reveals of each member in a time span, including deleted members with reveals.

`totalrevealedcount` counts values, `peoplecount` the people that they belong to. `meta.people` counts the people of all
members of the response together, each once.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from product.accounts import users
from product.context import Context
from product.credits.report_span import Span
from product.roles import OWNER, OWNER_VIEW
from tableapi import script

_COUNT = r"""
    select u.appuserid, u.name, u.email, count(r.revealid) as totalrevealedcount,
           count(distinct r.personid) as peoplecount,
           count(*) filter (where r.kind = 'personalemail') as personalemailcount,
           count(*) filter (where r.kind = 'businessemail') as busemailcount,
           count(*) filter (where r.kind = 'directdial') as directdialscount
    from appuser u
    left join reveal r on r.clientid = $1 and r.appuserid = u.appuserid and r.createdon >= $2 and r.createdon < $3
    where u.clientid = $1
      and ($4 = '' or u.name || ' ' || u.email
           ilike '%' || replace(replace(replace($4, '\', '\\'), '%', '\%'), '_', '\_') || '%')
    group by u.appuserid
    having u.isdeleted = 0 or count(r.revealid) > 0
    order by u.createdon, u.appuserid
"""

_PEOPLE = """
    select count(distinct personid) from reveal
    where clientid = $1 and appuserid = any($4) and createdon >= $2 and createdon < $3
"""


@dataclass(frozen=True, slots=True)
class _Counted:
    appuserid: int | None
    name: str | None
    email: str | None
    totalrevealedcount: int
    peoplecount: int
    personalemailcount: int
    busemailcount: int
    directdialscount: int


@script(roles=(*OWNER, *OWNER_VIEW), limit="30/minute per session")
async def run(ctx: Context, input: Span) -> dict[str, object]:
    await users.own(ctx, clientid=input.clientid)
    rows = await ctx.db.all(_Counted, _COUNT, ctx.actor.clientid, input.startdate, input.until, input.search.strip())
    users_of_rows = [row.appuserid for row in rows]
    people = await ctx.db.value(int, _PEOPLE, ctx.actor.clientid, input.startdate, input.until, users_of_rows)
    return {"resource": [asdict(row) for row in rows], "meta": {"people": people}}
