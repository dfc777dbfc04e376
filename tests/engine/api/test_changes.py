"""Change streams: errors, events, order, resuming, and data that a caller may not read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.helpers.changes import EventStream, LiveServer, live_server
from tests.helpers.served import Served
from tests.helpers.support import until

SERVED = Served()


@pytest.fixture(scope="module")
async def live(url: str) -> AsyncIterator[LiveServer]:
    async with live_server(url, changes_streams_per_caller=5) as server:
        yield server


@pytest.fixture(autouse=True)
async def empty(live: LiveServer) -> None:
    await live.db.execute("delete from task; delete from pair")
    await live.settled()


@pytest.mark.parametrize(
    ("table", "token", "query", "status", "reason"),
    [
        ("task", "", {}, 401, "no_session"),
        ("task", "nobody", {}, 401, "no_session"),
        ("pair", "one", {}, 403, "forbidden"),
        ("session", "all", {}, 404, "unknown_table"),
        ("unmarked", "one", {}, 409, "no_changes"),
        ("quiet", "one", {}, 409, "no_changes"),
        ("blob", "one", {}, 400, "no_primary_key"),
        ("task", "one", {"filter": "secret = 'x'"}, 400, "unknown_field"),
        ("task", "one", {"fields": "taskid,secret"}, 400, "unknown_field"),
        ("task", "one", {"filter": "taskid = 'x'"}, 400, "bad_value"),
        ("task", "one", {"related": "nothing"}, 400, "unknown_relation"),
        ("task", "one", {"limit": "5"}, 400, "bad_option"),
        ("task", "one", {"order": "taskid"}, 400, "bad_option"),
        ("task", "one", {"feilds": "taskid"}, 400, "unknown_option"),
    ],
)
async def test_invalid_streams_are_rejected(
    live: LiveServer, table: str, token: str, query: dict[str, str], status: int, reason: str
) -> None:
    async with live.stream(table, token, **query) as stream:
        assert (stream.status, stream.reason) == (status, reason)


async def test_a_misspelt_option_is_suggested(live: LiveServer) -> None:
    async with live.stream("task", "one", feilds="taskid") as stream:
        assert b"Did you mean 'fields'" in stream.body


async def test_concurrent_streams_above_the_limit_of_a_caller_are_rejected(live: LiveServer) -> None:
    """None of them counts yet when the limit is checked first, because the first one has to read the position."""
    await live.settled()
    streams = [live.stream("task", "one") for _ in range(40)]
    await asyncio.gather(*(stream.__aenter__() for stream in streams))
    assert sorted(stream.status for stream in streams) == [200] * 5 + [429] * 35
    for stream in streams:
        await stream.__aexit__()


async def test_a_stream_above_the_limit_of_a_caller_is_rejected(live: LiveServer) -> None:
    streams = [live.stream("task", "one") for _ in range(6)]
    for stream in streams[:5]:
        await stream.__aenter__()
    async with streams[5] as last:
        assert (last.status, last.reason) == (429, "too_many_streams")
        assert last.headers["retry-after"]
    async with live.opened("task", "two"):
        pass
    for stream in streams[:5]:
        await stream.__aexit__()
    async with live.opened("task", "one"):
        pass


async def test_the_row_is_sent_in_the_format_of_a_read(live: LiveServer) -> None:
    async with live.opened("task", "all", fields="taskid,name", related="owner_by_ownerid") as stream:
        assert stream.headers["content-type"] == "text/event-stream"
        await live.db.execute("insert into task (taskid, ownerid, name, accountid) values (1, 1, 'a', 7)")
        owner = {"ownerid": 1, "name": "Ann"}
        assert await stream.next() == ("row", {"taskid": 1, "name": "a", "ownerid": 1, "owner_by_ownerid": owner})
        await live.db.execute("delete from task")
        assert await stream.next() == ("gone", {"taskid": 1})


async def test_a_line_break_inside_json_does_not_end_an_event(live: LiveServer) -> None:
    async with live.opened("task", "all", fields="code") as stream:
        await live.db.execute("insert into task (taskid, code) values (1, E'{\"a\":\\r\\n 1}')")
        assert await stream.next() == ("row", {"code": {"a": 1}})


async def test_a_row_leaving_the_filter_is_sent_as_gone(live: LiveServer) -> None:
    async with live.opened("task", "all", filter="(name = :n) or (name = 'c')", params='{"n": "b"}') as stream:
        await live.db.execute("insert into task (taskid, name) values (1, 'a'), (2, 'b')")
        assert (await stream.next())[1]["taskid"] == 2
        await live.db.execute("update task set name = 'x' where taskid = 2")
        assert await stream.next() == ("gone", {"taskid": 2})
        await live.db.execute("update task set name = 'c' where taskid = 1")
        assert (await stream.next())[1]["taskid"] == 1


async def test_a_changed_composite_key_sends_a_removal_and_a_new_row(live: LiveServer) -> None:
    async with live.opened("pair", "all") as stream:
        await live.db.execute("insert into pair values ('x', 1, 5)")
        assert await stream.next() == ("row", {"a": "x", "b": 1, "value": 5})
        await live.db.execute("update pair set b = 2")
        events = [await stream.next(), await stream.next()]
        assert sorted(events) == [("gone", {"a": "x", "b": 1}), ("row", {"a": "x", "b": 2, "value": 5})]


async def test_an_update_without_changes_sends_no_event(live: LiveServer) -> None:
    await live.db.execute("insert into pair values ('x', 1, 5)")
    async with live.opened("pair", "all") as stream:
        await live.db.execute("update pair set value = 5")
        await live.db.execute("update pair set value = 6")
        assert await stream.next() == ("row", {"a": "x", "b": 1, "value": 6})


async def test_transactions_committing_out_of_order_lose_no_event(live: LiveServer) -> None:
    other = await asyncpg.connect(live.url)
    async with live.opened("pair", "all") as stream:
        transaction = other.transaction()
        await transaction.start()
        await other.execute("insert into pair values ('early', 1, 1)")
        await live.db.execute("insert into pair values ('late', 2, 2)")
        event = await stream.event()
        assert event is not None
        assert event.data["a"] == "late"
        await transaction.commit()
        assert (await stream.next())[1]["a"] == "early"
    # The token of the later write was taken while the earlier one was open, so it does not pass over it.
    async with live.stream("pair", "all", last=event.id) as stream:
        assert (await stream.next())[1]["a"] == "early"
    await other.close()


async def test_a_rolled_back_transaction_sends_no_event(live: LiveServer) -> None:
    async with live.opened("pair", "all") as stream:
        transaction = live.db.transaction()
        await transaction.start()
        await live.db.execute("insert into pair values ('undone', 1, 1)")
        await transaction.rollback()
        await live.db.execute("insert into pair values ('kept', 1, 1)")
        assert (await stream.next())[1]["a"] == "kept"


async def test_a_resumed_stream_gets_missed_changes(live: LiveServer) -> None:
    await live.db.execute("insert into pair values ('x', 1, 1), ('y', 1, 1)")
    async with live.opened("pair", "all") as stream:
        last = stream.id
    await live.db.execute("update pair set value = 2 where a = 'x'")
    async with live.stream("pair", "all", last=last) as stream:
        assert await stream.next() == ("row", {"a": "x", "b": 1, "value": 2})
        last = stream.id
    async with live.stream("pair", "all", last=last) as stream:
        await live.db.execute("update pair set value = 3 where a = 'y'")
        assert await stream.next() == ("row", {"a": "y", "b": 1, "value": 3})
        last = stream.id
    # It is unknown whether the stream knew the deleted row, so its list has to be read again, unless the server finds
    # the change only after the stream is open.
    await live.db.execute("delete from pair where a = 'x'")
    async with live.stream("pair", "all", last=last) as stream:
        assert await stream.next() in (("reset", {}), ("gone", {"a": "x", "b": 1}))


@pytest.mark.parametrize("last", ["nonsense", "ff.1:1:", "ff." + "9" * 5000, "ff.5:3:", "0.1:2:1,1,1", "' or 1=1"])
async def test_an_unknown_or_expired_token_causes_a_reset(live: LiveServer, last: str) -> None:
    async with live.stream("pair", "all", last=last) as stream:
        assert await stream.next() == ("reset", {})


async def test_a_token_older_than_the_oldest_change_causes_a_reset(live: LiveServer) -> None:
    async with live.opened("pair", "all") as stream:
        epoch = stream.id.partition(".")[0]
    for snapshot in ("1:1:", "5:3:", "1:9999999999:"):
        async with live.stream("pair", "all", last=f"{epoch}.{snapshot}") as stream:
            assert await stream.next() == ("reset", {})


async def test_a_large_update_sends_one_reset(live: LiveServer) -> None:
    await live.db.execute("insert into pair select 'n' || n, n, 0 from generate_series(1, 10000) n")
    before = await live.db.fetchval("select count(*) from tableapi_changes.change")
    async with live.opened("pair", "all") as stream:
        await live.db.execute("update pair set value = 1")
        assert await stream.next() == ("reset", {})
        await live.db.execute("update pair set value = 2 where b = 7")
        assert await stream.next() == ("row", {"a": "n7", "b": 7, "value": 2})
    assert await live.db.fetchval("select count(*) from tableapi_changes.change") == before + 2


async def test_a_statement_sends_each_of_its_rows_and_a_truncate_a_reset(live: LiveServer) -> None:
    async with live.opened("pair", "all") as stream:
        await live.db.execute("insert into pair select 'n', n, 0 from generate_series(1, 150) n")
        rows = [await stream.next() for _ in range(150)]
        assert sorted(data["b"] for name, data in rows if name == "row") == list(range(1, 151))
        await live.db.execute("truncate pair")
        assert await stream.next() == ("reset", {})


async def test_several_streams_receive_the_same_events(live: LiveServer) -> None:
    async with (
        live.opened("pair", "all") as first,
        live.opened("pair", "all") as second,
        live.opened("pair", "all", filter="b > 1") as third,
    ):
        await live.db.execute("insert into pair values ('x', 1, 1), ('x', 2, 1)")
        for stream in (first, second):
            assert sorted([(await stream.next())[1]["b"], (await stream.next())[1]["b"]]) == [1, 2]
        assert (await third.next())[1]["b"] == 2


async def test_a_heartbeat_advances_the_resume_position(live: LiveServer) -> None:
    async with live.opened("pair", "all") as stream:
        first = stream.id
        await live.db.execute("insert into task (taskid) values (99)")
        await until(lambda: stream.comments and stream.id != first)


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
