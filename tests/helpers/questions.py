"""Sixty questions about a film rental, each with a call of a tool and the SQL that answers it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import asyncpg

from tests.helpers.agents import Agent
from tests.helpers.support import DATA


@dataclass(frozen=True)
class Question:
    """A question in words, the calls that an agent makes once it knows the tables, and the same as SQL."""

    question: str
    sql: str
    calls: Sequence[tuple[str, dict[str, Any]]]

    async def rows(self, agent: Agent) -> list[list[Any]]:
        """Make the calls and return the rows of the last one."""
        result: dict[str, Any] = {}
        for tool, arguments in self.calls:
            result = await agent.raw(tool, **arguments)
        return comparable(result["rows"])

    async def truth(self, db: asyncpg.Connection) -> list[list[Any]]:
        """Return the rows of the SQL."""
        return comparable(await db.fetch(self.sql))


QUESTIONS = [Question(**each) for each in json.loads((DATA / "agent_questions.json").read_text())]


def comparable(rows: Iterable[Iterable[Any]]) -> list[list[Any]]:
    """Return rows with numbers of one type, however they were written."""
    return [[_value(value) for value in row] for row in rows]


def _value(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    try:
        return Decimal(str(value)).normalize()
    except InvalidOperation:
        return str(value)
