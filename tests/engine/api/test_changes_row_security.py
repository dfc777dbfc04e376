"""Live streams under row-level security: an event is told to callers whose database role may read the row now."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tableapi import Settings, TableAPI
from tableapi.live import triggers
from tests.helpers.live import EventStream, LiveServer
from tests.helpers.support import DATA, NewDatabase
from tests.helpers.tokens import SECRET, bearer

ADA, BEN = "11111111-1111-1111-1111-111111111111", "22222222-2222-2222-2222-222222222222"
ROLES = {"anon": {"database_role": "anon"}, "authenticated": {"database_role": "authenticated"}}
SETTINGS = Settings(
    live_heartbeat_seconds=1.0, live_poll_seconds=0.01, rate_limits=False, jwt_secret=SECRET, jwt_leeway_seconds=0.0
)
RECORDED = {"profiles": (), "messages": ("team_id",), "teams": (), "audit": (), "keyless": (), "hidden": ()}
MORE = """
create table keyless (id integer primary key, what text);
grant select (what) on keyless to authenticated;
create policy readers on hidden for select to authenticated using (what = 'open');
alter table hidden enable row level security;
grant select (id) on hidden to authenticated;
"""


def of(sub: str, **claims: Any) -> dict[str, str]:
    return bearer({"sub": sub, "role": "authenticated", **claims})


@pytest.fixture(scope="module")
def url(module_database: NewDatabase) -> str:
    return module_database((DATA / "row_security" / "chat.sql").read_text() + MORE)


@pytest.fixture(scope="module")
async def live(url: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LiveServer]:
    file = tmp_path_factory.mktemp("access") / "access.json"
    file.write_text(json.dumps({"keys": {"service": {"role": "*"}}, "roles": ROLES, "anonymous": "anon"}))
    connection = await asyncpg.connect(url)
    await triggers.install(connection, RECORDED, lambda line: None)
    api = TableAPI({"db": url}, access=file, settings=SETTINGS)
    await api.start()
    yield LiveServer(api, url, connection)
    await api.stop()
    await connection.close()


@pytest.fixture(autouse=True)
async def empty(live: LiveServer) -> None:
    await live.db.execute("delete from messages; delete from hidden; delete from teams where id > 2")
    await live.settled()


def stream(live: LiveServer, table: str, headers: dict[str, str], last: str = "", **query: str) -> EventStream:
    headers = headers | ({"Last-Event-ID": last} if last else {})
    return EventStream(live.api, f"/api/v2/db/_table/{table}/_changes", headers, query)


@asynccontextmanager
async def opened(live: LiveServer, table: str, headers: dict[str, str], **query: str) -> AsyncIterator[EventStream]:
    async with stream(live, table, headers, **query) as changes:
        assert changes.status == 200, changes.body
        assert await changes.next() == ("reset", {})
        yield changes


async def say(live: LiveServer, number: int, team: int, body: str = "hello") -> None:
    author = ADA if team == 1 else BEN
    await live.db.execute("insert into messages (id, team_id, author, body) values ($1, $2, $3, $4)",
                          number, team, author, body)  # fmt: skip


async def fence(live: LiveServer, changes: EventStream, team: int, number: int) -> None:
    """Check that nothing was sent before the next row that the caller may read."""
    await say(live, number, team, "fence")
    name, row = await changes.next()
    assert (name, row["id"]) == ("row", number), (name, row)


# -- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "headers", "query", "status", "reason"),
    [
        ("messages", {}, {}, 403, "forbidden"),
        ("teams", {}, {}, 403, "forbidden"),
        ("audit", of(ADA), {}, 403, "forbidden"),
        ("keyless", of(ADA), {}, 403, "forbidden"),
        ("members", of(ADA), {}, 409, "not_live"),
        ("messages", of(ADA), {"fields": "secret"}, 400, "unknown_field"),
        ("messages", of(ADA), {"filter": "secret = 'x'"}, 400, "unknown_field"),
        ("messages", {"Authorization": "Bearer a.b.c"}, {}, 401, "bad_token"),
    ],
)
async def test_refusals(
    live: LiveServer, table: str, headers: dict[str, str], query: dict[str, str], status: int, reason: str
) -> None:
    async with stream(live, table, headers, **query) as changes:
        assert (changes.status, changes.reason) == (status, reason), changes.body


# -- what one user sees another is never told ------------------------------------------------------------------------


async def test_rows_are_told_to_the_users_that_may_read_them(live: LiveServer) -> None:
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


async def test_a_filter_for_rows_of_others_finds_nothing(live: LiveServer) -> None:
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


async def test_that_an_untold_row_is_gone_is_not_told(live: LiveServer) -> None:
    await say(live, 1, 1)
    await say(live, 2, 2)
    async with opened(live, "messages", of(ADA)) as ada:
        await live.db.execute("delete from messages")
        await fence(live, ada, 1, 3)


async def test_a_column_without_a_grant_is_not_sent_and_its_change_is_no_event(live: LiveServer) -> None:
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


async def test_related_rows_are_those_of_the_user(live: LiveServer) -> None:
    admin = of(ADA, app_metadata={"admin": True})
    query = {"related": "messages_by_team_id", "messages_by_team_id.fields": "body"}
    await say(live, 1, 1, "for red")
    await say(live, 2, 2, "for blue")
    async with opened(live, "teams", admin, **query) as changes:
        for team, bodies in ((1, ["for red"]), (2, [])):
            await live.db.execute("update teams set name = name || '!' where id = $1", team)
            _, row = await changes.next()
            assert (row["id"], [m["body"] for m in row["messages_by_team_id"]]) == (team, bodies)


async def test_callers_of_one_role_have_their_own_claims_and_a_plain_caller_has_none(live: LiveServer) -> None:
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


async def test_many_changes_of_others_are_nothing_and_own_ones_among_them_arrive(live: LiveServer) -> None:
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


# -- what changes while a stream is open -----------------------------------------------------------------------------


async def test_a_membership_that_ends_takes_effect_at_the_next_event(live: LiveServer) -> None:
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


async def test_a_policy_that_changes_is_obeyed_at_once_and_ends_the_streams(live: LiveServer) -> None:
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


async def test_a_revoked_select_ends_the_streams_and_refuses_new_ones(live: LiveServer) -> None:
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


async def test_a_token_that_expires_ends_its_streams(live: LiveServer) -> None:
    async with opened(live, "messages", of(ADA, exp=int(time.time()) + 2)) as ada:
        assert await ada.ended()


async def test_a_login_without_rights_of_its_own_is_given_the_record_of_changes(
    live: LiveServer, tmp_path: Path
) -> None:
    await live.db.execute("create role limited noinherit login password 'pw'; grant authenticated to limited")
    (tmp_path / "access.json").write_text(json.dumps({"roles": ROLES}))
    login = "postgresql://limited:pw@" + live.url.rpartition("@")[2]
    api = TableAPI({"db": login}, access=tmp_path / "access.json", settings=SETTINGS)
    await api.start()
    other = LiveServer(api, live.url, live.db)
    try:
        async with stream(other, "messages", of(ADA)) as ada:
            assert (ada.status, ada.reason) == (409, "not_live")
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
        hub = live.api._app.services.live._hubs["db"]  # type: ignore[union-attr]
        assert len(hub._groups) == 1
        await say(live, 1, 1)
        assert await first.next() == await second.next()


async def test_a_slow_policy_delays_no_stream_without_a_database_role(live: LiveServer) -> None:
    await live.db.execute(
        "create policy slow on teams as restrictive for select to authenticated using (pg_sleep(0.4) is not null)"
    )
    try:
        async with (
            opened(live, "teams", {"X-API-Key": "service"}) as plain,
            opened(live, "teams", of(ADA, app_metadata={"admin": True})) as one,
            opened(live, "teams", of(BEN, app_metadata={"admin": True})) as two,
            opened(live, "teams", of(BEN, app_metadata={"admin": True}, jti="3")) as three,
        ):
            await live.db.execute("insert into teams values (4, 'slow')")
            began = asyncio.get_running_loop().time()
            assert (await plain.next())[1]["id"] == 4
            assert asyncio.get_running_loop().time() - began < 0.35
            for changes in (one, two, three):
                assert (await changes.next())[1]["id"] == 4
    finally:
        await live.db.execute("drop policy slow on teams")
