"""Read the outbox: the changes that became visible since a position, each exactly once.

A position is a PostgreSQL snapshot. Transactions do not commit in the order in which they write, so a number or a
timestamp could skip a change that is committed late; comparing two snapshots cannot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import asyncpg

from tableapi import exact_json

MAX_CHANGES = 2000  # per read; above it, every stream is reset
MAX_TOKEN_CHARS = 4000
_TOKEN = re.compile(r"([0-9a-f]{1,32})\.(\d{1,19}:\d{1,19}:[\d,]*)", re.ASCII)

# The epoch changes with a server restart, a failover or a new outbox, which invalidates earlier positions.
_EPOCH = """
    to_hex((extract(epoch from pg_postmaster_start_time()) * 1000000)::int8 # c.oid::int8) as epoch
    from pg_class c where c.oid = to_regclass('tableapi_changes.change')
"""
BEGIN = f"select pg_current_snapshot()::text as snapshot, {_EPOCH}"
SINCE = f"""
    select s.snapshot::text as snapshot, s.epoch, c.relation::int8 as relation, c.operation, c.key::text as key,
           (c.parts - '*')::text as parts, c.changed
    from (select pg_current_snapshot() as snapshot, {_EPOCH}) s
    left join lateral (
        select * from tableapi_changes.change c
        where c.xid >= pg_snapshot_xmin($1::text::pg_snapshot)
          and not pg_visible_in_snapshot(c.xid, $1::text::pg_snapshot)
        order by c.seq limit {MAX_CHANGES + 1}
    ) c on true
"""  # noqa: S608 - a constant
# Changes missed by a stream: those of one table after its position and before that of the process.
MISSED = """
    select c.relation::int8 as relation, c.operation, c.key::text as key, (c.parts - '*')::text as parts, c.changed
    from tableapi_changes.change c
    where c.relation = $3::int8::oid and c.xid >= pg_snapshot_xmin($1::text::pg_snapshot)
      and not pg_visible_in_snapshot(c.xid, $1::text::pg_snapshot)
      and pg_visible_in_snapshot(c.xid, $2::text::pg_snapshot)
    order by c.seq limit 1001
"""
KEPT = """
    select coalesce((select pg_snapshot_xmin($1::text::pg_snapshot) >= m.oldest from tableapi_changes.mark m
                     order by m.at limit 1), false)
"""
_CLEAN = """
    with kept as (
        select at, oldest from tableapi_changes.mark where at < clock_timestamp() - $1::float8 * interval '1 second'
        order by at desc limit 1
    ), old_marks as (
        delete from tableapi_changes.mark m using kept where m.at < kept.at
    )
    delete from tableapi_changes.change c using kept where c.xid < kept.oldest{unread}
"""
# A change not yet read by a webhook is kept, unless no server has delivered that webhook for a long time.
_UNREAD = """
      and c.xid < all (select pg_snapshot_xmin(w.position) from tableapi_changes.webhook w
                       where w.seen > now() - interval '3 days')
"""
_READS_WEBHOOKS = "select coalesce(has_table_privilege(to_regclass('tableapi_changes.webhook'), 'select'), false)"
_LOCK = 0x7461626C65 + 1


@dataclass(frozen=True, slots=True)
class Position:
    """A position in the outbox: every change visible in `snapshot` comes before it."""

    epoch: str
    snapshot: str

    @property
    def token(self) -> str:
        """The token that a client sends to resume."""
        return f"{self.epoch}.{self.snapshot}"

    @classmethod
    def read(cls, token: str) -> Position | None:
        """Parse a resume token; None if it is invalid."""
        match = _TOKEN.fullmatch(token) if len(token) <= MAX_TOKEN_CHARS else None
        return cls(match[1], match[2]) if match else None


@dataclass(frozen=True, slots=True)
class RowChange:
    """One change of a row. operation: i, u, d, or r for a change of too many rows, which has no key.

    parts: the values of the recorded columns before and after. changed: the columns that an update changed.
    """

    relation: int
    operation: str
    key: tuple[Any, ...] | None
    parts: dict[str, tuple[str | None, str | None]]
    changed: frozenset[str] | None

    @classmethod
    def of(cls, row: Any) -> RowChange:
        """Parse a row of the outbox."""
        key = tuple(exact_json.loads(row["key"].encode())) if row["key"] else None
        parts = {name: tuple(pair) for name, pair in exact_json.loads((row["parts"] or "{}").encode()).items()}
        changed = frozenset(row["changed"]) if row["changed"] is not None else None
        if key is not None and any(part is None or isinstance(part, list | dict) for part in key):
            key = None  # such a value cannot be a key, so the list is read again
        return cls(row["relation"], row["operation"].decode(), key, parts, changed)


async def clean(connection: asyncpg.Connection, seconds: float) -> None:
    """Remove changes that have been visible for `seconds`, unless another process is doing so.

    Age is measured from when the transaction was known to have ended, not from the write.
    """
    if not await connection.fetchval("select to_regclass('tableapi_changes.mark') is not null"):
        return
    async with connection.transaction():
        if await connection.fetchval("select pg_try_advisory_xact_lock($1)", _LOCK):
            webhooks = await connection.fetchval(_READS_WEBHOOKS)
            await connection.execute(_CLEAN.format(unread=_UNREAD if webhooks else ""), seconds)
            await connection.execute(
                "insert into tableapi_changes.mark (oldest) select pg_snapshot_xmin(pg_current_snapshot())"
            )
