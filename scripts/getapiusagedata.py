"""Return calls and paid reveals of each API key in a time span, including deleted keys with calls."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from product.accounts import users
from product.context import Context
from product.credits.report_span import Span
from product.roles import OWNER, OWNER_VIEW
from tableapi import script

MAX_CALLS = 5000  # calls listed per key; the counts are complete

_COUNT = """
    select k.keyid, k.apikey, k.name, k.purpose, k.isdeleted, count(a.usageid) as callcount,
           coalesce(sum(a.personalemailcount), 0) as personalemailcount,
           coalesce(sum(a.businessemailcount), 0) as businessemailcount,
           coalesce(sum(a.directdialscount), 0) as directdialscount,
           coalesce((select jsonb_agg(to_jsonb(l)) from (
               select usageid, type, found, charged, createdon from apiusage
               where clientid = $1 and apikey = k.keyid and createdon >= $2 and createdon < $3
               order by createdon desc limit $4) l), '[]') as apiusage_by_apikey
    from apikeys k
    left join apiusage a on a.clientid = $1 and a.apikey = k.keyid and a.createdon >= $2 and a.createdon < $3
    where k.clientid = $1
    group by k.keyid, k.apikey, k.name, k.purpose, k.isdeleted, k.createdon
    having k.isdeleted = 0 or count(a.usageid) > 0
    order by k.createdon, k.keyid
"""


@dataclass(frozen=True, slots=True)
class _Counted:
    keyid: int | None
    apikey: str
    name: str | None
    purpose: str | None
    isdeleted: int | None
    callcount: int
    personalemailcount: int | None
    businessemailcount: int | None
    directdialscount: int | None
    apiusage_by_apikey: object


@script(roles=(*OWNER, *OWNER_VIEW), limit="30/minute per session")
async def run(ctx: Context, input: Span) -> dict[str, object]:
    await users.own(ctx, clientid=input.clientid)
    rows = await ctx.db.all(_Counted, _COUNT, ctx.actor.clientid, input.startdate, input.until, MAX_CALLS)
    usage = [asdict(row) | {"apikey": ctx.vault.open(row.apikey)} for row in rows]
    search = input.search.strip().lower()
    return {"resource": [row for row in usage if search in f"{row['apikey']} {row['name']} {row['purpose']}".lower()]}
