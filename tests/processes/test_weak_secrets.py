"""The server does not start with secrets that could be guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.support import tableapi

NOWHERE = "postgresql://me@127.0.0.1:1/none"


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"SECRET_KEYS": "a"}, "SECRET_KEYS: key 1 has 1 character;"),
        ({"SECRET_KEYS": f"{'s' * 32},old"}, "SECRET_KEYS: key 2 has 3 characters"),
        ({"METRICS_TOKEN": "a"}, "METRICS_TOKEN has 1 character;"),
        ({"METRICS_TOKEN": "five5", "HOST": "0.0.0.0"}, "METRICS_TOKEN has 5 characters"),
    ],
)
def test_a_weak_secret_prevents_the_start(project: Path, settings: dict[str, str], what: str) -> None:
    ended = tableapi("serve", cwd=project, DATABASE_URL=NOWHERE, DATA_DIR=project / "data", **settings)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert what in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    checked = tableapi("check", cwd=project, DATABASE_URL=NOWHERE, DATA_DIR=project / "data", **settings)
    assert checked.returncode == 1
    assert what in checked.stdout
