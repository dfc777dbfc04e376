"""Parse the `having` option: a filter in which aggregates stand for fields."""

from __future__ import annotations

from tableapi.query.filter.parser import Parser
from tableapi.query.names import aggregate


class HavingParser(Parser):
    """The grammar of `having`: a filter in which aggregates such as `SUM(field)` stand for fields."""

    def path(self) -> tuple[str, ...]:
        match = aggregate(self.text, self.at)
        if match is None:
            return super().path()
        self.at = match[1]
        return (match[0].result,)
