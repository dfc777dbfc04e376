"""The conformance suite of the Model Context Protocol against /mcp, for the three last revisions."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.conformance.left_out import CHECKS, SCENARIOS
from tests.helpers.support import DATA, ROOT, NewDatabase, Serve

REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
RUNNER = Path(__file__).parent / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
PASSED = ("SUCCESS", "INFO")
FEWEST = {"2025-06-18": 8, "2025-11-25": 11, "2026-07-28": 30}  # checks that pass in scenarios that are not left out
TIMEOUT_SECONDS = 120
_FOLDER = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT.*")

Checks = dict[str, list[tuple[str, str, str]]]  # by scenario: id, status and message of each check


@pytest.fixture(scope="module")
def url(module_database: NewDatabase, module_serve: Serve) -> str:
    database = module_database((DATA / "rental.sql").read_text())
    return f"{module_serve('--dataset', f'rental={database}', '--open').url}/mcp"


@pytest.fixture(scope="module")
def results(url: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Checks]:
    """Return the checks of each revision."""
    assert RUNNER.is_file(), "The conformance suite is not installed. Run: make conformance"
    found = subprocess.run([ROOT / "tools/node", "--least", "22"], capture_output=True, text=True, check=True)
    path = f"{found.stdout.strip()}{os.pathsep}{os.environ['PATH']}"
    outcome: dict[str, Checks] = {}
    for revision in REVISIONS:
        folder = tmp_path_factory.mktemp("conformance")
        words: list[str | Path] = [
            "node",
            RUNNER,
            "server",
            "--url",
            url,
            "--suite",
            "all",
            "--spec-version",
            revision,
            "-o",
            folder,
        ]
        subprocess.run(
            words, env=os.environ | {"PATH": path}, capture_output=True, timeout=TIMEOUT_SECONDS, check=False
        )
        outcome[revision] = {
            _FOLDER.sub(r"\1", file.parent.name): [
                (check["id"], check["status"], check.get("errorMessage") or "")
                for check in json.loads(file.read_text())
            ]
            for file in folder.glob("*/checks.json")
        }
    return outcome


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_check_that_needs_no_fixture_passes(results: dict[str, Checks], revision: str) -> None:
    asked = {name: checks for name, checks in results[revision].items() if name not in SCENARIOS}
    failed = [
        (name, *check)
        for name, checks in asked.items()
        for check in checks
        if check[1] not in PASSED and check[0] not in CHECKS
    ]
    assert failed == []
    assert sum(check[1] == "SUCCESS" for checks in asked.values() for check in checks) >= FEWEST[revision]


def test_every_exclusion_would_fail(results: dict[str, Checks]) -> None:
    """A scenario or check that passes everywhere must be removed from the list."""
    failed: set[str] = set()
    for checks in results.values():
        for name, found in checks.items():
            bad = {check for check, status, _ in found if status not in PASSED}
            failed |= bad | ({name} if bad else set())
    assert {*SCENARIOS, *CHECKS} - failed == set()
