"""Change streams under row-level security: rows of one user are never disclosed to another."""

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


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "user", "query", "status", "reason"),
    [
        ("messages", None, {}, 403, "forbidden"),
        ("teams", None, {}, 403, "forbidden"),
        ("audit", ADA, {}, 403, "forbidden"),
        ("keyless", ADA, {}, 403, "forbidden"),
        ("members", ADA, {}, 409, "no_changes"),
        ("messages", ADA, {"fields": "secret"}, 400, "unknown_field"),
        ("messages", ADA, {"filter": "secret = 'x'"}, 400, "unknown_field"),
    ],
)
async def test_invalid_streams_are_rejected(
    live: LiveServer, table: str, user: str | None, query: dict[str, str], status: int, reason: str
) -> None:
    async with stream(live, table, of(user) if user else {}, **query) as changes:
        assert (changes.status, changes.reason) == (status, reason), changes.body


async def test_an_unreadable_token_is_rejected(live: LiveServer) -> None:
    async with stream(live, "messages", {"Authorization": "Bearer a.b.c"}) as changes:
        assert (changes.status, changes.reason) == (401, "bad_token"), changes.body


# -- isolation between users -------------------------------------------------------------------------------------------


async def test_rows_are_sent_only_to_users_with_access(live: LiveServer) -> None:
    async with opened(live, "messages", of(ADA)) as ada, opened(live, "messages", of(BEN)) as ben:
        await live.db.execute(
            "insert into messages (id, team_id, author, body) values (1, 1, $1, 'for red'), (2, 2, $2, 'for blue')",
            ADA, BEN,
        )  # fmt: skip
        assert await ada.next() == ("row", {"id": 1, "team_id": 1, "author": ADA, "body": "for red"})
        assert await ben.next() == ("row", {"id": 2, "team_id": 2, "author": BEN, "body": "for blue"})
        await live.db.execute("update messages set body = body || '!'")
        await live.db.execute("delete from messages")
        for changes, number in ((ada, 1), (ben, 2)):
            name, data = await changes.next()
            if name == "row":  # both changes may be one event
                name, data = await changes.next()
            assert (name, data) == ("gone", {"id": number})
        await fence(live, ada, 1, 3)
        await fence(live, ben, 2, 4)
        assert b"blue" not in ada.body
        assert b"red" not in ben.body


async def test_a_filter_for_rows_of_others_matches_nothing(live: LiveServer) -> None:
    async with (
        opened(live, "messages", of(ADA), filter="team_id = 2") as prying,
        opened(live, "messages", of(ADA)) as ada,
    ):
        await say(live, 1, 2)
        await live.db.execute("update messages set body = 'x'; delete from messages")
        await fence(live, ada, 1, 2)
        prying.leave()
        assert await prying.ended()
        assert b"event: row" not in prying.body
        assert b"event: gone" not in prying.body


async def test_a_row_moves_out_of_sight_and_into_sight(live: LiveServer) -> None:
    async with opened(live, "messages", of(ADA)) as ada, opened(live, "messages", of(BEN)) as ben:
        await say(live, 1, 1)
        assert (await ada.next())[0] == "row"
        await live.db.execute("update messages set team_id = 2")
        assert await ada.next() == ("gone", {"id": 1})
        assert (await ben.next())[1]["team_id"] == 2
        await live.db.execute("update messages set body = 'theirs now'")
        assert (await ben.next())[1]["body"] == "theirs now"
        await fence(live, ada, 1, 2)


async def test_deletion_of_an_unsent_row_is_not_sent(live: LiveServer) -> None:
    await say(live, 1, 1)
    await say(live, 2, 2)
    async with opened(live, "messages", of(ADA)) as ada:
        await live.db.execute("delete from messages")
        await fence(live, ada, 1, 3)


async def test_an_ungranted_column_and_its_changes_are_not_sent(live: LiveServer) -> None:
    await say(live, 1, 1)
    async with opened(live, "messages", of(ADA)) as ada:
        await live.db.execute("update messages set secret = 's'")
        await live.db.execute("update messages set secret = 't', body = 'seen'")
        assert await ada.next() == ("row", {"id": 1, "team_id": 1, "author": ADA, "body": "seen"})


async def test_a_column_without_a_grant_that_a_policy_reads_shows_and_hides_a_row(live: LiveServer) -> None:
    await live.db.execute("insert into hidden values (1, 'closed')")
    async with opened(live, "hidden", of(ADA)) as ada:
        await live.db.execute("update hidden set what = 'open'")
        assert await ada.next() == ("row", {"id": 1})
        await live.db.execute("update hidden set what = 'closed'")
        assert await ada.next() == ("gone", {"id": 1})


async def test_related_rows_are_limited_to_those_of_the_user(live: LiveServer) -> None:
    admin = of(ADA, app_metadata={"admin": True})
    query = {"related": "messages_by_team_id", "messages_by_team_id.fields": "body"}
    await say(live, 1, 1, "for red")
    await say(live, 2, 2, "for blue")
    async with opened(live, "teams", admin, **query) as changes:
        for team, bodies in ((1, ["for red"]), (2, [])):
            await live.db.execute("update teams set name = name || '!' where id = $1", team)
            _, row = await changes.next()
            assert (row["id"], [m["body"] for m in row["messages_by_team_id"]]) == (team, bodies)


async def test_callers_of_one_role_have_separate_claims(live: LiveServer) -> None:
    admin = of(ADA, app_metadata={"admin": True})
    service = {"X-API-Key": "service"}
    async with (
        opened(live, "teams", admin) as all_teams,
        opened(live, "teams", of(BEN)) as of_ben,
        opened(live, "teams", service) as everything,
    ):
        await live.db.execute("insert into teams values (3, 'green')")
        await live.db.execute("update teams set name = 'BLUE' where id = 2")
        assert {(await changes.next())[1]["id"] for changes in (all_teams, all_teams)} == {2, 3}
        assert await of_ben.next() == ("row", {"id": 2, "name": "BLUE"})
        assert {(await changes.next())[1]["id"] for changes in (everything, everything)} == {2, 3}


async def test_resuming_begins_with_a_reset(live: LiveServer) -> None:
    async with opened(live, "messages", of(ADA)) as ada:
        last = ada.id
    await say(live, 1, 2)
    async with stream(live, "messages", of(ADA), last=last) as ada:
        assert await ada.next() == ("reset", {})
        await fence(live, ada, 1, 2)


async def test_visible_changes_arrive_among_many_invisible_ones(live: LiveServer) -> None:
    async with opened(live, "messages", of(ADA)) as ada:
        for first in (1000, 1400, 1800):
            await live.db.execute(
                "insert into messages (id, team_id, author, body) "
                "select n, case when n % 100 = 0 then 1 else 2 end, $1, 'x' from generate_series($2::int, $2 + 399) n",
                ADA, first,
            )  # fmt: skip
        told = {(await ada.next())[1]["id"] for _ in range(12)}
        assert told == {n for n in range(1000, 2200) if n % 100 == 0}
        await fence(live, ada, 1, 1)


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
