"""Live streams: slow clients, limits, DDL, lost databases, and the end of the server."""

from __future__ import annotations

import asyncio
import gc
import time
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from tableapi import Settings, TableAPI
from tableapi.changes import hub, outbox, triggers
from tests.helpers.changes import POLICY, RECORDED, SESSIONS, LiveServer, live_server
from tests.helpers.support import NewDatabase, until
from tests.system.statements.proxy import StatementProxy


@pytest.fixture
def url(new_database: NewDatabase) -> str:
    return new_database()


async def test_a_slow_client_is_dropped_and_others_continue(url: str) -> None:
    async with (
        live_server(url, changes_queue_bytes=20_000) as live,
        live.opened("pair", "all") as slow,
        live.opened("pair", "all") as other,
    ):
        slow.flowing.clear()
        for n in range(40):
            await live.db.execute("insert into pair values (repeat('x', 2000) || $1::integer, $1::integer, 1)", n)
            assert (await other.next())[1]["b"] == n
        await until(slow.task.done)
        assert not slow._events.qsize() or slow.body.count(b"event: row") < 40


async def test_a_disconnected_client_frees_its_slot(url: str) -> None:
    async with live_server(url, changes_streams=1) as live:
        async with live.opened("pair", "all") as stream:
            async with live.stream("pair", "all") as second:
                assert (second.status, second.reason) == (503, "too_many_streams")
            stream.leave()
            await until(stream.task.done)
        async with live.opened("pair", "all"):
            pass


