"""Random filters through relations in PATCH, PUT and DELETE, compared with the rows of the same condition in SQL."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from typing import Any

import asyncpg
import httpx2

from tests.system.differential.generate import Generator, Selection
from tests.system.differential.models import MODELS, Source
from tests.system.differential.outcome import Outcome

MERGED = """case jsonb_typeof({0}) when 'object' then {0} else '{{}}' end || '{{"tier": "new", "x": [1]}}'"""
# Changes of a value by its kind, with the value that they make of a column.
CHANGES: dict[str, list[tuple[dict[str, Any], str]]] = {
    "integer": [({"$add": 3}, "coalesce({}, 0) + 3"), ({"$add": "1"}, "coalesce({}, 0) + 1")],
    "numeric": [({"$add": 2}, "coalesce({}, 0) + 2"), ({"$add": "0.5"}, "coalesce({}, 0) + 0.5")],
    "texts": [
        ({"$append": "a"}, "coalesce({}, '{{}}') || array['a']"),
        ({"$append": ["b", "x"]}, "coalesce({}, '{{}}') || array['b', 'x']"),
        ({"$remove": "a"}, "array_remove(coalesce({}, '{{}}'), 'a')"),
    ],
    "integers": [
        ({"$append": [1, 2]}, "coalesce({}, '{{}}') || array[1, 2]"),
        ({"$remove": [1, 3]}, "array_remove(array_remove(coalesce({}, '{{}}'), 1), 3)"),
    ],
    "json": [
        ({"$merge": {"tier": "new", "x": [1]}}, MERGED),
        ({"$remove": ["n", "tier"]}, "coalesce({}, '[]') - array['n', 'tier']"),
    ],
}
KEPT_EVERY = 8  # selections: each of these is also written for good, and its table is restored
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
TOOLS = {"update_records": True, "delete_records": False}  # and whether it sends a change
MESSAGE = {"Accept": "application/json, text/event-stream"}


class Writer:
    """Sends writes to one database without other writers, and compares the affected records."""

    def __init__(
        self, http: httpx2.AsyncClient, db: asyncpg.Connection, base: str, name: str, outcome: Outcome
    ) -> None:
        self.http, self.db, self.base, self.name, self.outcome = http, db, base, name, outcome

    async def compare(self, selection: Selection, *, keep: bool) -> None:
        """Compare the records selected by each verb. `keep`: also with a write that is committed."""
        source = MODELS[self.name].tables[selection.table]
        keys = [f"t.{column}" for column in source.identity]
        sql = f"select {', '.join(keys)} from {selection.table} t where {selection.sql}"
        expected = sorted(tuple(row) for row in await self.db.fetch(sql))
        self.outcome.rows += len(expected)
        self._check("GET", selection, expected, await self._asked("GET", selection, source))
        verbs = ["PATCH", "PUT", "DELETE"] if source.change else ["DELETE"]
        if selection.of_reads:
            for verb in verbs:
                found = await self._asked(verb, selection, source, dry_run="true", **selection.of_reads)
                self._check(f"{verb} with {selection.of_reads}", selection, "bad_option", found)
        if source.change:
            await self._computed(selection, source)
        for verb in verbs:
            found = await self._asked(verb, selection, source, dry_run="true")
            self._check(f"{verb} as a dry run", selection, expected, found)
        for tool, more in TOOLS.items() if not selection.options else ():
            if source.change or tool == "delete_records":
                arguments = {"change": source.change} if more else {}
                self._check(tool, selection, len(expected), await self._called(tool, selection, arguments))
        if keep:
            await self._kept(random.Random(selection.filter).choice(verbs), selection, source, expected)

    async def _computed(self, selection: Selection, source: Source) -> None:
        """Compare the values after a write that names a change."""
        draw = random.Random(selection.sql)
        columns = [name for name, kind in source.columns.items() if kind in CHANGES and not name.endswith("id")]
        if not columns:
            return
        column = draw.choice(columns)
        change, value = draw.choice(CHANGES[source.columns[column]])
        shown = ", ".join([*(f"t.{name}" for name in source.identity), value.format(f"t.{column}")])
        sql = f"select json_build_array({shown})::text from {selection.table} t where {selection.sql}"
        expected = sorted((json.loads(row[0]) for row in await self.db.fetch(sql)), key=str)
        fields = [*source.identity, column]
        response = await self.http.patch(
            f"{self.base}/api/v2/{self.name}/_table/{selection.table}",
            params={"filter": selection.filter, **selection.options, "fields": ",".join(fields), "dry_run": "true"},
            json={"resource": [{column: change}]},
        )
        self.outcome.statuses[response.status_code] += 1
        rows = response.json().get("resource", response.text)
        found = rows if isinstance(rows, str) else sorted(([row[name] for name in fields] for row in rows), key=str)
        self._check(f"PATCH {column}: {change}", selection, expected, found)

    def _check(self, what: str, selection: Selection, expected: Any, found: Any) -> None:
        self.outcome.count += 1
        if found != expected:
            self.outcome.wrong.append(
                f"{self.name}/{selection.table} {what} {selection.filter} {selection.options}\n  SQL: {selection.sql}\n"
                f"  expected {expected!s:.20000}\n  found {found!s:.30000}"
            )

    async def _asked(self, verb: str, selection: Selection, source: Source, **options: str) -> Any:
        """Return the sorted keys of the records in a response, or the reason of an error.

        Half of the requests with a body have the options in it, and half ignore unknown options.
        """
        draw = random.Random(f"{verb} {selection.filter}")
        url = f"{self.base}/api/v2/{self.name}/_table/{selection.table}"
        params = {"fields": ",".join(source.identity), **options}
        selecting = {"filter": selection.filter, **selection.options}
        body: dict[str, Any] | None = {"resource": [source.change]} if verb in ("PATCH", "PUT") else None
        if body and draw.random() < 0.5:
            body |= selecting
        else:
            params |= selecting
        headers = {"Prefer": "handling=lenient"} if draw.random() < 0.5 else {}
        response = await self.http.request(verb, url, params=params, json=body, headers=headers)
        self.outcome.statuses[response.status_code] += 1
        if response.status_code != 200:
            return response.json()["error"]["context"].get("reason", response.text)
        return sorted(tuple(row[column] for column in source.identity) for row in response.json()["resource"])

    async def _called(self, tool: str, selection: Selection, more: dict[str, Any]) -> int | str:
        """Return the number of records that a tool of MCP would write, or the text of an error."""
        arguments = {"database": self.name, "table": selection.table, "filter": selection.filter, "dry_run": True,
                     "max_affected": 1000, **more}  # fmt: skip
        message = {**CALL, "params": {"name": tool, "arguments": arguments}}
        response = await self.http.post(f"{self.base}/mcp", json=message, headers=MESSAGE)
        self.outcome.statuses[response.status_code] += 1
        line = next((line[6:] for line in response.text.splitlines() if line.startswith("data: ")), response.text)
        result = json.loads(line).get("result", {})
        if response.status_code != 200 or result.get("isError", True):
            return response.text
        return int(json.loads(result["content"][-1]["text"])["count"])

    async def _kept(self, verb: str, selection: Selection, source: Source, expected: list[Any]) -> None:
        """Compare the rows that a committed write changed, and restore them."""
        keys = ", ".join(source.identity)
        contents = f"select {keys}, t::text from {selection.table} t"
        before = {tuple(row)[:-1]: row[-1] for row in await self.db.fetch(contents)}
        await self.db.execute(f"create temp table kept as select * from {selection.table}")
        try:
            found = await self._asked(verb, selection, source)
            self._check(verb, selection, expected, found)
            after = {tuple(row)[:-1]: row[-1] for row in await self.db.fetch(contents)}
            changed = sorted(key for key in before if after.get(key) != before[key])
            # A row that already has the sent values is unchanged.
            written = changed if verb == "DELETE" else sorted({*changed} | {*expected} & after.keys())
            self._check(f"rows of {verb}", selection, expected, written)
        finally:
            columns = await self.db.fetchval(
                "select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute where attrelid ="
                " $1::text::regclass and attnum > 0 and not attisdropped and attgenerated = ''",
                selection.table,
            )
            await self.db.execute(
                f"delete from {selection.table}; insert into {selection.table} ({columns}) overriding system value"
                f" select {columns} from kept; drop table kept"
            )


async def run(base: str, urls: dict[str, str], selections: int, seed: int, outcome: Outcome) -> None:
    """Compare random writes of every model, with one writer in each database."""

    async def work(name: str, count: int) -> None:
        generator = Generator(MODELS[name], random.Random(f"{seed} {name}"), newest=True)
        db = await asyncpg.connect(urls[name], server_settings={"timezone": "UTC"})
        async with httpx2.AsyncClient(timeout=60) as http:
            writer = Writer(http, db, base, name, outcome)
            for number in range(count):
                await writer.compare(generator.selection(), keep=number % KEPT_EVERY == 0)
        await db.close()

    shares = [selections // len(MODELS)] * len(MODELS)
    await asyncio.gather(*itertools.starmap(work, zip(MODELS, shares, strict=True)))
