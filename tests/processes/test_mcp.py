"""`tableapi mcp` over stdio, and servers without the SDK."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.helpers.agents import INITIALIZE, Agent
from tests.helpers.support import DATA, ROOT, NewDatabase, Serve, clean_environment, rejection, tableapi

ACCESS = {
    "keys": {"clerk": {"role": "clerk"}},
    "roles": {"clerk": {"access": [{"component": "_table/film/*", "verb_mask": 1}]}},
}


@pytest.fixture
def database(new_database: NewDatabase) -> str:
    return new_database((DATA / "rental.sql").read_text())


def command(cwd: Path, *words: str) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=["-m", "tableapi", "mcp", *words], env=clean_environment(), cwd=cwd
    )


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_tables_are_offered_over_stdio(database: str, tmp_path: Path, mode: str) -> None:
    async with Client(command(tmp_path, "--dataset", f"rental={database}", "--open"), mode=mode) as client:
        agent = Agent(client)
        assert set(await agent.tools()) == {"list_tables", "describe_tables", "query", "aggregate", "get_record"}
        page = await agent.result("query", table="language")
        assert page["rows"] == [{"language_id": 1, "name": "English"}, {"language_id": 2, "name": "Italian"}]


async def test_agents_write_under_open_when_the_setting_allows_it(database: str, tmp_path: Path) -> None:
    started = command(tmp_path, "--dataset", f"rental={database}", "--open")
    started.env = {**clean_environment(), "MCP_READ_ONLY": "off"}
    async with Client(started) as client:
        agent = Agent(client)
        assert {"create_records", "update_records", "delete_records"} <= set(await agent.tools())
        change = {"language_id": 2, "name": "Latin"}
        kept = await agent.result("update_records", table="language", records=[change], dry_run=True)
        assert kept["rows"] == [change]


async def test_the_rights_of_the_key_apply(database: str, tmp_path: Path) -> None:
    (access := tmp_path / "access.json").write_text(json.dumps(ACCESS))
    words = ("--dataset", f"rental={database}", "--access", str(access), "--api-key", "clerk")
    async with Client(command(tmp_path, *words)) as client:
        agent = Agent(client)
        assert set(await agent.tools()) == {"list_tables", "describe_tables", "query", "aggregate", "get_record"}
        assert [table["name"] for table in (await agent.result("list_tables"))["tables"]] == ["film"]
        assert "reason: forbidden" in await agent.error("query", table="staff")


def test_a_command_without_rights_fails_with_one_line(database: str, tmp_path: Path) -> None:
    (access := tmp_path / "access.json").write_text(json.dumps(ACCESS))
    dataset = ("--dataset", f"rental={database}")
    for words, text in (
        (("mcp", *dataset), "--open"),
        (("mcp", *dataset, "--access", str(access)), "--api-key KEY"),
        (("mcp", *dataset, "--access", str(access), "--api-key", "guess"), "API key in X-API-Key is not valid"),
        (("mcp",), "is not a project"),
    ):
        ended = tableapi(*words, cwd=tmp_path)
        assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), ended.stderr
        assert text in ended.stderr
        assert ended.stdout == ""


def test_a_server_without_the_sdk_reports_the_missing_extra(database: str, serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "mcp.py").write_text("raise ModuleNotFoundError('mcp')")  # found before the installed package
    server = serve("--dataset", f"rental={database}", "--open", PYTHONPATH=f"{tmp_path}:{ROOT}")
    response = httpx2.post(f"{server.url}/mcp", json=INITIALIZE, timeout=30)
    assert rejection(response) == (404, "no_mcp")
    assert "-py3-none-any.whl[mcp]" in response.json()["error"]["message"]
    assert httpx2.get(f"{server.url}/api/v2/rental/_table/language").status_code == 200


def test_the_sdk_is_loaded_by_the_first_message() -> None:
    code = (
        "import sys, tableapi.server.worker, tableapi.app.api; print([n for n in sys.modules if n.startswith('mcp')])"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
