"""Count the paid reveals of a user since a date (UTC midnight).

`totalrevealcount` counts reveals: a person with three values counts three times. With `daily` the response adds the
count of each day that has reveals. With `split` it counts people, too: each person once before that date and once from
it on, on the day of the first reveal there, so that the days of a period add up to its people. With `team` the owner
counts the reveals of the whole account, those of its API keys included.
"""

from __future__ import annotations

import datetime as dates
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, time

from pydantic import BaseModel, Field

from product import audit
from product.context import Context
from product.roles import OWNER, OWNER_VIEW, SESSION, VIEW
from tableapi import Forbidden, script


class Input(BaseModel):
    revealedby: int = Field(ge=1, lt=2**63)
    date: dates.date
    daily: bool = False
    team: bool = False
    split: dates.date | None = None


_IS_MEMBER = "select exists (select 1 from appuser where appuserid = $1 and clientid = $2)"

_DAYS = """
    select (createdon at time zone 'UTC')::date::text as date, count(*) as count
    from reveal where clientid = $1{} and createdon >= $2 group by 1 order by 1
"""
_USER_DAYS, _TEAM_DAYS = _DAYS.format(" and appuserid = $3"), _DAYS.format("")
_PEOPLE = """
    select date, count(*) as count, count(*) filter (where first = 1) as people
    from (select (createdon at time zone 'UTC')::date::text as date,
                 row_number() over (partition by personid, createdon >= $3 order by createdon, revealid) as first
          from reveal where clientid = $1{} and createdon >= $2) one
    group by 1 order by 1
"""
_USER_PEOPLE, _TEAM_PEOPLE = _PEOPLE.format(" and appuserid = $4"), _PEOPLE.format("")
_TOTAL = "select count(*) from reveal where clientid = $1{} and createdon >= $2"
_USER_TOTAL, _TEAM_TOTAL = _TOTAL.format(" and appuserid = $3"), _TOTAL.format("")


@dataclass(frozen=True, slots=True)
class _Day:
    date: str
    count: int


@dataclass(frozen=True, slots=True)
class _PeopleOfDay(_Day):
    people: int


@script(roles=(*SESSION, *VIEW))
async def run(ctx: Context, input: Input) -> dict[str, object]:
    await _authorize(ctx, input)
    since = _midnight(input.date)
    whose = () if input.team else (input.revealedby,)
    values = (ctx.actor.clientid, since)
    if input.split:
        return await _people(ctx, values, whose, input)
    if not input.daily:
        sql = _TEAM_TOTAL if input.team else _USER_TOTAL
        return {"totalrevealcount": await ctx.db.value(int, sql, *values, *whose)}
    rows = await ctx.db.all(_Day, _TEAM_DAYS if input.team else _USER_DAYS, *values, *whose)
    return {"totalrevealcount": sum(row.count for row in rows), "days": [asdict(row) for row in rows]}


async def _people(
    ctx: Context, values: tuple[int, datetime], whose: tuple[int, ...], input: Input
) -> dict[str, object]:
    assert input.split is not None
    sql = _TEAM_PEOPLE if input.team else _USER_PEOPLE
    rows = await ctx.db.all(_PeopleOfDay, sql, *values, _midnight(input.split), *whose)
    split = input.split.isoformat()
    return {
        "totalrevealcount": sum(row.count for row in rows),
        "people": sum(row.people for row in rows if row.date >= split),
        "days": [asdict(row) for row in rows],
    }


def _midnight(day: dates.date) -> datetime:
    return datetime.combine(day, time.min, UTC)


async def _authorize(ctx: Context, input: Input) -> None:
    owns = ctx.actor.role in (*OWNER, *OWNER_VIEW)
    if input.team and not owns:
        raise Forbidden("Only the owner of the account can count the reveals of the team.", case="reveals_of_owner")
    if input.revealedby == ctx.actor.appuserid:
        return
    if not (owns and await ctx.db.first_value(bool, _IS_MEMBER, input.revealedby, ctx.actor.clientid)):
        await audit.write(ctx, "tenant_mismatch", input.revealedby, field="revealedby", call=ctx.request.path)
        raise Forbidden(
            "You can count only your own reveals and, as the owner, those of your team.",
            reason="tenant_mismatch",
            case="reveals_of_team",
        )
