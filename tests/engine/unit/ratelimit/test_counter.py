"""Limits of requests: counters shared by processes, and hits."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fakeredis import FakeServer
from fakeredis.aioredis import FakeRedis

from tableapi.errors import TooMany
from tableapi.ratelimit import counter
from tableapi.ratelimit.counter import (
    Counter,
    Hit,
    LocalCounter,
    NoLimits,
    count_use,
    limit_headers,
    network,
    outcome,
    tighter,
)
from tableapi.ratelimit.redis import RedisCounter
from tableapi.ratelimit.shared_memory import SharedMemoryCounter

Make = Callable[[], Counter]


@pytest.fixture(params=["own", "mapped", "shared"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """Creates a counter of each kind."""
    makers: dict[str, Make] = {
        "own": LocalCounter,
        "mapped": lambda: SharedMemoryCounter(tmp_path / "run" / "limits"),
        "shared": lambda: RedisCounter("redis://unused", FakeRedis()),
    }
    return makers[request.param]


async def test_the_first_use_above_the_limit_is_rejected(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    counter = make()

    hits = [counter.hit("sign-in", "1.2.3.4", 3, 60) for _ in range(5)]

    assert [hit.ok for hit in hits] == [True, True, True, False, False]
    assert [hit.remaining for hit in hits] == [2, 1, 0, 0, 0]
    assert {(hit.limit, hit.reset_epoch) for hit in hits} == {(3, 1060.0)}
    await counter.close()


async def test_names_and_keys_are_counted_apart(make: Make) -> None:
    counter = make()

    hits = [counter.hit(name, key, 1, 60) for name in ("a", "b") for key in ("x", "y")]

    assert all(hit.ok for hit in hits)
    await counter.close()


async def test_a_returned_use_does_not_count(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "time", lambda: now)
    counter = make()

    for _ in range(5):
        good = counter.hit("a", "x", 1, 60)
        assert good.ok
        counter.give_back("a", "x", good)
    counter.give_back("a", "x", good)  # never below zero
    assert [counter.hit("a", "x", 1, 60).ok for _ in range(2)] == [True, False]
    now = 1061.0
    first = counter.hit("a", "x", 1, 60)
    counter.give_back("a", "x", good)  # from a window that has ended
    assert first.ok
    assert not counter.hit("a", "x", 1, 60).ok
    await counter.close()


async def test_the_limit_resets_after_the_window(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "time", lambda: now)
    counter = make()
    counter.hit("a", "x", 1, 60)

    now = 1059.9
    assert not counter.hit("a", "x", 1, 60).ok
    now = 1060.1
    again = counter.hit("a", "x", 1, 60)

    assert again.ok
    assert again.reset_epoch == pytest.approx(1120.1)
    await counter.close()


def _hits(path: Path, count: int) -> None:
    counter = SharedMemoryCounter(path)
    for _ in range(count):
        counter.hit("a", "x", 10, 600)


def test_processes_count_together_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "limits"
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_hits, args=(path, 1000)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    counter = SharedMemoryCounter(path)

    assert counter.hit("a", "x", 4_001, 600)[:2] == (4_001, 0)
    assert not counter.hit("a", "x", 4_001, 600).ok


def test_a_full_bucket_replaces_the_window_ending_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tableapi.ratelimit.shared_memory._place", lambda name, key: (0, int(key)))
    counter = SharedMemoryCounter(tmp_path / "limits")
    for key, seconds in (("1", 500), ("2", 100), ("3", 500), ("4", 500)):
        counter.hit("a", key, 1, seconds)

    assert counter.hit("a", "5", 1, 500).ok
    assert [counter.hit("a", key, 1, 500).ok for key in ("1", "3", "4", "5")] == [False] * 4
    assert counter.hit("a", "2", 1, 500).ok  # forgotten


async def test_nodes_count_together_through_redis() -> None:
    server = FakeServer()
    nodes = [RedisCounter("redis://unused", FakeRedis(server=server)) for _ in range(2)]

    for _ in range(3):
        for node in nodes:
            node.hit("a", "x", 100, 60)
            await node._sending  # type: ignore[misc]

    assert nodes[0].hit("a", "x", 100, 60).remaining in (93, 94)  # six exchanged, plus those counted in between
    assert not nodes[1].hit("a", "x", 5, 60).ok
    for node in nodes:
        await node.close()


async def test_without_redis_each_worker_counts_separately(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tableapi.ratelimit.redis.RETRY_SECONDS", 0.01)
    server = FakeServer()
    server.connected = False
    node = RedisCounter("redis://unused", FakeRedis(server=server))

    hits = [node.hit("a", "x", 2, 60) for _ in range(3)]
    await asyncio.sleep(0)

    assert [hit.ok for hit in hits] == [True, True, False]
    server.connected = True
    async with asyncio.timeout(5):
        await node._sending  # type: ignore[misc]
    assert node.hit("a", "x", 5, 60).remaining == 1  # nothing was lost
    await node.close()


def test_off_allows_everything() -> None:
    assert all(NoLimits().hit("a", "x", 1, 60).ok for _ in range(5))


@pytest.mark.parametrize(
    ("count", "amount", "expected"),
    [(1, 3, Hit(3, 2, 9.0, True)), (3, 3, Hit(3, 0, 9.0, True)), (4, 3, Hit(3, 0, 9.0, False))],
)
def test_a_use_above_the_amount_is_not_allowed(count: int, amount: int, expected: Hit) -> None:
    assert outcome(count, amount, 9.0) == expected


FEW, MANY = Hit(3, 1, 9.0, True), Hit(9, 8, 9.0, True)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [(None, None, None), (FEW, None, FEW), (None, FEW, FEW), (FEW, MANY, FEW), (MANY, FEW, FEW)],
)
def test_the_tighter_of_two_limits_is_chosen(left: Hit | None, right: Hit | None, expected: Hit | None) -> None:
    assert tighter(left, right) is expected


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("unix:/run/socket", "unix:/run/socket"),
        ("", ""),
    ],
)
def test_ipv6_addresses_share_the_key_of_their_network(address: str, key: str) -> None:
    assert network(address) == key


def test_limit_headers_state_limit_remaining_uses_and_reset() -> None:
    assert limit_headers(Hit(3, 2, 99.9, True)) == {
        "X-RateLimit-Limit": "3",
        "X-RateLimit-Remaining": "2",
        "X-RateLimit-Reset": "99",
    }


def test_a_use_above_the_limit_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter, "_counter", counter.LocalCounter())
    assert count_use("a", "x", 1, 60).remaining == 0

    with pytest.raises(TooMany) as refused:
        count_use("a", "x", 1, 60)

    assert refused.value.headers["X-RateLimit-Remaining"] == "0"
    assert int(refused.value.headers["Retry-After"]) in range(1, 61)
