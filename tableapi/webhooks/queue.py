"""Webhook events in the database: the queue of events to deliver, and the log of finished ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import asyncpg

from tableapi.webhooks.sender import WebhookAttempt
from tableapi.webhooks.signature import WebhookEvent

KEEP_SECONDS = 3 * 24 * 3600  # how long an event is retried, and how long it is kept in the log
LOCK_CLASS = 0x77686F6B  # class of the advisory locks, one per webhook
MOST_COUNTED = 10_001
LOGGED = 20  # number of attempts listed per webhook
SOME = 1024  # events considered for sending, those due for the longest time

_AT = """to_char({0} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""
_SHOWN = f"""
    d.event as id, d.type, {_AT.format("d.at")} as at, d.key, d.attempts, d.status, d.error, d.milliseconds,
    case d.state when 'p' then 'pending' when 'd' then 'delivered' else 'failed' end as state,
    {_AT.format("d.tried")} as tried,
    case when d.state = 'p' then {_AT.format("d.due")} end as due
"""
_COLUMNS = f"d.id, d.event, d.type, {_AT.format('d.at')} as at, d.record_key, d.key, d.record, d.attempts"
# An event waits for earlier events of the same record. Only the index `delivery_order` has this condition on the state,
# so PostgreSQL uses it whatever it knows about the table. With another index it reads all waiting events for each one.
_FIRST = """
    d.id = (
        select e.id from tableapi_changes.delivery e
        where e.webhook = $1 and case when e.state = 'p' then true end and e.record_key >= d.record_key
        order by e.record_key, e.id limit 1
    )
"""
ADD = "insert into tableapi_changes.webhook (name) select unnest($1::text[]) on conflict do nothing"
LOCK = f"select pg_try_advisory_lock({LOCK_CLASS}, hashtext($1))"
# Webhooks that no server is delivering.
FREE = f"""
    select n.name from unnest($1::text[]) n (name) where not exists (
        select from pg_locks l
        where l.locktype = 'advisory' and l.classid = {LOCK_CLASS}
          and l.objid::int8 = hashtext(n.name)::int8 & 4294967295
          and l.objsubid = 2 and l.granted
          and l.database = (select b.oid from pg_database b where b.datname = current_database())
    )
"""  # noqa: S608 - constants
INTACT = "select id::text from tableapi_changes.intact order by id limit 1"
RENEW = "insert into tableapi_changes.intact default values returning id::text"
# The position that a webhook has reached. In a database restored from a dump it is in the future.
PLACE = """
    select w.position::text as position, w.epoch, pg_current_snapshot()::text as now, w.failures, w.gone,
           pg_snapshot_xmax(w.position) > pg_snapshot_xmax(pg_current_snapshot()) as ahead,
           coalesce(extract(epoch from w.open_until - now())::float8, 0) as closed_for
    from tableapi_changes.webhook w where w.name = $1
"""
REACHED = """
    update tableapi_changes.webhook set position = $2::text::pg_snapshot, epoch = $3, seen = now()
    where name = any($1::text[])
"""
NOTED = "update tableapi_changes.webhook set error = $2, error_at = now() where name = $1"
BREAKER = """
    update tableapi_changes.webhook
    set failures = $2, open_until = now() + $3::float8 * interval '1 second', seen = now()
    where name = $1
"""
CLOSE = "update tableapi_changes.webhook set gone = $2, error = $3, error_at = now(), seen = now() where name = $1"
REOPEN = "update tableapi_changes.webhook set gone = null, error = null where name = $1 and gone is not null"
GONE = "select gone from tableapi_changes.webhook where name = $1"
CHANGED = """
    select pg_current_snapshot()::text as snapshot, array(
        select distinct c.relation::int8 from tableapi_changes.change c
        where c.relation = any($2::int8[]::oid[]) and c.xid >= pg_snapshot_xmin($1::text::pg_snapshot)
          and not pg_visible_in_snapshot(c.xid, $1::text::pg_snapshot)
    ) as relations
"""
UNNAMED = """
    select count(*) from tableapi_changes.change c
    where c.relation = $1::int8::oid and (c.operation = 'r' or not c.parts ? '*')
      and c.xid >= pg_snapshot_xmin($2::text::pg_snapshot)
      and not pg_visible_in_snapshot(c.xid, $2::text::pg_snapshot)
      and pg_visible_in_snapshot(c.xid, $3::text::pg_snapshot)
"""
_WAITING = "from tableapi_changes.delivery d where d.webhook = $1 and d.state = 'p'"
_IN_ORDER = "from tableapi_changes.delivery d where d.webhook = $1 and case when d.state = 'p' then true end"
_EARLIEST = f"{_WAITING} and d.due <= now() order by d.due, d.id limit {SOME}"
DUE = f"select {_COLUMNS} from (select d.* {_EARLIEST}) d where {_FIRST} order by d.due, d.id limit $2"  # noqa: S608
# The first event of each record, found by skipping from record to record in the index. Used when nearly all of the
# events above wait for others of their records.
_BY_RECORD = f"""
    with recursive first as (
        (select d.id, d.record_key, d.due, d.attempts {_IN_ORDER} and {{0}} order by d.record_key, d.id limit 1)
        union all
        select n.* from first f cross join lateral (
            select d.id, d.record_key, d.due, d.attempts {_IN_ORDER} and d.record_key > f.record_key
            order by d.record_key, d.id limit 1
        ) n
    )
    select {_COLUMNS} from first f join tableapi_changes.delivery d on d.id = f.id
"""  # noqa: S608 - constants
_DUE_BY_RECORD = f"""
    {_BY_RECORD.format(f"(select count(*) from (select {_EARLIEST}) due) = {SOME}")}
    where f.due <= now() and d.id <> all($3::int8[]) limit $2
"""  # noqa: S608 - constants
# After failures, the event with the fewest attempts is tried, so that one which is never accepted does not delay
# others.
PROBE = f"""
    select {_COLUMNS} from (select d.* {_WAITING} order by d.attempts, d.id limit {SOME}) d
    where {_FIRST} order by d.attempts, d.id limit $2
"""  # noqa: S608 - constants
PROBE_BY_RECORD = f"{_BY_RECORD.format('true')} order by f.attempts, f.id limit $2"
_DONE = """
    update tableapi_changes.delivery d
    set state = case when u.error is null then 'd' when d.queued < now() - $7::float8 * interval '1 second' then 'f'
                     else 'p' end::"char",
        attempts = d.attempts + 1, tried = now(), status = u.status, error = u.error, milliseconds = u.milliseconds,
        due = now() + u.pause * interval '1 second'
    from unnest($2::int8[], $3::int4[], $4::text[], $5::int4[], $6::float8[]) u (id, status, error, milliseconds, pause)
    where d.webhook = $1 and d.id = u.id
    returning d.event, d.state
"""
# Later events of a record wait for the first one, so they are not checked until it is sent again.
_BEHIND = """
    update tableapi_changes.delivery d set due = now() + u.pause * interval '1 second'
    from unnest($2::text[], $3::float8[]) u (record_key, pause)
    where d.webhook = $1 and case when d.state = 'p' then true end and d.record_key = u.record_key
      and d.due < now() + u.pause * interval '1 second'
"""
HURRY = "update tableapi_changes.delivery set due = now() where webhook = $1 and state = 'p' and due > now()"
EXPIRE = """
    update tableapi_changes.delivery set state = 'f', error = coalesce(error, 'not delivered in time')
    where webhook = $1 and state = 'p' and queued < now() - $2::float8 * interval '1 second'
    returning event
"""
PRUNE = """
    delete from tableapi_changes.delivery
    where queued < now() - 2 * $1::float8 * interval '1 second'
       or (state <> 'p' and queued < now() - $1::float8 * interval '1 second'
           and coalesce(tried, queued) < now() - $1::float8 * interval '1 second')
"""
FORGET = "delete from tableapi_changes.webhook where seen < now() - $1::float8 * interval '1 second'"
FORGET_NAMED = "delete from tableapi_changes.webhook where name = any($1::text[])"
_AGAIN = """
    update tableapi_changes.delivery set state = 'p', attempts = 0, due = now(), queued = now()
    where webhook = $1 and state <> 'p' and record_key <> ''
"""
REPLAY_ONE = f"{_AGAIN} and event = $2"
REPLAY_SINCE = f"{_AGAIN} and at >= $2::timestamptz"
EXISTS = "select exists (select from tableapi_changes.delivery where webhook = $1 and event = $2 and record_key <> '')"
TESTED = """
    insert into tableapi_changes.delivery
        (webhook, event, type, at, record_key, key, record, state, attempts, tried, status, error, milliseconds)
    values ($1, $2, $3, $4::timestamptz, '', $5, $6, case when $8::text is null then 'd' else 'f' end::"char", 1, now(),
            $7, $8, $9)
"""
STATE = f"""
    select w.failures, {_AT.format("w.open_until")} as open_until, w.open_until > now() as is_open, w.error,
           w.gone,
           {_AT.format("w.error_at")} as error_at,
           (select count(*) from (select from tableapi_changes.delivery d
                                  where d.webhook = w.name and d.state = 'p' limit {MOST_COUNTED}) c) as pending,
           (select count(*) from (select from tableapi_changes.delivery d
                                  where d.webhook = w.name and d.state = 'f' limit {MOST_COUNTED}) c) as failed
    from tableapi_changes.webhook w where w.name = $1
"""  # noqa: S608 - constants
ATTEMPTS = f"""
    select {_SHOWN} from tableapi_changes.delivery d where d.webhook = $1 and d.tried is not null
    order by d.tried desc, d.id desc limit {LOGGED}
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event in the queue. attempts: the number made so far."""

    id: int
    record_key: str
    attempts: int
    event: WebhookEvent


async def due(connection: asyncpg.Connection, name: str, most: int, *, probe: bool) -> list[Delivery]:
    """Return events of a webhook that are due, at most one per record.

    probe: return the event with which to test the receiver after failures.
    """
    rows = await connection.fetch(PROBE if probe else DUE, name, most)
    if probe:
        rows = rows or await connection.fetch(PROBE_BY_RECORD, name, most)
    elif len(rows) < most:
        rows += await connection.fetch(_DUE_BY_RECORD, name, most - len(rows), [row["id"] for row in rows])
    return [
        Delivery(
            row["id"],
            row["record_key"],
            row["attempts"],
            WebhookEvent(row["event"], row["type"], row["at"], row["key"], row["record"]),
        )
        for row in rows
    ]


async def finish(
    connection: asyncpg.Connection,
    name: str,
    deliveries: Sequence[Delivery],
    attempts: Sequence[WebhookAttempt],
    pauses: Sequence[float],
    keep: float,
) -> Collection[str]:
    """Store the results of attempts, and return the events that are given up."""
    results = (
        name,
        [delivery.id for delivery in deliveries],
        [attempt.status for attempt in attempts],
        [attempt.error for attempt in attempts],
        [attempt.milliseconds for attempt in attempts],
        pauses,
        keep,
    )
    failed = [
        (delivery.record_key, pause)
        for delivery, attempt, pause in zip(deliveries, attempts, pauses, strict=True)
        if not attempt.delivered
    ]
    if not failed:
        await connection.execute(_DONE, *results)
        return []
    async with connection.transaction():
        rows: list[Any] = await connection.fetch(_DONE, *results)
        await connection.execute(_BEHIND, name, [key for key, _ in failed], [pause for _, pause in failed])
    return [row["event"] for row in rows if row["state"] == b"f"]
