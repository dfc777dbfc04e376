"""Bulk lookups: store a list of profiles, then process it row by row, one transaction per row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from product.contacts import reveal
from product.context import Context
from product.credits.balance import NoCredit, SubscriptionExpired
from product.people import directory, profile_url, search_use
from tableapi import NotFound

_JOB = """
    insert into bulkjob (clientid, appuserid, kinds, max_credits, total) values ($1, $2, $3, $4, $5) returning jobid
"""
_ROWS = """
    insert into bulkrow (jobid, line, clientid, linkedinurl)
    select $1, line, $2, url from unnest($3::text[]) with ordinality as x (url, line)
"""
_ESTIMATE = """
    select p.personid, p.profilekey, k.kind from person p cross join unnest($2::text[]) k (kind)
    where (p.profilekey = any($1) or p.personid in (select personid from personalias where profilekey = any($1)))
      and case k.kind when 'directdial' then p.phonecipher when 'businessemail' then p.businesscipher
               else p.personalcipher end is not null
      and not exists (select 1 from reveal r where r.clientid = $3 and r.personid = p.personid and r.kind = k.kind)
"""
_CLAIM = """
    update bulkjob set status = 'running' where jobid = $1 and status in ('queued', 'running')
    returning clientid, appuserid, kinds
"""
# Stops before the next row if the member that started the job was removed or disabled.
_NEXT = """
    select r.line, r.linkedinurl from bulkrow r join bulkjob j using (jobid) join appuser u using (appuserid)
    where r.clientid = $2 and r.jobid = $1 and r.status = 'waiting'
      and j.clientid = $2 and j.status = 'running' and u.isactive = 1 and u.isdeleted = 0
    order by r.line limit 1
"""
_BUDGET = """
    select max_credits - charged from bulkjob where clientid = $2 and jobid = $1 and status = 'running' for update
"""
# Two runs of one job may overlap; the first result of a row is kept.
_DONE = """
    update bulkrow set status = $4, charged = $5, contactid = $6
    where clientid = $2 and jobid = $1 and line = $3 and status = 'waiting'
"""
_CHARGE = "update bulkjob set charged = charged + $3 where clientid = $2 and jobid = $1"
_FINISH = """
    update bulkjob j set finishedon = now(),
        status = case when exists (select 1 from bulkrow r
                                   where r.clientid = $2 and r.jobid = j.jobid and r.status = 'waiting')
                      then 'cancelled' else 'done' end
    where j.clientid = $2 and j.jobid = $1 and j.status = 'running'
"""
_CANCEL = """
    update bulkjob set status = 'cancelled', finishedon = now()
    where clientid = $2 and jobid = $1 and status in ('queued', 'running')
"""
_SKIP = "update bulkrow set status = 'skipped' where clientid = $2 and jobid = $1 and status = 'waiting'"
_SHOW = """
    select j.jobid, j.status, j.kinds, j.max_credits, j.charged, j.total, j.createdon, j.finishedon,
           (select count(*) from bulkrow where clientid = $3 and jobid = j.jobid and status <> 'waiting') as processed,
           (select coalesce(jsonb_agg(jsonb_build_object('line', line, 'linkedinurl', linkedinurl, 'status', status,
                            'charged', charged, 'contactid', contactid) order by line), '[]')
            from bulkrow where clientid = $3 and jobid = j.jobid) as rows
    from bulkjob j where j.clientid = $3 and j.jobid = $1 and j.appuserid = $2
