"""The first pages list the requirements of their examples and the files that a server leaves; terms are consistent."""

from __future__ import annotations

import re

import pytest

from tests.docs import pages
from tests.helpers.support import ROOT

_INSTALL = pages.DOCS / "guides" / "install.md"
_SERVING = ("README.md", "docs/tutorial/own-database.md")
_PYTHON = sorted(path for path in (ROOT / "tableapi").rglob("*.py"))


def test_home_page_has_a_request_with_its_response_and_no_empty_table_head() -> None:
    text = (pages.DOCS / "index.md").read_text()
    assert re.search(r"```sh\n(?:.*\n)*?curl ", text)
    assert "```json" in text
    assert not re.search(r"^\|(?:\s*\|)+$", text, re.MULTILINE)


def test_installation_lists_every_program_that_the_examples_run() -> None:
    installation = _INSTALL.read_text()
    examples = "\n".join(
        fence.text for page in pages.pages() for fence in pages.fences(page.read_text()) if fence.language == "sh"
    )
    used = {name for name in ("curl", "jq", "psql") if re.search(rf"(?:^|\| *|\$\(){name} ", examples, re.MULTILINE)}
    assert used == {"curl", "jq", "psql"}
    assert [name for name in used if f"`{name}`" not in installation] == []
    assert "--json" in examples
    assert "7.82" in installation  # the first curl with --json


@pytest.mark.parametrize("name", _SERVING)
def test_pages_that_start_a_server_mention_the_port_option(name: str) -> None:
    assert "`--port`" in (ROOT / name).read_text()


def test_tutorial_states_where_the_server_keeps_its_files() -> None:
    text = (pages.DOCS / "tutorial" / "own-database.md").read_text()
    assert "`.data`" in text
    assert "`DATA_DIR`" in text


def test_messages_about_keys_use_one_term() -> None:
    named = [path.name for path in _PYTHON if re.search(r'"[^"\n]*\bvalid app key', path.read_text())]
    assert named == []
