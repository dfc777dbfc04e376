"""The plan cache: its limits, and the size of its entries."""

from __future__ import annotations

from tableapi.datasets.plan_cache import MAX_NAMES, MAX_PLAIN_CHARS, PlanCache, weight
from tableapi.query import plan
from tests.helpers.memory_schema import read_request, shop


def test_a_full_cache_drops_the_older_half() -> None:
    cache = PlanCache(4, 1_000_000)
    for number in range(5):
        cache.keep(number, "x")
    assert list(cache) == [2, 3, 4]
    assert cache.bytes == sum(weight(key) + weight(value) for key, value in cache.items())


def test_a_plan_cached_twice_counts_once() -> None:
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
    cache, table = PlanCache(4, 10_000), shop().tables["person"]
    long = "a" * (MAX_PLAIN_CHARS + 1)
    assert cache.option_key({"fields": "a", "colour": "red"}, table) == (("fields",), ("a",))
    assert len(cache.option_key({"fields": long}, table)) == 16
    assert cache.option_key({"fields": long}, table) != cache.option_key({"order": long}, table)


def test_the_options_of_a_key_depend_on_the_relations_of_the_table() -> None:
    cache, tables = PlanCache(4, 10_000), shop().tables
    query = {"person_by_company_id.limit": "1", "colour": "red"}
    for _ in range(2):
        assert cache.option_key(query, tables["company"]) == (("person_by_company_id.limit",), ("1",))
        assert cache.option_key(query, tables["tag"]) == ((), ())


def test_the_memory_for_the_names_of_options_is_limited() -> None:
    cache, table = PlanCache(4, 10_000), shop().tables["person"]
    cache.option_key({"x" * (MAX_PLAIN_CHARS + 1): "1"}, table)
    assert cache.remembered == 0
    for number in range(MAX_NAMES + 5):
        cache.option_key({f"option{number}": "1"}, table)
    assert cache.remembered == 5
    cache.clear()
    assert cache.remembered == 0
