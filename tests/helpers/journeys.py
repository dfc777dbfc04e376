"""Run a journey of frontend/e2e in Chromium."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.helpers.support import ROOT

FRONTEND = ROOT / "frontend"
TIMEOUT_SECONDS = 600


def run_journey(name: str, url: str, **settings: str) -> None:
    """Run `e2e/<name>.mjs` against a server. With TRACE=1 the trace of a failure stays in .cache/journeys.

    "one|two" runs both, in the order of their names.

    Raises:
        AssertionError: the journey failed.
    """
    traces: Path = ROOT / ".cache" / "journeys" / name.replace("|", "-")
    run = subprocess.run(
        ["node", "node_modules/@playwright/test/cli.js", "test", f"/({name})\\.mjs$"],
        cwd=FRONTEND,
        env=os.environ | {"BASE_URL": url, "TRACES": str(traces)} | settings,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
