"""The compiled plans of one dataset, limited in number and in bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tableapi.query.filter.cache import digest
from tableapi.query.options import in_key
from tableapi.schema.model import Table

_FUNCTION_BYTES = 250  # per function that reads or converts a value, including the objects it refers to
_PLAN_BYTES = 3000  # per plan, without its SQL and its parameters
MAX_NAMES = 1000  # remembered combinations of options
MAX_PLAIN_CHARS = 300  # of options; longer ones are stored as a digest


class PlanCache(dict[Any, Any]):
    """Compiled plans by the key of a request: table, role and options without bound values.

    When a limit is reached, the older half of the plans is dropped.
    """

    def __init__(self, max_plans: int, max_bytes: int) -> None:
        super().__init__()
        self._max_plans, self._max_bytes = max_plans, max_bytes
        # by table and option names: the options that are part of the key
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.bytes = 0

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
            BadRequest: a misspelt option of a relation.
        """
        names = self._names.get((table.name, *query))
        if names is None:
            names = self._keep_names(query, table)
        values = tuple(map(query.__getitem__, names))
        return (names, values) if sum(map(len, values)) <= MAX_PLAIN_CHARS else digest((names, values))

    def _keep_names(self, query: Mapping[str, str], table: Table) -> tuple[str, ...]:
        """Determine and remember which options of a query are part of the key."""
        names = tuple(name for name in query if in_key(name, table.relation))
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
        self._names.clear()
        self.bytes = 0


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