"""


@dataclass(frozen=True, slots=True)
class _Next:
    line: int
    linkedinurl: str


class Row(TypedDict):
    """The outcome of one address."""

    line: int
    linkedinurl: str
    status: str
    charged: int
    contactid: int | None


@dataclass(frozen=True, slots=True)
class Job:
    """Progress and outcome of a job."""

    jobid: int
    status: str
    kinds: list[str]
    max_credits: int
    charged: int
    total: int
    createdon: datetime
    finishedon: datetime | None
    processed: int
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class _New:
    """A value that the account does not own yet."""

    personid: int
    profilekey: str
    kind: str


@dataclass(frozen=True, slots=True)
class _Claimed:
    clientid: int
    appuserid: int
    kinds: list[str]


class OutOfBudget(Exception):
    """The row would exceed max_credits, or the job was cancelled; the transaction is rolled back."""


def keys_of(ctx: Context, urls: list[str]) -> list[str]:
    """Return the profile keys of the valid addresses."""
    keys = []
    for url in urls:
        try:
            keys.append(profile_url.key_of(url, ctx.settings.profile_host))
        except profile_url.NotAProfile:
            continue
    return keys


async def estimate(ctx: Context, urls: list[str], kinds: list[str]) -> dict[str, int]:
    """Return how many credits of each kind a job would cost now. Values already paid for cost nothing.

    Raises TooMany (429): the plan shows no more people today.
    """
    keys = keys_of(ctx, urls)
    removed = await directory.suppressed_keys(ctx, keys)
    rows = await ctx.db.all(_New, _ESTIMATE, [key for key in keys if key not in removed], kinds, ctx.actor.clientid)
    removed = await directory.suppressed_keys(ctx, list({row.profilekey for row in rows}))
    rows = [row for row in rows if row.profilekey not in removed]
    await search_use.shown(ctx, ctx.actor.clientid, [row.personid for row in rows])
    return {kind: sum(row.kind == kind for row in rows) for kind in kinds}


async def create(ctx: Context, urls: list[str], kinds: list[str], max_credits: int) -> int:
    """Store and queue a job, and return its id."""
    clientid = ctx.actor.clientid
    async with ctx.db.transaction():
        jobid = await ctx.db.value(int, _JOB, clientid, ctx.actor.appuserid, kinds, max_credits, len(urls))
        await ctx.db.execute(_ROWS, jobid, clientid, urls)
        await ctx.later("bulkrun", jobid=jobid)
    return jobid


async def show(ctx: Context, jobid: int) -> Job:
    """Return progress and outcome of a job that the caller started; raise NotFound (404) for any other."""
    row = await ctx.db.first(Job, _SHOW, jobid, ctx.actor.appuserid, ctx.actor.clientid)
    if row is None:
        raise NotFound(f"There is no job with the id {jobid}.", case="no_such_job")
    return row


async def cancel(ctx: Context, jobid: int) -> None:
    """Stop a job before its next row. Finished rows stay."""
    await show(ctx, jobid)
    async with ctx.db.transaction():
        await ctx.db.execute(_CANCEL, jobid, ctx.actor.clientid)
        await ctx.db.execute(_SKIP, jobid, ctx.actor.clientid)


async def run(ctx: Context, jobid: int) -> None:
    """Process the waiting rows of a job. After a crash, a new run continues with the first unfinished row.

    Cancels the job when the member that started it is no longer active.
    """
    job = await ctx.db.first(_Claimed, _CLAIM, jobid)
    if job is None:
        return
    while row := await ctx.db.first(_Next, _NEXT, jobid, job.clientid):
        await _process(ctx, job, jobid, row.line, row.linkedinurl)
    async with ctx.db.transaction():
        await ctx.db.execute(_FINISH, jobid, job.clientid)
        await ctx.db.execute(_SKIP, jobid, job.clientid)


async def _process(ctx: Context, job: _Claimed, jobid: int, line: int, url: str) -> None:
    place = (jobid, job.clientid, line)
    try:
        person = await directory.find(ctx, profile_url.key_of(url, ctx.settings.profile_host))
    except profile_url.NotAProfile:
        await ctx.db.execute(_DONE, *place, "invalid", 0, None)
        return
    kinds = [kind for kind in job.kinds if person is not None and person.has(kind)]
    if person is None or not kinds:
        await ctx.db.execute(_DONE, *place, "notfound", 0, None)
        return
    try:
        async with ctx.db.transaction():
            status, charged, contactid = "done", 0, None
            budget = await ctx.db.first_value(int, _BUDGET, jobid, job.clientid)
            for kind in kinds:
                try:
                    revealed = await reveal.reveal(ctx, person, kind, clientid=job.clientid, appuserid=job.appuserid)
                except (NoCredit, SubscriptionExpired):  # it changed nothing; the other kinds have credits of their own
                    status = "nocredit"
                    continue
                charged, contactid = charged + revealed.charged, revealed.contact.contactid
            if budget is None or charged > budget:
                raise OutOfBudget
            await ctx.db.execute(_DONE, *place, status, charged, contactid)
            await ctx.db.execute(_CHARGE, jobid, job.clientid, charged)
    except OutOfBudget:
        await ctx.db.execute(_DONE, *place, "skipped", 0, None)
