"""Requests on one pipelined connection: their order, their statements, and how they end."""

from __future__ import annotations

import asyncio

import asyncpg

from tableapi.db.pipeline.codecs import Unencodable
from tableapi.db.pipeline.connection import DEPTH, MAX_PREPARED_STATEMENTS
from tests.helpers.wire import INT4, JSON, POINT, SQL, TEXT, Case, described, error_reply, message, named, reply


async def test_a_cancelled_request_keeps_its_place() -> None:
    case = Case()
    futures = [case.ask(number) for number in (1, 2, 3)]
    futures[1].cancel()
    case.reply(reply(*named(1)) + reply(*named(2)) + reply(*named(3)))
    assert (futures[0].result(), futures[2].result()) == (
        {"id": 1, "name": "name 1"}, {"id": 3, "name": "name 3"},
    )  # fmt: skip


async def test_a_request_cancelled_before_its_statement_was_prepared_is_not_sent() -> None:
    case = Case(prepared=False)
    futures = [case.ask(1), case.ask(2)]
    futures[0].cancel()
    case.wire.written = b""
    case.reply(described([INT4, TEXT], [("id", INT4), ("name", TEXT)]))
    assert case.wire.written.count(b"name ") == 1
    case.reply(reply(*named(2)))
    assert futures[1].result() == {"id": 2, "name": "name 2"}
    assert case.connection.load == 0


async def test_an_invalidated_statement_is_reprepared_once() -> None:
    case = Case()
    futures = [case.ask(1), case.ask(2)]
    stale = error_reply("0A000", b"RRevalidateCachedQuery\0")
    case.wire.written = b""
    case.reply(stale + stale)
    assert case.wire.written.count(SQL.encode()) == 1
    assert b"C\0\0\0\x10Stableapi_1\0" in case.wire.written
    case.reply(described([INT4, TEXT], [("id", INT4), ("name", TEXT)]) + reply(*named(1)))
    assert futures[0].result() == {"id": 1, "name": "name 1"}
    case.reply(stale)
    assert isinstance(futures[1].exception(), asyncpg.InvalidCachedStatementError)


async def test_a_deallocated_statement_is_reprepared() -> None:
    case = Case()
    future = case.ask(1)
    case.reply(error_reply("26000"))
    case.reply(described([INT4, TEXT], [("id", INT4), ("name", TEXT)]) + reply(*named(1)))
    assert future.result() == {"id": 1, "name": "name 1"}


async def test_the_least_recently_used_statements_are_closed() -> None:
    case = Case()
    for number in range(MAX_PREPARED_STATEMENTS - 1):
        future = case.ask(0, f"select {number} as n", 1)
        case.reply(described([INT4], [("n", INT4)]) + reply(b"\0\0\0\1"))
        assert future.done()
    case.ask(7)
    case.reply(reply(*named(7)))  # the statement is reused
    case.wire.written = b""
    case.ask(0, "select -1 as n", 1)
    assert case.wire.written.startswith(b"C\0\0\0\x10Stableapi_2\0P")


async def test_types_and_values_for_asyncpg_are_rejected_before_sending() -> None:
    case = Case()
    for args in (("1", "x"), (True, "x"), (2**40, "x"), (1, b"x"), (1, "\ud800"), (1,)):
        case.wire.written = b""
        assert isinstance(case.ask(0, SQL, *args).exception(), Unencodable)
        assert case.wire.written == b""
    for parameters, columns in (([POINT], [("n", INT4)]), ([], [("n", POINT)]), ([], [("n", INT4), ("n", INT4)])):
        future = case.ask(0, f"select {parameters} {columns}", *parameters)
        case.reply(described(parameters, columns))
        assert isinstance(future.exception(), Unencodable)
    assert case.connection.load == 0


async def test_requests_in_flight_are_limited() -> None:
    case = Case()
    for number in range(DEPTH):
        assert case.connection.accepts(1)
        assert case.connection.accepts(DEPTH) == (number == 0)
        case.ask(number)
    assert not case.connection.accepts(1)
    case.reply(reply(*named(0)))
    assert case.freed
    assert case.connection.accepts(1)


async def test_an_idle_connection_is_returned_and_a_busy_one_closed() -> None:
    case = Case()
    case.connection.stop()
    assert case.wire.protocol is case.idle
    case = Case()
    future = case.ask(1)
    case.connection.stop()
    assert case.wire.aborted
    await asyncio.gather(future, return_exceptions=True)
    assert isinstance(future.exception(), asyncpg.ConnectionDoesNotExistError)


async def test_the_close_reason_of_the_server_is_kept() -> None:
    case = Case()
    future = case.ask(1)
    case.reply(message("E", b"SFATAL\0C57P01\0Mterminating\0\0"))
    case.connection.connection_lost(None)
    assert isinstance(future.exception(), asyncpg.ConnectionDoesNotExistError)
    assert isinstance(getattr(future.exception(), "__cause__", None), asyncpg.AdminShutdownError)


async def test_json_is_passed_through() -> None:
    case = Case()
    future = case.ask(0, "select json", 1)
    body = b'{"a": 1.50}'
    case.reply(described([INT4], [("body", JSON), ("none", JSON)]) + reply(body, None))
    row = future.result()
    assert row == {"body": body, "none": None}
    assert row is not None
    assert list(map(row.__missing__, (0, 1))) == [body, None]
