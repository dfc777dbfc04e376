"""`tableapi serve --reload`: what is changed in the project is served soon."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import httpx2

from tests.api.test_cli import POLICY
from tests.support import Serve

PATIENCE = 60.0


def test_a_change_of_the_policy_is_served(new_database: Callable[[], str], serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "schema.sql").write_text("create table note (noteid integer primary key, text text);\n")
    policy = tmp_path / "policy.py"
    policy.write_text(POLICY)
    server = serve("--reload", cwd=tmp_path, DATABASE_URL=new_database(), APP_KEYS="app", WORKER="off")
    with httpx2.Client(headers={"X-API-Key": "app"}) as http:

        def becomes(status: int) -> None:
            end, seen = time.monotonic() + PATIENCE, 0
            while seen != status:
                assert time.monotonic() < end, seen
                try:
                    seen = http.get(f"{server.url}/api/v2/leads/_table/note").status_code
                except httpx2.HTTPError:
                    seen = 0  # between the old process and the new one
                time.sleep(0.1)

        becomes(200)
        policy.write_text(POLICY.replace("read=Rule(), ", ""))
        becomes(401)
