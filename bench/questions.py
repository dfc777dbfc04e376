"""Measure what an agent reads in the answers to sixty questions.

It uses the tools for tables, and a peer's tool that runs SQL. The peer is DBHub, with its tools `search_objects` and
`execute_sql`. Every answer is compared with PostgreSQL's.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import asyncpg

from bench.contenders import NotThere, Stage, from_npm, launch
from bench.load import WrongAnswers
from bench.postgraphile import node
from bench.programs import new_database
from bench.reveal import drop
from tests.helpers.agents import Agent, agent
from tests.helpers.questions import QUESTIONS, Question, comparable
from tests.helpers.rental import SQL
from tests.helpers.support import ROOT, free_port

NAME, PEER = "bench_questions", "@bytebase/dbhub@1.4.0"


async def _of_tables(agent: Agent, question: Question) -> list[list[Any]]:
    return await question.rows(agent)


async def _of_sql(agent: Agent, question: Question) -> list[list[Any]]:
    found = await agent.raw("execute_sql", sql=question.sql)
    return comparable(row.values() for row in found["data"]["statements"][0]["rows"])


async def _asked(url: str, database: str, catalog: tuple[str, dict[str, Any]], ask: Any) -> dict[str, int]:
    """Return the calls and characters of all questions. Raises WrongAnswers."""
    db = await asyncpg.connect(database)
    try:
        async with agent(f"{url}/mcp") as asked:
            tools = (await asked.client.list_tools()).tools
            listed = len(json.dumps([tool.model_dump(by_alias=True, exclude_none=True) for tool in tools]))
            await asked.texts(catalog[0], **catalog[1])
            learned, asked.calls, asked.characters = asked.characters, 0, 0
            for question in QUESTIONS:
                rows, truth = await ask(asked, question), await question.truth(db)
                if rows != truth:
                    raise WrongAnswers(f"{question.question} {rows[:3]} instead of {truth[:3]}")
            return {
                "tool list": listed, "description of the tables": learned, "calls": asked.calls,
                "characters": asked.characters,
            }  # fmt: skip
    finally:
        await db.close()


def measure(stage: Stage, server: str) -> dict[str, Any]:
    """Return the calls and characters of both servers, and of ours alone if the peer cannot be installed."""
    database = asyncio.run(new_database(server, NAME, SQL))
    results: dict[str, Any] = {}
    try:
        port = free_port()
        words = [sys.executable, "-m", "tableapi", "serve", "--dataset", f"rental={database}", "--open"]
        launch(stage, NAME, words, port, ROOT, PORT=str(port), DATA_DIR=str(stage.folder / "questions"))
        url = f"http://127.0.0.1:{port}"
        results["tables"] = asyncio.run(_asked(url, database, ("list_tables", {}), _of_tables))
        try:
            folder, port = stage.folder / "peers" / "dbhub", free_port()
            from_npm(folder, (PEER,))
            words = [node(folder), str(folder / "node_modules" / "@bytebase" / "dbhub" / "dist" / "index.js")]
            words += ["--transport", "http", "--port", str(port), "--dsn", f"{database}?sslmode=disable"]
            launch(stage, "dbhub", words, port, folder)
            catalog = ("search_objects", {"object_type": "table", "detail_level": "full"})
            results["SQL"] = asyncio.run(_asked(f"http://127.0.0.1:{port}", database, catalog, _of_sql))
        except NotThere as error:
            print(f"left out: {error}")
        for name, result in results.items():
            print(f"questions: {name}: {len(QUESTIONS)} answered, {result}")
    finally:
        asyncio.run(drop(server, NAME))
    return results
