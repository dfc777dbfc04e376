"""Tables distributed by Citus: the statements for them give the answers that others give for the same rows.

A table is known by the trigger that Citus gives to each of its own, so PostgreSQL alone can show what these statements
answer; `make cluster PART=citus` shows that Citus executes them.
"""

from __future__ import annotations

import asyncio

import httpx2

from tests.helpers.citus_shop import DISTRIBUTED_KEYS, GROUPS, KEYS, PLAIN_KEYS, ROWS, SHOP, answers
from tests.helpers.served import Served


def _shop(schema: str, keys: dict[str, str]) -> str:
    return (
        ";".join((SHOP.format_map(keys), *KEYS, ROWS))
        .replace("shop.", f"{schema}.")
        .replace("schema shop;", f"schema {schema};")
    )


MARKED = "create trigger mark after truncate on {} for each statement execute function citus_truncate_trigger();"
SQL = f"""
    {_shop("one", PLAIN_KEYS)}
    {_shop("two", DISTRIBUTED_KEYS)}
    create function citus_truncate_trigger() returns trigger language plpgsql as $$ begin return null; end $$;
    {"".join(MARKED.format(table.replace("shop.", "two.")) for table in GROUPS)}
"""
SERVED = Served(SQL)


async def _both(base: str) -> list[list[tuple[str, int, object]]]:
    async with httpx2.AsyncClient(base_url=f"{base}/", timeout=60) as http:
        return [await answers(http, schema) for schema in ("one", "two")]


def test_distributed_tables_answer_as_others(base: str) -> None:
    one, two = asyncio.run(_both(base))
    assert [(name, status) for name, status, _ in two] == [(name, status) for name, status, _ in one]
    assert {status for _, status, _ in one} == {200, 400, 404}
    wrong = {
        name: (str(body), str(other))
        for (name, _, body), (_, _, other) in zip(one, two, strict=True)
        if str(body) != str(other).replace("two.", "one.").replace("two_", "one_")
    }
    assert wrong == {}
