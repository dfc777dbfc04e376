"""`tableapi serve --reload` serves changes of the project."""

from __future__ import annotations

import time
from pathlib import Path

import httpx2

from tests.helpers.support import NewDatabase, Serve

PATIENCE = 60.0


def test_a_changed_policy_is_applied(new_database: NewDatabase, serve: Serve, project: Path) -> None:
    policy = project / "policy.py"
    server = serve("--reload", cwd=project, DATABASE_URL=new_database(), APP_KEYS="app", WORKER="off")
    with httpx2.Client(headers={"X-API-Key": "app"}) as http:

        def becomes(status: int) -> None:
            end, seen = time.monotonic() + PATIENCE, 0
            while seen != status:
                assert time.monotonic() < end, seen
                try:
                    seen = http.get(f"{server.url}/api/v2/data/_table/note").status_code
                except httpx2.HTTPError:
                    seen = 0  # between the old process and the new one
                time.sleep(0.1)

        becomes(200)
        policy.write_text(policy.read_text().replace("read=Rule(), ", ""))
        becomes(401)
