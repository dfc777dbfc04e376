"""Change streams: data that a caller may not read is neither sent nor disclosed indirectly."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.helpers.changes import EventStream, LiveServer, live_server
from tests.helpers.served import Served

SERVED = Served()


@pytest.fixture(scope="module")
async def live(url: str) -> AsyncIterator[LiveServer]:
    async with live_server(url) as server:
        yield server


@pytest.fixture(autouse=True)
async def empty(live: LiveServer) -> None:
    await live.db.execute("delete from task")
    await live.settled()


async def fence(live: LiveServer, stream: EventStream, account: int = 1) -> None:
    """Check that nothing was sent before the next change of a row that the caller may read."""
    await live.db.execute("delete from task where taskid = 1000")
    await live.db.execute("insert into task (taskid, accountid, name) values (1000, $1, 'fence')", account)
    name, data = await stream.next()
    if name == "gone":
        assert data == {"taskid": 1000}
        name, data = await stream.next()
    assert (name, data["taskid"]) == ("row", 1000)


async def test_rows_of_another_account_are_never_sent(live: LiveServer) -> None:
    async with live.opened("task", "one") as stream:
        await live.db.execute(
            "insert into task (taskid, accountid, name) values (1, 2, 'theirs'), (2, null, 'of none')"
        )
        await live.db.execute("update task set name = 'changed'")
        await live.db.execute("delete from task where taskid < 3")
        await fence(live, stream)


async def test_a_row_moved_to_another_account_is_sent_as_gone(live: LiveServer) -> None:
    await live.db.execute("insert into task (taskid, accountid) values (1, 1)")
    async with live.opened("task", "one") as mine, live.opened("task", "two") as theirs:
        await live.db.execute("update task set accountid = 2")
        assert await mine.next() == ("gone", {"taskid": 1})
        assert (await theirs.next())[0] == "row"
        await live.db.execute("delete from task where taskid = 1")
        assert await theirs.next() == ("gone", {"taskid": 1})
        await fence(live, mine)


async def test_changes_of_hidden_columns_send_no_event(live: LiveServer) -> None:
    await live.db.execute("insert into task (taskid, accountid, secret) values (1, 1, 's')")
    async with live.opened("task", "one") as stream:
        await live.db.execute("update task set secret = 't'")
        await live.db.execute("update task set published = false")
        await live.db.execute("update task set name = 'n', secret = 'u'")
        row = {"taskid": 1, "accountid": 1, "ownerid": None, "name": "n", "code": None}
        assert await stream.next() == ("row", row)


async def test_a_hidden_column_that_the_row_rule_reads_shows_and_hides_a_row(live: LiveServer) -> None:
    await live.db.execute("insert into task (taskid, accountid, published) values (1, 1, false)")
    async with live.opened("task", "visitor") as stream:
        await live.db.execute("update task set published = true")
        assert (await stream.next())[1]["taskid"] == 1
        await live.db.execute("update task set published = false")
        assert await stream.next() == ("gone", {"taskid": 1})


async def test_deletion_of_an_unknown_row_is_not_sent_under_a_row_rule(live: LiveServer) -> None:
    await live.db.execute("insert into task (taskid, accountid, published) values (1, 1, false), (2, 1, true)")
    async with live.opened("task", "visitor") as stream:
        await live.db.execute("update task set name = 'x' where taskid = 1")
        await live.db.execute("delete from task where taskid < 3")
        await fence(live, stream)


async def test_a_caller_without_access_to_the_key_does_not_get_it(live: LiveServer) -> None:
    async with live.opened("task", "blind") as stream:
        await live.db.execute("insert into task (taskid, name) values (1, 'a')")
        name, row = await stream.next()
        assert (name, row["name"]) == ("row", "a")
        await live.db.execute("delete from task where taskid = 1")
        assert await stream.next() == ("reset", {})
        assert b"taskid" not in stream.body


async def test_a_filter_for_another_account_matches_nothing(live: LiveServer) -> None:
    async with live.opened("task", "one", filter="accountid = 2") as stream, live.opened("task", "one") as mine:
        await live.db.execute("insert into task (taskid, accountid) values (1, 2)")
        await live.db.execute("delete from task where taskid = 1")
        await fence(live, mine)
        await live.db.execute("delete from session where token = 'other'")
        stream.leave()
        assert await stream.ended()
        assert b"taskid" not in stream.body


async def test_resuming_under_a_complex_row_rule_causes_a_reset(live: LiveServer) -> None:
    async with live.opened("task", "visitor") as stream:
        last = stream.id
    async with live.stream("task", "visitor", last=last) as stream:
        assert await stream.next() == ("reset", {})


async def test_resuming_discloses_nothing_about_other_accounts(live: LiveServer) -> None:
    async with live.opened("task", "one") as stream:
        last = stream.id
    await live.db.execute("insert into task (taskid, accountid) values (1, 2)")
    await live.db.execute("delete from task where taskid = 1")
    async with live.stream("task", "one", last=last) as stream:
        await fence(live, stream)


async def test_resuming_with_the_token_of_another_caller_discloses_no_rows(live: LiveServer) -> None:
    async with live.opened("task", "one") as stream:
        last = stream.id
    await live.db.execute("insert into task (taskid, accountid, name) values (1, 1, 'mine')")
    async with live.stream("task", "two", last=last) as stream:
        await fence(live, stream, account=2)


async def test_streams_end_with_their_session(live: LiveServer) -> None:
    await live.db.execute("insert into session values ('brief', 'user', 1)")
    async with live.opened("task", "brief") as stream, live.opened("task", "one") as other:
        await live.db.execute("delete from session where token = 'brief'")
        assert await stream.ended()
        await fence(live, other)
    async with live.stream("task", "brief") as stream:
        assert (stream.status, stream.reason) == (401, "no_session")


@pytest.mark.parametrize("change", ["role = 'visitor'", "accountid = 2", "role = 'nothing'"])
async def test_a_change_of_role_or_account_ends_the_streams(live: LiveServer, change: str) -> None:
    await live.db.execute("delete from session where token = 'moved'; insert into session values ('moved', 'user', 1)")
    async with live.opened("task", "moved") as stream:
        await live.db.execute(f"update session set {change} where token = 'moved'")
        assert await stream.ended()
