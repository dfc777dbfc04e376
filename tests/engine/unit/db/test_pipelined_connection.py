"""One pipelined connection against a server that splits, joins and breaks its bytes at every place."""

from __future__ import annotations

import asyncio
import struct

import asyncpg
import pytest

from tableapi.db.pipeline.messages import Row
from tests.helpers.wire import INT4, TEXT, Case, described, error_reply, message, named, reply

REPLIES = reply(*named(1)) + error_reply("22012") + reply(*named(3))


def check(futures: list[asyncio.Future[Row | None]]) -> None:
    assert futures[0].result() == {"id": 1, "name": "name 1"}
    assert isinstance(futures[1].exception(), asyncpg.DivisionByZeroError)
    assert futures[2].result() == {"id": 3, "name": "name 3"}


async def test_replies_split_at_every_position_are_read() -> None:
    for place in range(1, len(REPLIES)):
        case = Case()
        futures = [case.ask(number) for number in (1, 2, 3)]
        case.reply(REPLIES[:place])
        case.reply(REPLIES[place:])
        check(futures)
        assert case.connection.load == 0


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, 64, len(REPLIES)])
async def test_replies_in_chunks_of_every_size_are_read(size: int) -> None:
    case = Case()
    futures = [case.ask(number) for number in (1, 2, 3)]
    for place in range(0, len(REPLIES), size):
        case.reply(REPLIES[place : place + size])
    check(futures)


async def test_a_preparation_split_at_every_position_is_read() -> None:
    replies = described([INT4, TEXT], [("id", INT4), ("name", TEXT)])
    for place in range(1, len(replies)):
        case = Case(prepared=False)
        future = case.ask(5)
        case.reply(replies[:place])
        case.reply(replies[place:] + reply(*named(5)))
        assert future.result() == {"id": 5, "name": "name 5"}


async def test_a_connection_broken_at_any_point_answers_once() -> None:
    first = len(reply(*named(1)))
    second = first + len(error_reply("22012"))
    for place in range(len(REPLIES)):
        case = Case()
        futures = [case.ask(number) for number in (1, 2, 3)]
        case.reply(REPLIES[:place])
        case.connection.connection_lost(None)
        for future, end in zip(futures, (first, second, len(REPLIES)), strict=True):
            lost = isinstance(future.exception(), asyncpg.ConnectionDoesNotExistError)
            assert lost == (place < end), place
        assert case.idle._lost == 1
        assert not case.connection.accepts(1)


async def test_corrupted_bytes_never_mix_up_replies() -> None:
    """A byte may be damaged inside a value; but the replies stay in their order, or the connection is closed."""
    replies = reply(*named(1)) + reply(*named(2))
    for place in range(len(replies)):
        for value in (0, 1, 0x44, 0x5A, 0xFF):
            if replies[place] == value:
                continue
            case = Case()
            futures = [case.ask(number) for number in (1, 2)]
            case.reply(replies[:place] + bytes([value]) + replies[place + 1 :])
            if not case.wire.aborted and not all(future.done() for future in futures):
                case.connection.connection_lost(None)
            await asyncio.sleep(0)
            for number, future in enumerate(futures, 1):
                row = None if future.exception() else future.result()
                assert row is None or row.get("name") != f"name {3 - number}", (place, value)


@pytest.mark.parametrize(
    "reply",
    [
        message("Z", b"T"),
        message("Z", b"E"),
        message("G", b"\0\0\0"),
        message("D", b"\0\5"),
        b"Z\0\0\0\0",
        reply(*named(1)) + message("Z", b"I") + message("Z", b"I"),
        reply(b"\0\0\0\1", b"\xff\xfe"),
        message("D", struct.pack(">Hi", 2, 1_000_000)),
    ],
    ids=["in transaction", "failed transaction", "copy", "other columns", "no length", "too many", "no text", "short"],
)
async def test_invalid_replies_close_the_connection(reply: bytes) -> None:
    case = Case()
    futures = [case.ask(1), case.ask(2)]
    case.reply(reply)
    await asyncio.gather(*futures, return_exceptions=True)
    assert case.wire.aborted
    assert isinstance(futures[1].exception(), asyncpg.ConnectionDoesNotExistError)
