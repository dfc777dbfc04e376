"""Live streams of a chat under row-level security, and the signed tokens of its users."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg

from tableapi import Settings, TableAPI
from tableapi.changes import triggers
from tests.helpers.changes import EventStream, LiveServer
from tests.helpers.support import DATA
from tests.helpers.tokens import SECRET, bearer

ADA, BEN = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"
ROLES = {"anon": {"database_role": "anon"}, "authenticated": {"database_role": "authenticated"}}
KEYS = {"service": {"role": "*"}}
SETTINGS = Settings(
    changes_heartbeat_seconds=1.0,
    changes_poll_seconds=0.01,
    rate_limits=False,
    jwt_secret=SECRET,
    jwt_leeway_seconds=0.0,
)
RECORDED = {"profiles": (), "messages": ("team_id",), "teams": (), "audit": (), "keyless": (), "hidden": ()}
SCHEMA = (
    (DATA / "row_security" / "chat.sql").read_text()
    + """
create table keyless (id integer primary key, what text);
grant select (what) on keyless to authenticated;
create policy readers on hidden for select to authenticated using (what = 'open');
alter table hidden enable row level security;
grant select (id) on hidden to authenticated;
"""
)


def of(sub: str, **claims: Any) -> dict[str, str]:
    """Return the headers of a user."""
    return bearer({"sub": sub, "role": "authenticated", **claims})


@asynccontextmanager
async def chat_server(url: str, folder: Path) -> AsyncIterator[LiveServer]:
    """Serve a database with SCHEMA under its own policies."""
    (folder / "access.json").write_text(json.dumps({"keys": KEYS, "roles": ROLES, "anonymous": "anon"}))
    connection = await asyncpg.connect(url)
    await triggers.install(connection, RECORDED, lambda line: None)
    api = TableAPI({"db": url}, access=folder / "access.json", settings=SETTINGS)
    await api.start()
    try:
        yield LiveServer(api, url, connection)
    finally:
        await api.stop()
        await connection.close()


def stream(live: LiveServer, table: str, headers: dict[str, str], last: str = "", **query: str) -> EventStream:
    """Return a stream of a table; `last` is the resume token."""
    headers = headers | ({"Last-Event-ID": last} if last else {})
    return EventStream(live.api, f"/api/v2/db/_table/{table}/_changes", headers, query)


@asynccontextmanager
async def opened(live: LiveServer, table: str, headers: dict[str, str], **query: str) -> AsyncIterator[EventStream]:
    """Open a stream and read its first event, which is a reset."""
    async with stream(live, table, headers, **query) as changes:
        assert changes.status == 200, changes.body
        assert await changes.next() == ("reset", {})
        yield changes


async def say(live: LiveServer, number: int, team: int, body: str = "hello") -> None:
    """Write a message into the team of Ada, 1, or of Ben, 2."""
    author = ADA if team == 1 else BEN
    await live.db.execute("insert into messages (id, team_id, author, body) values ($1, $2, $3, $4)",
                          number, team, author, body)  # fmt: skip


async def fence(live: LiveServer, changes: EventStream, team: int, number: int) -> None:
    """Check that nothing was sent before the next row that the caller may read."""
    await say(live, number, team, "fence")
    name, row = await changes.next()
    assert (name, row["id"]) == ("row", number), (name, row)
