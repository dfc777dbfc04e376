"""The engine inside a program without the packages that only the command needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tableapi.__main__ import SERVER
from tests.helpers.support import NewDatabase, clean_environment

TOKEN = "a token of 32 characters, or more"
WITHOUT = f"import sys\nsys.modules.update(dict.fromkeys({sorted(SERVER)!r}))\n"
COMMAND = f"{WITHOUT}from tableapi.__main__ import main\nsys.exit(main())"
PROGRAM = f"""{WITHOUT}
import asyncio, json, os
import httpx2
from tableapi import Settings, TableAPI

async def main():
    settings = Settings(metrics_token={TOKEN!r})
    api = TableAPI({{"shop": os.environ["SHOP"]}}, open=True, settings=settings)
    async with api.lifespan(None), httpx2.AsyncClient(
        transport=httpx2.ASGITransport(api), base_url="http://127.0.0.1:8000"
    ) as http:
        path = "/api/v2/shop/_table/customer"
        created = await http.post(path, json={{"resource": [{{"id": 2, "name": "Bo"}}]}})
        read = await http.get(path)
        metrics = await http.get("/metrics", headers={{"Authorization": "Bearer {TOKEN}"}})
    print(json.dumps([created.status_code, read.json(), metrics.status_code, metrics.json()]))

asyncio.run(main())
"""
TABLES = "create table customer (id int primary key, name text); insert into customer values (1, 'Ann')"


def _python(folder: Path, code: str, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, env=clean_environment(**more), capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip


def test_the_command_reports_the_missing_package(tmp_path: Path) -> None:
    ended = _python(tmp_path, COMMAND, "serve")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "none-any.whl[server]'" in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_a_program_reads_and_writes(tmp_path: Path, new_database: NewDatabase) -> None:
    ended = _python(tmp_path, PROGRAM, SHOP=new_database(TABLES))
    assert ended.returncode == 0, ended.stderr
    created, read, metrics, refused = json.loads(ended.stdout)
    assert (created, read) == (200, {"resource": [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bo"}]})
    assert (metrics, "[server]" in refused["error"]["message"]) == (404, True)
