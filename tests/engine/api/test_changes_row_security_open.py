"""Change streams under row-level security: rights that change while a stream is open, and the cost of streams."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from tableapi import TableAPI
from tableapi.app.features.changes import Changes
from tableapi.changes import triggers
from tests.helpers.changes import LiveServer
from tests.helpers.chat import ADA, BEN, ROLES, SCHEMA, SETTINGS, chat_server, fence, of, opened, say, stream
from tests.helpers.served import Served

SERVED = Served(SCHEMA)


@pytest.fixture(scope="module")
async def live(url: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LiveServer]:
    async with chat_server(url, tmp_path_factory.mktemp("access")) as server:
        yield server


@pytest.fixture(autouse=True)
async def empty(live: LiveServer) -> None:
    await live.db.execute("delete from messages; delete from hidden; delete from teams where id > 2")
    await live.settled()


# -- changes while a stream is open ------------------------------------------------------------------------------------


async def test_a_revoked_membership_takes_effect_at_the_next_event(live: LiveServer) -> None:
    async with opened(live, "messages", of(BEN)) as ben, opened(live, "messages", of(ADA)) as ada:
        await say(live, 1, 2)
        assert (await ben.next())[0] == "row"
        await live.db.execute("delete from members where team_id = 2")
        try:
            await live.db.execute("update messages set body = 'secret plan'")
            assert await ben.next() == ("gone", {"id": 1})
            await say(live, 2, 2, "secret plan")
            await fence(live, ada, 1, 3)
            assert b"secret plan" not in ben.body
        finally:
            await live.db.execute("insert into members values (2, $1)", BEN)


async def test_a_changed_policy_applies_at_once_and_ends_streams(live: LiveServer) -> None:
    async with opened(live, "messages", of(BEN)) as ben:
        await live.db.execute('alter policy "Team members read" on messages using (false)')
        try:
            await say(live, 1, 2, "unseen")
            assert await ben.ended()
            assert b"unseen" not in ben.body
        finally:
            await live.db.execute(
                'alter policy "Team members read" on messages using '
                "(team_id in (select team_id from members where user_id = (select auth.uid())))"
            )


async def test_a_revoked_select_ends_streams_and_rejects_new_ones(live: LiveServer) -> None:
    async with opened(live, "hidden", of(ADA)) as ada:
        await live.db.execute("revoke select (id) on hidden from authenticated")
        try:
            await live.db.execute("insert into hidden values (1, 'open')")
            assert await ada.ended()
            assert b"event: row" not in ada.body
            async with stream(live, "hidden", of(ADA)) as again:
                assert (again.status, again.reason) == (403, "forbidden")
        finally:
            await live.db.execute("grant select (id) on hidden to authenticated")


async def test_streams_end_when_their_token_expires(live: LiveServer) -> None:
    async with opened(live, "messages", of(ADA, exp=int(time.time()) + 5)) as ada:
        assert await ada.ended()


async def test_a_login_without_rights_is_granted_the_outbox(live: LiveServer, tmp_path: Path) -> None:
    await live.db.execute("create role limited noinherit login password 'pw'; grant authenticated to limited")
    (tmp_path / "access.json").write_text(json.dumps({"roles": ROLES}))
    login = "postgresql://limited:pw@" + live.url.rpartition("@")[2]
    api = TableAPI({"db": login}, access=tmp_path / "access.json", settings=SETTINGS)
    await api.start()
    other = LiveServer(api, live.url, live.db)
    try:
        async with stream(other, "messages", of(ADA)) as ada:
            assert (ada.status, ada.reason) == (409, "no_changes")
        await triggers.permit(live.db, "limited")
        async with opened(other, "messages", of(ADA)) as ada:
            await say(live, 1, 2)
            await fence(live, ada, 1, 2)
    finally:
        await api.stop()
        await live.db.execute("drop owned by limited; drop role limited")


# -- cost ------------------------------------------------------------------------------------------------------------


async def test_streams_with_the_same_claims_share_a_read(live: LiveServer) -> None:
    headers = of(ADA)
    async with opened(live, "messages", headers) as first, opened(live, "messages", headers) as second:
        hub = live.api._app.feature(Changes).streams._hubs["db"]  # type: ignore[union-attr]
        assert len(hub._groups) == 1
        await say(live, 1, 1)
        assert await first.next() == await second.next()


@asynccontextmanager
async def restricted(live: LiveServer, condition: str) -> AsyncIterator[None]:
    """Restrict the rows of teams by one more policy."""
    await live.db.execute(f"create policy more on teams as restrictive for select to authenticated using ({condition})")
    try:
        yield
    finally:
        await live.db.execute("drop policy more on teams")


async def test_a_slow_policy_delays_no_stream_without_a_database_role(live: LiveServer) -> None:
    admins = [of(sub, app_metadata={"admin": True}, jti=jti) for sub, jti in ((ADA, "1"), (BEN, "2"), (BEN, "3"))]
    async with restricted(live, "pg_sleep(0.8) is not null"), AsyncExitStack() as streams:
        plain = await streams.enter_async_context(opened(live, "teams", {"X-API-Key": "service"}))
        slow = [await streams.enter_async_context(opened(live, "teams", headers)) for headers in admins]
        await live.db.execute("insert into teams values (4, 'slow')")
        assert (await plain.next())[1]["id"] == 4
        assert not any(b"event: row" in changes.body for changes in slow)
        for changes in slow:
            assert (await changes.next())[1]["id"] == 4


async def test_a_slow_policy_causes_a_reset_and_a_clean_connection(live: LiveServer) -> None:
    admin = of(ADA, app_metadata={"admin": True})
    async with restricted(live, "id < 4 or pg_sleep(30) is not null"):
        async with opened(live, "teams", admin) as changes:
            await live.db.execute("insert into teams values (4, 'endless')")
            assert await changes.next() == ("reset", {})
        async with opened(live, "messages", of(BEN)) as ben:
            await fence(live, ben, 2, 1)


async def test_a_failing_policy_ends_the_stream(live: LiveServer) -> None:
    admin = of(ADA, app_metadata={"admin": True})
    async with restricted(live, "10 / (id - 4) is not null"), opened(live, "teams", admin) as changes:
        await live.db.execute("insert into teams values (4, 'broken')")
        assert await changes.ended()
        assert b"event: row" not in changes.body
