"""The cache of plans: its limits, and the size of what it holds."""

from __future__ import annotations

from tableapi.datasets.plan_cache import MAX_PLAIN_CHARS, PlanCache, option_key, weight
from tableapi.query import plan
from tests.helpers.memory_schema import read_request


def test_a_full_cache_drops_the_older_half() -> None:
    cache = PlanCache(4, 1_000_000)
    for number in range(5):
        cache.keep(number, "x")
    assert list(cache) == [2, 3, 4]
    assert cache.bytes == sum(weight(key) + weight(value) for key, value in cache.items())


def test_a_plan_that_is_kept_twice_counts_once() -> None:
    cache = PlanCache(4, 1_000_000)
    cache.keep("a", "x" * 100)
    cache.keep("a", "x")
    assert (list(cache), cache.bytes) == (["a"], weight("a") + weight("x"))


def test_the_bytes_are_limited() -> None:
    cache = PlanCache(1000, 10_000)
    for number in range(100):
        cache.keep(number, "x" * 900)
    assert 0 < cache.bytes <= 10_000
    cache.keep("large", "x" * 5000)
    assert "large" not in cache
    cache.clear()
    assert (len(cache), cache.bytes) == (0, 0)


def test_a_plan_weighs_its_sql_its_parameters_and_its_count() -> None:
    page = plan.list_plan(read_request("tag", {}))
    assert page.counter is not None
    assert weight(page) > weight(page.counter) + len(page.sql)


def test_long_options_are_a_digest_of_fixed_size() -> None:
    short, long = (("fields", "a"),), (("fields", "a" * (MAX_PLAIN_CHARS + 1)),)
    assert option_key(short) is short
    assert len(option_key(long)) == 16
    assert option_key(long) != option_key((("fields", "b" * (MAX_PLAIN_CHARS + 1)),))
