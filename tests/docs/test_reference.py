"""The reference matches the code: settings, commands, errors, metrics, calls, hooks and policy words.

Each comparison reads the code. A failure names the page and the line to add, change or remove.
"""

from __future__ import annotations

import argparse
import dataclasses
import inspect
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import PydanticUndefined

import tableapi
from product import reasons as product
from product.people import import_file
from product.settings import Settings
from tableapi import reasons as engine
from tableapi.auth import policy
from tableapi.cli.main import parser
from tableapi.query.option_table import TABLE
from tests.docs import code, pages
from tests.helpers.support import ROOT
from tools.pages import text

_SETTING = re.compile(r"`([A-Z][A-Z0-9_]+)`")


def differences(page: str, missing: Iterable[str], extra: Iterable[str]) -> str:
    """Describe the changes needed on a page, one per line; empty if there are none."""
    return "\n".join(
        [f"docs/{page}: add {name}" for name in sorted(missing)]
        + [f"docs/{page}: remove {name}, which the code does not have" for name in sorted(extra)]
    )


# -- settings --------------------------------------------------------------------------------------------------------


def _told(name: str) -> str:
    """Return the default of a setting in the page's notation.

    `""` stands for a computed default, which any words may describe.
    """
    field = Settings.model_fields[name.lower()]
    value = field.default
    if field.default_factory is not None or value is PydanticUndefined:
        return ""
    if value is None or value in ("", ()):
        return "none"
    if isinstance(value, bool):
        return "`on`" if value else "`off`"
    if isinstance(value, float):
        return f"`{value:g}`"
    return f"`{value}`"


def _setting_rows() -> dict[str, str]:
    return {
        match[1]: cells[1]
        for cells in pages.rows(pages.read("reference/settings.md"))
        if len(cells) >= 3 and (match := _SETTING.fullmatch(cells[0]))
    }


def test_every_setting_has_a_row_and_every_row_a_setting() -> None:
    known = {name.upper() for name in Settings.model_fields}
    rows = set(_setting_rows())
    assert not (text := differences("reference/settings.md", known - rows, rows - known)), text


def test_every_setting_is_documented_with_its_default() -> None:
    wrong = [
        f"docs/reference/settings.md: {name}: the default is {_told(name)}, the page says {default}"
        for name, default in _setting_rows().items()
        if name.lower() in Settings.model_fields and _told(name) and default.split(",")[0].split(";")[0] != _told(name)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "name", ["Dockerfile", "compose.yaml", "dataset.compose.yaml", "tableapi.service", "tableapi-dataset.service"]
)
def test_deployment_files_use_existing_settings(name: str) -> None:
    text = (ROOT / "deploy" / name).read_text()
    others = {"POSTGRES_PASSWORD", "POSTGRES_USER", "POSTGRES_DB", "AF_INET", "AF_UNIX", "NAME"}
    named = set(re.findall(r"\b[A-Z]+_[A-Z_]+\b", text)) - others
    assert named <= {field.upper() for field in Settings.model_fields}


# -- commands --------------------------------------------------------------------------------------------------------


def _commands() -> dict[str, argparse.ArgumentParser]:
    actions = parser()._actions
    return dict(next(action for action in actions if isinstance(action, argparse._SubParsersAction)).choices)


def _options(command: argparse.ArgumentParser) -> set[str]:
    shown = [action for action in command._actions if action.help != argparse.SUPPRESS]
    return {word for action in shown for word in action.option_strings if word.startswith("--")} - {"--help"}


def test_every_command_has_a_heading_and_every_heading_a_command() -> None:
    text = pages.read("reference/commands.md")
    documented = set(re.findall(r"^## `tableapi ([\w-]+)`$", text, re.MULTILINE))
    known = set(_commands())
    assert not (problem := differences("reference/commands.md", known - documented, documented - known)), problem


