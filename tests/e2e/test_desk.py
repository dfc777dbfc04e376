"""Run the journey of the desk, with a staff account created on the command line."""

from __future__ import annotations

import re
from pathlib import Path

from tests.helpers.journeys import run_journey
from tests.helpers.support import ROOT, NewDatabase, Serve, tableapi


def test_the_desk_works_as_its_guide_describes(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    url, data = new_database(), tmp_path / "data"
    server = serve(cwd=ROOT, DEMO="1", WORKERS="1", RATE_LIMITS="off", DATABASE_URL=url, DATA_DIR=data)
    words = ("run", "addstaff", "email=sam@desk-demo.com", "name=Sam Staff", "print=1")
    command = tableapi(*words, cwd=ROOT, DATABASE_URL=url, DATA_DIR=data, INIT="off")
    assert command.returncode == 0, command.stderr
    link = re.search(r"http://\S+", command.stdout)
    assert link is not None, command.stdout
    run_journey("desk", server.url, LINK=link[0])
