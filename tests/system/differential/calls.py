"""Random calls of overloaded functions, compared with the same call in SQL."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import asyncpg
import httpx2

from tests.system.differential.outcome import Outcome

MODEL = "library"
TYPES = ("smallint", "integer", "bigint", "numeric", "float8", "text", "varchar", "boolean", "date", "timestamptz")
DEFAULTS = {"text": "'t'", "varchar": "'v'", "boolean": "true", "date": "'2024-02-03'", "timestamptz": "null"}
NAMES, PARAMETERS = 60, "abc"
VALUES: tuple[Any, ...] = (
    1,
    -7,
    40_000,
    3_000_000_000,
    2.5,
    1e3,
    True,
    False,
    "x",
    "5",
    "2.5",
    "true",
    "2024-01-31",
    "",
)


@dataclass(frozen=True)
class Overload:
    """A function that returns its number and the values of its parameters."""

    name: str
    parameters: tuple[str, ...]
    sql: str


def overloads(draw: random.Random) -> list[Overload]:
    """Return functions, several of each name."""
    found: list[Overload] = []
    for number in range(NAMES):
        name = f"call_{number}"
        forms = set()
        for _ in range(draw.randint(1, 4)):
            parameters = draw.sample(PARAMETERS, draw.randint(1, 3))
            types = tuple(draw.choice(TYPES) for _ in parameters)
            if types in forms:
                continue
            forms.add(types)
            required = draw.randint(1, len(parameters))
            listed = ", ".join(
                f"{parameter} {type_}" + ("" if place < required else f" default {DEFAULTS.get(type_, '0')}")
                for place, (parameter, type_) in enumerate(zip(parameters, types, strict=True))
            )
            shown = ", ".join(f"{parameter}::text" for parameter in parameters)
            body = f"select concat_ws(''|'', ''{len(found)}'', {shown})"
            sql = f"create function {name}({listed}) returns text language sql stable as '{body}';"
            found.append(Overload(name, tuple(parameters), sql))
    return found


def literal(value: Any) -> str:
    """Return a value as SQL; a text has no type yet."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else json.dumps(value)


async def run(base: str, url: str, functions: list[Overload], calls: int, seed: int, outcome: Outcome) -> None:
    """Compare random calls, each by position and by names."""
    draw = random.Random(f"{seed} calls")
    db = await asyncpg.connect(url, server_settings={"timezone": "UTC"})
    async with httpx2.AsyncClient(base_url=f"{base}/api/v2/{MODEL}/_func/", timeout=60) as http:
        for _ in range(calls):
            function = draw.choice(functions)
            names = draw.sample(PARAMETERS, draw.randint(1, 3)) if draw.random() < 0.3 else list(function.parameters)
            values = [draw.choice(VALUES) for _ in names]
            named = dict(zip(names, values, strict=True))
            by_name = ", ".join(f"{name} => {literal(value)}" for name, value in named.items())
            expected = await _value(db, f"select {function.name}({by_name})")
            post = await http.post(function.name, json={"params": named})
            get = await http.get(function.name, params={"params": json.dumps(named)})
            for response in (post, get):
                _compare(outcome, f"{function.name}({by_name})", expected, response, function.name)
            listed = ",".join(map(literal, values))
            expected = await _value(db, f"select {function.name}({listed})")
            path = await http.get(quote(f"{function.name}({listed})", safe="(),"))
            array = await http.post(function.name, json={"params": values})
            for response in (path, array):
                _compare(outcome, f"{function.name}({listed})", expected, response, function.name)
    await db.close()


async def _value(db: asyncpg.Connection, sql: str) -> str | None:
    """Return the value of a call, or None if PostgreSQL rejects it."""
    try:
        return str(await db.fetchval(sql))
    except (asyncpg.SyntaxOrAccessError, asyncpg.DataError):
        return None


def _compare(outcome: Outcome, call: str, expected: str | None, response: httpx2.Response, name: str) -> None:
    """Compare a response. Calls that PostgreSQL rejects may be accepted, because values are converted more freely."""
    outcome.count += 1
    outcome.statuses[response.status_code] += 1
    found = response.json()[0][name] if response.status_code == 200 else None
    if (expected is not None and found != expected) or response.status_code not in (200, 400):
        outcome.wrong.append(f"{response.request.method} {call}\n  expected {expected}\n  found {response.text:.400}")