def test_every_option_is_under_its_command() -> None:
    text = pages.read("reference/commands.md")
    problems = []
    for name, command in _commands().items():
        section = re.split(r"^## ", text.partition(f"## `tableapi {name}`")[2], maxsplit=1, flags=re.MULTILINE)[0]
        documented = {cells[0].strip("`").split()[0] for cells in pages.rows(section) if cells[0].startswith("`--")}
        known = _options(command)
        problems += [f"docs/reference/commands.md: {name}: add {option}" for option in known - documented]
        problems += [f"docs/reference/commands.md: {name}: remove {option}" for option in documented - known]
    assert not problems, "\n".join(problems)


def test_every_make_target_is_documented() -> None:
    text = pages.read("reference/commands.md")
    targets = set(re.findall(r"^([a-z0-9]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    documented = {cells[0].strip("`").split()[1] for cells in pages.rows(text) if cells[0].startswith("`make ")}
    assert not (problem := differences("reference/commands.md", targets - documented, documented - targets)), problem


# -- errors ----------------------------------------------------------------------------------------------------------


def test_every_reason_has_an_entry_and_every_entry_a_reason() -> None:
    known, entries = code.reasons(), _reasons()
    missing = [f"`{name}` (raised at {known[name]})" for name in sorted(known.keys() - entries.keys())]
    assert (missing, entries.keys() - known.keys()) == ([], set()), "tableapi/reasons.py, product/reasons.py"


def test_every_entry_has_the_status_of_the_code() -> None:
    entries = _reasons()
    wrong = {name: statuses for name, statuses in code.statuses().items() if entries[name][0] not in statuses}
    assert wrong == {}, "tableapi/reasons.py, product/reasons.py"


def test_every_page_names_reasons_of_the_table_with_their_status() -> None:
    entries = _reasons()
    wrong = [
        f"{pages.name_of(page)}: {match[0]}"
        for page in pages.pages()
        for match in re.finditer(r"\b([45]\d\d) \[?`(\w+)`", text(page))
        if match[2] not in entries or entries[match[2]][0] != int(match[1])
    ]
    assert wrong == []


def _reasons() -> dict[str, tuple[int, str, str]]:
    """Return the entries of both tables; each has a meaning and a remedy, and no reason has two."""
    entries = [
        item for table in (engine.REASONS, product.REASONS) for stage in table.values() for item in stage.items()
    ]
    assert all(meaning and remedy for _, (_, meaning, remedy) in entries)
    assert len(entries) == len(dict(entries))
    return dict(entries)


# -- options ---------------------------------------------------------------------------------------------------------

_OPTION = re.compile(r"`(\w+)`(\*?)")


def _option_rows() -> dict[str, tuple[tuple[str, ...], bool]]:
    """Return the rows of options of tables: name -> (aliases, whether a star says that it may stand in a body)."""
    page = pages.read("reference/wire.md")
    section = page[page.index("| `fields`* |") :].partition("\n\n")[0]
    return {
        match[1]: (tuple(re.findall(r"`(\w+)`", cells[1])), bool(match[2]))
        for cells in pages.rows(section)
        for match in _OPTION.finditer(cells[0])
    }


def test_every_option_has_a_row_with_its_aliases_and_place() -> None:
    assert _option_rows() == {option.name: (option.aliases, option.in_body) for option in TABLE}


# -- metrics ---------------------------------------------------------------------------------------------------------


def _metric_rows() -> set[str]:
    first = (cells[0] for cells in pages.rows(pages.read("reference/metrics.md")))
    return {cell.strip("`").partition("{")[0] for cell in first if cell.startswith("`")}


def test_every_metric_has_a_row_and_every_row_a_metric() -> None:
    known = set(code.metrics()) | set(code.events())
    rows = _metric_rows()
    assert not (text := differences("reference/metrics.md", known - rows, rows - known)), text


# -- logs ------------------------------------------------------------------------------------------------------------


def _log_rows() -> dict[str, tuple[str, str]]:
    """Return the events of the page: name -> (section, fields)."""
    sections = re.split(r"^## ", pages.read("reference/logs.md"), flags=re.MULTILINE)[1:]
    return {
        cells[0].strip("`"): (section.partition("\n")[0], cells[1].replace("`", ""))
        for section in sections
        for cells in pages.rows(section)
    }


def test_every_event_of_the_log_has_a_row_and_every_row_an_event() -> None:
    known, rows = code.log_events(), _log_rows()
    assert not (text := differences("reference/logs.md", known.keys() - rows.keys(), rows.keys() - known.keys())), text
    levels = {"error": "Errors", "warning": "Warnings", "info": "Information"}
    expected = {
        name: ("Alarms" if event.alarm else levels[event.level], ", ".join(event.fields))
        for name, event in known.items()
    }
    assert rows == expected


def test_the_alarms_are_among_those_to_alert_on() -> None:
    listed = pages.read("reference/metrics.md").partition("Log lines with the field `alarm`: ")[2]
    alarms = {name for name, event in code.log_events().items() if event.alarm}
    assert set(re.findall(r"`(\w+)`", listed)) == alarms


# -- policy ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word", [policy.Access, policy.Rule, policy.Sessions, policy.DatabaseRole, policy.KeyedHash, policy.SealedTable]
)
def test_every_policy_word_has_a_row(word: type[Any]) -> None:
    text = pages.read("reference/policy.md").partition(f"## {word.__name__}")[2]
    section = re.split(r"^## ", text, maxsplit=1, flags=re.MULTILINE)[0]
    rows = {cells[0].strip("`") for cells in pages.rows(section)}
    known = {field.name for field in dataclasses.fields(word)}
    assert not (problem := differences(f"reference/policy.md, {word.__name__}", known - rows, rows - known)), problem


def test_every_option_of_a_script_has_a_row() -> None:
    from tableapi.project.guard import script

    rows = {cells[0].strip("`") for cells in pages.rows(pages.read("guides/scripts.md"))}
    known = set(inspect.signature(script).parameters)
    assert not (text := differences("guides/scripts.md", known - rows, ())), text


# -- where things are ------------------------------------------------------------------------------------------------


def test_the_architecture_lists_every_package_of_the_engine() -> None:
    text = pages.read("explanation/architecture.md")
    packages = [path.parent.name for path in Path(ROOT / "tableapi").glob("*/__init__.py")]
    missing = [
        f"docs/explanation/architecture.md: add `{name}`" for name in sorted(packages) if f"`{name}`" not in text
    ]
    assert not missing, "\n".join(missing)


def test_every_public_name_has_a_row_and_every_row_a_public_name() -> None:
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", pages.read("reference/python.md"), re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"\w+", row)}
    assert not (
        text := differences("reference/python.md", set(tableapi.__all__) - told, told - set(tableapi.__all__))
    ), text


def test_every_public_name_can_be_imported() -> None:
    assert all(getattr(tableapi, name) is not None for name in tableapi.__all__)


def test_the_page_of_the_people_file_lists_its_columns() -> None:
    text = pages.read("guides/people-file.md")
    rows = {cells[0].strip("`"): cells[1] for cells in pages.rows(text)}
    assert set(rows) == {*import_file.HEADER, *import_file.OPTIONAL}
    assert {name for name, needed in rows.items() if needed == "no"} == set(import_file.OPTIONAL)
    assert f"At most {import_file.MAX_CHARS} characters" in text
    [shown] = [fence.text for fence in pages.fences(text) if fence.text.startswith("linkedinurl,")]
    header, line = shown.splitlines()
    assert import_file.columns_of(header) == import_file.HEADER
    parsed = import_file.LineReader(["a" * 32], "linkedin.com", frozenset()).block(2, line.encode())
    assert (parsed.good, parsed.bad, parsed.left_out) == (1, [], [])
