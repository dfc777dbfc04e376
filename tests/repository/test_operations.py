"""The documentation names every setting and every command."""

from __future__ import annotations

import argparse
import re

import pytest

from scripts._shared.settings import Settings
from tableapi.cli.main import parser
from tests.helpers.support import ROOT

TEXT = (ROOT / "docs" / "operations.md").read_text()


def test_every_setting_is_explained() -> None:
    assert [name.upper() for name in Settings.model_fields if f"`{name.upper()}`" not in TEXT] == []


def test_every_command_is_named() -> None:
    commands = next(action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    assert [name for name in commands.choices if f"`{name}`" not in TEXT and f"`tableapi {name}`" not in TEXT] == []


@pytest.mark.parametrize("name", ["Dockerfile", "compose.yaml", "tableapi.service"])
def test_files_for_servers_name_settings_that_exist(name: str) -> None:
    text = (ROOT / "deploy" / name).read_text()
    others = {"POSTGRES_PASSWORD", "POSTGRES_USER", "POSTGRES_DB", "AF_INET", "AF_UNIX"}
    named = set(re.findall(r"\b[A-Z]+_[A-Z_]+\b", text)) - others
    assert named <= {field.upper() for field in Settings.model_fields}
