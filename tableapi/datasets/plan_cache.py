"""The compiled plans of one dataset, limited in number and in bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from tableapi import threads
from tableapi.observability import metrics
from tableapi.query.filter import cache
from tableapi.query.filter.cache import digest
from tableapi.query.limits import DEFAULT_FILTER_LIMITS, FilterLimits
from tableapi.query.options import Options, in_key, is_condition
from tableapi.query.plan import params_key
from tableapi.schema.model import Table

T = TypeVar("T")
Names = tuple[tuple[str, ...], tuple[bool, ...]]
SMALL = 40  # plans with at most this many parts are built on the event loop, within a few milliseconds
_building = WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]()
_FUNCTION_BYTES = 250  # per function that reads or converts a value, including the objects it refers to
_PLAN_BYTES = 3000  # per plan, without its SQL and its parameters
MAX_NAMES = 1000  # remembered combinations of options
MAX_PLAIN_CHARS = 300  # of options; longer ones are stored as a digest


class PlanCache(dict[Any, Any]):
    """Compiled plans by the key of a request: table, role and options without bound values.

    When a limit is reached, the older half of the plans is dropped.
    """

    def __init__(self, max_plans: int, max_bytes: int, limits: FilterLimits = DEFAULT_FILTER_LIMITS) -> None:
        super().__init__()
        self._limits = limits
        self._max_plans, self._max_bytes = max_plans, max_bytes
        # by table and option names: those that are part of the key, and whether they are conditions
        self._names: dict[tuple[str, ...], Names] = {}
        self.bytes = 0
        self._cleared = 0  # how many times

    async def plan(self, door: str, key: Any, table: Table, options: Options, build: Callable[..., T], *args: Any) -> T:
        """Return the plan under a key, or build and cache it.

        Building a large plan would delay other requests, so it happens in a thread, one at a time.

        door: of the request, for the metric of built plans. table, options: of the plan, for its size.
        """
        known: T | None = self.get(key)
        if known is not None:
            return known
        cleared = self._cleared
        if _parts(table, options) <= SMALL:
            built = build(*args)
        else:
            async with _building.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
                known = self.get(key)
                built = await threads.plan(build, *args) if known is None else known
        metrics.count("plans", door)
        if self._cleared == cleared:  # neither the schema nor the rights were replaced meanwhile
            self.keep(key, built)
        return built

    def keep(self, key: Any, plan: Any) -> None:
        """Cache a plan under its key, unless it is larger than half of the cache."""
        if (old := self.pop(key, None)) is not None:
            self.bytes -= weight(key) + weight(old)
        size = weight(key) + weight(plan)
        if size > self._max_bytes // 2:
            return
        if len(self) >= self._max_plans or self.bytes + size > self._max_bytes:
            for oldest in list(self)[: (len(self) + 1) // 2]:
                self.bytes -= weight(oldest) + weight(self.pop(oldest))
        self[key] = plan
        self.bytes += size

    def option_key(self, query: Mapping[str, str], table: Table) -> Any:
        """Return the options on which the plan of a query depends, as a fixed-size part of the key.

        Raises:
            BadFilter: a condition is invalid.
            BadRequest: a misspelt option of a relation.
        """
        known = self._names.get((table.name, *query))
        names, conditions = known if known is not None else self._keep_names(query, table)
        values: tuple[str | bytes, ...] = tuple(map(query.__getitem__, names))
        if any(conditions):
            texts = zip(values, conditions, strict=True)
            values = tuple([cache.mark(str(text), self._limits) if condition else text for text, condition in texts])
        return (names, values) if sum(map(len, values)) <= MAX_PLAIN_CHARS else digest((names, values))

    def _keep_names(self, query: Mapping[str, str], table: Table) -> Names:
        """Remember which options of a query are part of the key, and which of them are conditions."""
        named = tuple(name for name in query if in_key(name, table.relation))
        names = named, tuple(map(is_condition, named))
        if sum(map(len, query)) <= MAX_PLAIN_CHARS:
            if len(self._names) >= MAX_NAMES:
                self._names.clear()
            self._names[table.name, *query] = names
        return names

    @property
    def remembered(self) -> int:
        """The number of remembered combinations of options."""
        return len(self._names)

    def clear(self) -> None:
        super().clear()
        self._cleared += 1
        self._names.clear()
        self.bytes = 0


def options_key(options: Options, limits: FilterLimits) -> tuple[Any, ...]:
    """Return the options on which the plan of a read of written records depends. Raises BadFilter."""
    of_relations = [
        cache.mark(text, limits).hex() if is_condition(name) else text for name, text in options.relations.items()
    ]
    texts = (options.fields or "", options.id_field, options.related, *options.relations, *of_relations)
    short = sum(map(len, texts)) <= MAX_PLAIN_CHARS
    return options.fields is None, options.exact_texts, texts if short else digest(texts), params_key(options.params)


def _parts(table: Table, parsed: Options) -> int:
    """Estimate the number of columns, relations and conditions in the statement of a read."""
    every = "*" in parsed.related or any("*" in text for name, text in parsed.relations.items() if "related" in name)
    named = (parsed.fields or "").count(",")
    columns = len(table.columns) if parsed.fields is None or "*" in parsed.fields else named
    texts = (parsed.filter, parsed.having, parsed.group, parsed.order, parsed.related, *parsed.relations.values())
    return columns + sum(map(len, texts)) // 20 + (3 * len(table.relations) if every else 0)


def weight(value: Any) -> int:
    """Estimate the size of a key or plan in bytes."""
    match value:
        case str() | bytes():
            return len(value) + 50
        case tuple() | list():
            return 56 + sum(map(weight, value))
    if callable(value):
        return _FUNCTION_BYTES
    sql = getattr(value, "sql", None)
    if sql is None:
        return 50
    options = getattr(value, "options", None)
    texts = sum(len(part) for part in (options.relations.values() if options is not None else ()))
    parts = [part for part in (getattr(value, "counter", None), getattr(value, "measure", None)) if part is not None]
    return _PLAN_BYTES + len(sql) + weight(value.parameters) + 2 * texts + sum(map(weight, parts))
