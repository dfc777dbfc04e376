"""docs/operations.md says what is there: every setting and every command."""

from __future__ import annotations

import argparse

from tableapi.__main__ import parser
from tableapi.settings import Settings
from tests.support import ROOT

TEXT = (ROOT / "docs" / "operations.md").read_text()


def test_every_setting_is_explained() -> None:
    assert [name.upper() for name in Settings.model_fields if f"`{name.upper()}`" not in TEXT] == []


def test_every_command_is_named() -> None:
    commands = next(action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    assert [name for name in commands.choices if f"`{name}`" not in TEXT and f"`tableapi {name}`" not in TEXT] == []
