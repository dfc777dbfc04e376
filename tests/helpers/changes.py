"""A change stream client that speaks ASGI, and a database with tables followed under several rules."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, MutableMapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Self
from urllib.parse import urlencode

import asyncpg

from tableapi import Access, Rule, Sessions, Settings, TableAPI
from tableapi.app.features.changes import Changes
from tableapi.changes import triggers
from tests.helpers.support import until

PATIENCE = 20.0
SCHEMA = """
create table session (token text primary key, role text not null, accountid integer);
create function announce() returns trigger language plpgsql as $$
begin
    perform pg_notify('tableapi_actor', 'token=' || old.token);
    return null;
end $$;
create trigger announced after update or delete on session for each row execute function announce();
create table owner (ownerid integer primary key, name text);
create table task (taskid integer primary key, accountid integer, ownerid integer references owner, name text,
                   secret text, published boolean not null default true, code json);
create table pair (a text, b integer, value integer, primary key (a, b));
create table quiet (quietid integer primary key);
create table unmarked (unmarkedid integer primary key);
create table keyless (name text);
create table blob (blobid bytea primary key);
insert into owner values (1, 'Ann');
insert into session values ('one', 'user', 1), ('two', 'user', 2), ('visitor', 'visitor', null), ('all', 'all', null),
                           ('blind', 'blind', null);
"""
RECORDED = {"task": ("accountid",), "pair": (), "unmarked": (), "blob": ()}


def own(table: Any, actor: Any) -> Any:
    return table.c.accountid == actor.accountid


def published(table: Any, _actor: Any) -> Any:
    return table.c.published


POLICY = {
    "task": Access(
        read=(
            Rule(roles=("user",), rows=own, hidden={"secret", "published"}),
            Rule(roles=("visitor",), rows=published, hidden={"secret", "published", "accountid"}),
            Rule(roles=("blind",), hidden={"taskid"}),
            Rule(roles=("all",)),
        ),
        changes={"accountid"},
    ),
    "owner": Access(read=Rule()),
    "pair": Access(read=Rule(roles=("all",)), changes=True),
    "quiet": Access(read=Rule(), changes=True),
    "unmarked": Access(read=Rule()),
    "blob": Access(read=Rule(), changes=True),
}
SESSIONS = Sessions(
    lookup="select token, role, accountid from session where $1 = sha256(token::bytea)",
    identity=frozenset({"accountid"}),
)


class Event(NamedTuple):
    """One event: its name, its data, and the resume token that came with it."""

    name: str
    data: Any
    id: str


class EventStream:
    """One open stream. `stuck` makes the client stop reading."""

    def __init__(self, app: Any, path: str, headers: Mapping[str, str], query: Mapping[str, str]) -> None:
        pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        self._scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "path": path,
            "raw_path": path.encode(), "query_string": urlencode(query).encode(), "headers": pairs,
            "client": ("127.0.0.1", 1), "scheme": "http", "root_path": "",
        }  # fmt: skip
        self._app, self._gone = app, asyncio.Event()
        self._events: asyncio.Queue[Event | None] = asyncio.Queue()
        self._started = asyncio.Event()
        self._buffer = ""
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.status, self.body, self.id = 0, b"", ""
        self.comments = 0
        self.headers: dict[str, str] = {}
        self.task: asyncio.Task[None]

    async def __aenter__(self) -> Self:
        self.task = asyncio.create_task(self._run())
        async with asyncio.timeout(PATIENCE):
            await self._started.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.leave()
        self.flowing.set()
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(self.task, return_exceptions=True)

    def leave(self) -> None:
        """Disconnect."""
        self._gone.set()

    async def _run(self) -> None:
        try:
            await self._app(self._scope, self._receive, self._send)
        finally:
            self._started.set()
            self._events.put_nowait(None)

    async def _receive(self) -> MutableMapping[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            return
        await self.flowing.wait()
        self.body += message.get("body", b"")
        if self.headers["content-type"] == "text/event-stream":
            self._buffer += message.get("body", b"").decode()
            *blocks, self._buffer = self._buffer.split("\n\n")
            for block in blocks:
                self._block(block)
        if not message.get("more_body") or self.status == 200:
            self._started.set()

    def _block(self, block: str) -> None:
        name, data, token = "", None, ""
        for line in block.split("\n"):
            field, _, value = line.partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                data = json.loads(value)
            elif field == "id":
                token = self.id = value
            elif not line.startswith(":"):
                assert field == "retry", line
            else:
                self.comments += 1
        if name:
            self._events.put_nowait(Event(name, data, token))

    async def event(self) -> Event | None:
        """Return the next event; None when the stream has ended."""
        async with asyncio.timeout(PATIENCE):
            return await self._events.get()

    async def next(self) -> tuple[str, Any]:
        """Return the name and data of the next event. Fails when the stream has ended."""
        event = await self.event()
        assert event is not None, "the stream has ended"
        return event.name, event.data

    async def ended(self) -> bool:
        """Read until the end of the stream."""
        while await self.event() is not None:
            pass
        return True

    @property
    def reason(self) -> str:
        """The reason of an error."""
        return str(json.loads(self.body)["error"]["context"]["reason"])


class LiveServer:
    """A running application with its database."""

    def __init__(self, api: TableAPI, url: str, connection: asyncpg.Connection) -> None:
        self.api, self.url, self.db = api, url, connection

    def stream(self, table: str, token: str = "", *, last: str = "", dataset: str = "db", **query: str) -> EventStream:
        """Return a stream of a table as the caller with this session token; `last` is the resume token."""
        headers = {"X-Session-Token": token} if token else {}
        headers |= {"Last-Event-ID": last} if last else {}
        return EventStream(self.api, f"/api/v2/{dataset}/_table/{table}/_changes", headers, query)

    @asynccontextmanager
    async def opened(self, table: str, token: str = "", **options: str) -> AsyncIterator[EventStream]:
        """Open a stream and read its first event, which is a reset."""
        async with self.stream(table, token, **options) as stream:
            assert stream.status == 200, stream.body
            assert await stream.next() == ("reset", {})
            yield stream

    async def settled(self) -> None:
        """Wait until no stream follows the outbox, so that the next one starts from the current position."""
        if (app := self.api._app) is not None:
            await until(lambda: all(hub._position is None for hub in app.feature(Changes).streams._hubs.values()))


@asynccontextmanager
async def live_server(url: str, **settings: Any) -> AsyncIterator[LiveServer]:
    """Serve a database with SCHEMA under POLICY."""
    connection = await asyncpg.connect(url)
    await connection.execute(SCHEMA)
    await triggers.install(connection, RECORDED, lambda line: None)
    limits = Settings(
        **{"changes_heartbeat_seconds": 1.0, "changes_poll_seconds": 0.01, "rate_limits": False} | settings
    )
    api = TableAPI({"db": url}, policy=POLICY, sessions=SESSIONS, settings=limits)
    await api.start()
    try:
        yield LiveServer(api, url, connection)
    finally:
        await api.stop()
        await connection.close()
