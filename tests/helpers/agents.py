"""An MCP client of the official SDK for tests, over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip
ACCEPTED = {"Accept": "application/json, text/event-stream"}
MODERN = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def posted(revision: str, method: str, **params: Any) -> dict[str, Any]:
    """Return a message in the form of a revision of the protocol as arguments of a POST; "" names no revision."""
    headers = ACCEPTED | ({"MCP-Protocol-Version": revision} if revision else {})
    if revision == MODERN:
        headers |= {"Mcp-Method": method} | ({"Mcp-Name": str(params["name"])} if "name" in params else {})
        params = params | {"_meta": _META}
    return {"headers": headers, "json": {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}}


def call(tool: str, /, **arguments: Any) -> dict[str, Any]:
    """Return the message that calls a tool."""
    message: dict[str, Any] = posted("", "tools/call", name=tool, arguments=arguments)["json"]
    return message


def as_objects(data: Any) -> Any:
    """Return the data of a result with an object for each row instead of columns and values."""
    if not isinstance(data, dict) or "columns" not in data or "rows" not in data:
        return data
    names = data["columns"]
    rows = [dict(zip(names, map(_related, row), strict=True)) for row in data["rows"]]
    return {name: value for name, value in data.items() if name != "columns"} | {"rows": rows}


def _related(value: Any) -> Any:
    """Return the rows of a relation as a list of objects."""
    if isinstance(value, dict) and value.keys() <= {"columns", "rows"} and "rows" in value:
        return as_objects(value)["rows"]
    return value


@dataclass
class Agent:
    """A client that counts its calls and the characters of the results."""

    client: Client
    calls: int = 0
    characters: int = 0
    heard: list[str] = field(default_factory=list)

    async def texts(self, tool: str, **arguments: Any) -> tuple[bool, list[str]]:
        """Call a tool; return whether it failed, and the texts of its result."""
        result = await self.client.call_tool(tool, arguments)
        texts = [getattr(content, "text", "") for content in result.content]
        self.calls += 1
        self.characters += sum(map(len, texts))
        self.heard += texts
        return result.is_error, texts

    async def result(self, tool: str, **arguments: Any) -> Any:
        """Call a tool and return its data, with rows as objects."""
        return as_objects(await self.raw(tool, **arguments))

    async def raw(self, tool: str, **arguments: Any) -> Any:
        """Call a tool and return its data as it was sent."""
        is_error, texts = await self.texts(tool, **arguments)
        assert not is_error, texts
        return json.loads(texts[-1])

    async def error(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must fail, and return the message."""
        is_error, texts = await self.texts(tool, **arguments)
        assert is_error, texts
        return texts[0]

    async def tools(self) -> dict[str, Any]:
        """Return the offered tools by name."""
        return {tool.name: tool for tool in (await self.client.list_tools()).tools}


@asynccontextmanager
async def agent(url: str, mode: str = "auto", transport: Any = None, **headers: str) -> AsyncIterator[Agent]:
    """Connect to the MCP endpoint at `url`. Keyword arguments are headers; `_` in their names stands for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items() if value}
    async with (
        httpx2.AsyncClient(headers=named, timeout=60, transport=transport) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield Agent(client)


@asynccontextmanager
async def in_one_task(context: AbstractAsyncContextManager[Agent]) -> AsyncIterator[Agent]:
    """Enter and leave in one task, as the task groups of a client demand; those of a fixture are two."""
    entered: asyncio.Future[Agent] = asyncio.get_running_loop().create_future()
    left = asyncio.Event()

    async def hold() -> None:
        async with context as value:
            entered.set_result(value)
            await left.wait()

    task = asyncio.create_task(hold())
    waiting: tuple[asyncio.Future[Any], ...] = (task, entered)
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    try:
        if task.done():
            await task
        yield entered.result()
    finally:
        left.set()
        await task
