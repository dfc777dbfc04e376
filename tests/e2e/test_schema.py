"""Compare the front end's generated types with the description of a server."""

from __future__ import annotations

import subprocess

from tests.helpers.support import ROOT, NewDatabase, Serve

TIMEOUT_SECONDS = 120


def test_generated_types_match_the_description_of_the_api(serve: Serve, new_database: NewDatabase) -> None:
    server = serve(cwd=ROOT, DEMO="1", WORKERS="1", WORKER="off", DATABASE_URL=new_database())
    checked = subprocess.run(
        ["node", "tools/schema.mjs", server.url, "--check"],
        cwd=ROOT / "frontend", capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout + checked.stderr