@pytest.mark.timing
async def test_an_event_is_sent_within_100_milliseconds(url: str) -> None:
    """At the default pace. Other programs on the machine may delay some of them, but not most."""
    pace = Settings().changes_poll_seconds
    async with live_server(url, changes_poll_seconds=pace) as live, live.opened("pair", "all") as stream:
        took = []
        for n in range(21):
            await live.db.execute("insert into pair values ('x', $1, 1)", n)
            began = time.perf_counter()
            assert (await stream.next())[1]["b"] == n
            took.append(time.perf_counter() - began)
        assert sorted(took)[len(took) // 2] < 0.1


async def test_idle_streams_take_little_memory(url: str) -> None:
    """100 MB for 5,000, here with their clients in the same process."""
    async with live_server(url, changes_streams_per_caller=1000) as live, AsyncExitStack() as streams:
        for _ in range(50):
            await streams.enter_async_context(live.opened("task", "one"))
        gc.collect()
        before = resident()
        for _ in range(500):
            await streams.enter_async_context(live.opened("task", "one"))
        gc.collect()
        print(f"\n{(resident() - before) / 500:.1f} kB each")
        assert resident() - before < 500 * 20


def resident() -> int:
    """Return the memory of this process in kB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


async def test_a_limit_of_no_streams_rejects_every_stream(url: str) -> None:
    async with live_server(url, changes_streams=0) as live, live.stream("pair", "all") as stream:
        assert stream.status == 503


async def test_streams_end_with_the_application(url: str) -> None:
    async with live_server(url) as live, live.opened("pair", "all") as stream:
        await live.api.stop()
        assert await stream.ended()


async def test_streams_end_when_the_triggers_are_removed(url: str) -> None:
    async with live_server(url) as live:
        async with live.opened("pair", "all") as stream:
            await live.db.execute("drop trigger tableapi_changes_update on pair")
            assert await stream.ended()
        async with live.stream("pair", "all") as stream:
            assert stream.reason == "no_changes"
        await triggers.install(live.db, RECORDED, lambda line: None)
        async with live.opened("pair", "all") as stream:
            await triggers.remove(live.db, lambda line: None)
            assert await stream.ended()
        async with live.stream("pair", "all") as stream:
            assert stream.reason == "no_changes"


async def test_streams_follow_ddl(url: str) -> None:
    async with live_server(url) as live, live.opened("pair", "all") as stream:
        await live.db.execute("alter table pair add column more text default 'm'")
        await live.db.execute("notify tableapi_schema")

        async def row_has_the_column() -> bool:
            await live.db.execute(
                "insert into pair values ('x', 1, 1) on conflict (a, b) do update set value = pair.value + 1"
            )
            return bool((await stream.next())[1].get("more") == "m")

        await until(row_has_the_column)


async def test_a_caller_that_leaves_its_group_with_ddl_takes_no_other_stream_with_it(url: str) -> None:
    """The streams share their reads until one of the callers belongs to another account."""
    async with live_server(url) as live, AsyncExitStack() as opened:
        await live.db.execute("insert into session values ('moved', 'user', 1)")
        moved = [await opened.enter_async_context(live.opened("task", "moved")) for _ in range(8)]  # some come first
        stays = await opened.enter_async_context(live.opened("task", "one"))
        app = live.api._app
        assert app is not None
        schema = app.state.datasets["db"].schema
        await live.db.execute("alter table task add column more text")
        await live.db.execute("notify tableapi_schema")
        await until(lambda: app.state.datasets["db"].schema is not schema)
        await live.db.execute("update session set accountid = 2 where token = 'moved'")
        insert = "insert into task (taskid, accountid) values ($1, $2)"
        await live.db.executemany(insert, [(70, 1), (71, 2)])
        assert (await stays.next())[1]["taskid"] == 70
        assert all([await stream.ended() for stream in moved])
        await live.db.executemany(insert, [(72, 2), (73, 1)])
        assert (await stays.next())[1]["taskid"] == 73


async def test_a_lost_database_connection_causes_a_reset(url: str) -> None:
    async with live_server(url) as live, live.opened("pair", "all") as stream:
        await live.db.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
        await live.db.execute("insert into pair values ('x', 1, 1)")
        seen = {(await stream.next())[0]}
        # If no statement was running on the lost connection, nothing was missed, and the row is sent.
        assert seen <= {"reset", "row"}
        await until(lambda: _sent(stream.body))


async def test_a_read_of_the_outbox_that_hangs_causes_a_reset(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "READ_SECONDS", 0.3)
    proxy, hung = StatementProxy(urlsplit(url).port or 5432), list[str]()

    def spoil(text: str) -> None:
        if "tableapi_changes" in text and not hung:
            hung.append(text)
            proxy.arm(1, "hangs")

    await proxy.start()
    try:
        async with live_server(proxy.url(url)) as live, live.opened("pair", "all") as stream:
            proxy.ran = spoil
            await until(lambda: hung)
            await live.db.execute("insert into pair values ('x', 1, 1)")
            await until(lambda: _sent(stream.body))
    finally:
        await proxy.stop()


def _sent(body: bytes) -> bool:
    return body.count(b"event: reset") > 1 or b"event: row" in body


async def test_old_changes_are_removed_and_resuming_before_them_causes_a_reset(url: str) -> None:
    async with live_server(url) as live:
        async with live.opened("pair", "all") as stream:
            last = stream.id
        await live.db.execute("insert into pair values ('x', 1, 1)")
        await outbox.clean(live.db, 1000)  # a mark after the change
        assert await live.db.fetchval("select count(*) from tableapi_changes.change") == 1
        async with live.stream("pair", "all", last=last) as stream:
            assert (await stream.next())[0] == "row"
        await live.db.execute("update tableapi_changes.mark set at = at - interval '1 hour'")
        await outbox.clean(live.db, 1000)
        assert await live.db.fetchval("select count(*) from tableapi_changes.change") == 0
        async with live.stream("pair", "all", last=last) as stream:
            assert await stream.next() == ("reset", {})


async def test_an_open_transaction_keeps_its_changes(url: str) -> None:
    async with live_server(url) as live:
        other = await asyncpg.connect(url)
        transaction = other.transaction()
        await transaction.start()
        await other.execute("insert into pair values ('long', 1, 1)")
        async with live.opened("pair", "all") as stream:
            for _ in range(2):
                await outbox.clean(live.db, 1000)
                await live.db.execute("update tableapi_changes.mark set at = at - interval '1 hour'")
            await transaction.commit()
            assert (await stream.next())[1]["a"] == "long"
        await other.close()


async def test_two_servers_of_one_database_send_the_same_events(url: str) -> None:
    async with live_server(url) as live, live.opened("pair", "all") as first:
        api = TableAPI({"db": url}, policy=POLICY, sessions=SESSIONS, settings=Settings(rate_limits=False))
        await api.start()
        async with LiveServer(api, url, live.db).opened("pair", "all") as second:
            await live.db.execute("insert into pair values ('x', 1, 1)")
            for stream in (first, second):
                assert await stream.next() == ("row", {"a": "x", "b": 1, "value": 1})
        await api.stop()


async def test_installing_twice_takes_no_lock(url: str) -> None:
    async with live_server(url) as live:
        other = await asyncpg.connect(url)
        async with other.transaction():
            await other.execute("insert into pair values ('x', 1, 1)")
            lines: list[str] = []
            async with asyncio.timeout(10):
                await triggers.install(live.db, RECORDED, lines.append)
            assert lines == []
        await other.close()


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"nothing": ()}, "'nothing' does not exist"),
        ({"keyless": ()}, "'keyless' is not a table with a primary key"),
        ({"pair": ("zz",)}, "'pair' has no column 'zz'"),
    ],
)
async def test_invalid_tables_cannot_be_recorded(url: str, tables: dict[str, tuple[str, ...]], message: str) -> None:
    async with live_server(url) as live:
        with pytest.raises(triggers.CannotRecord, match=message):
            await triggers.install(live.db, tables, lambda line: None)


async def test_the_outbox_is_not_exposed_as_a_table(url: str) -> None:
    async with live_server(url):
        api = TableAPI({"db": url}, open=True)
        app = await api.start()
        names = set(app.state.datasets["db"].schema.tables)
        assert not [name for name in names if "tableapi_changes" in name]
        assert not [r for r in app.state.datasets["db"].schema.routines if r.schema == "tableapi_changes"]
        await api.stop()


async def test_a_writer_without_rights_to_the_record_can_write(url: str) -> None:
    async with live_server(url) as live, live.opened("pair", "all") as stream:
        await live.db.execute("create role plain_writer; grant insert on pair to plain_writer")
        await live.db.execute("set role plain_writer; insert into pair values ('x', 1, 1); reset role")
        assert (await stream.next())[1]["a"] == "x"
        await live.db.execute("drop owned by plain_writer; drop role plain_writer")


_PERSISTENCE = "select relpersistence::text from pg_class where oid = 'tableapi_changes.change_seq_seq'::regclass"


async def test_a_promoted_standby_can_number_changes(url: str) -> None:
    """A sequence that is not logged is only zeros on a standby that is promoted before its first checkpoint."""
    async with live_server(url) as live:
        assert await live.db.fetchval(_PERSISTENCE) == "p"
        # As created by earlier versions.
        await live.db.execute("alter sequence tableapi_changes.change_seq_seq set unlogged")
        await live.db.execute("comment on schema tableapi_changes is 'version 3'")
        await triggers.install(live.db, RECORDED, lambda line: None)
        assert await live.db.fetchval(_PERSISTENCE) == "p"
        async with live.opened("pair", "all") as stream:
            await live.db.execute("insert into pair values ('x', 1, 1)")
            assert (await stream.next())[1]["a"] == "x"
