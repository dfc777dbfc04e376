"""Change streams under row-level security: rows of one user are never disclosed to another."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.helpers.changes import LiveServer
from tests.helpers.chat import ADA, BEN, SCHEMA, chat_server, fence, of, opened, say, stream
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
