"""pyproject.toml names what the code imports, and the lock file holds it in the same version."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.helpers.support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Packages of the extra `otel` share one name, of which one file imports what is installed.
OURS = {"tableapi", "scripts", "policy", "tests", "opentelemetry"}


def _named(requirements: list[str]) -> dict[str, str]:
    parts = [re.fullmatch(r"([A-Za-z0-9_.-]+)(?:\[.*\])?==(\S+)", text) for text in requirements]
    assert all(parts), "every requirement is pinned with =="
    return {_normal(part[1]): part[2] for part in parts if part}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _imported(*places: str) -> set[str]:
    """The distributions that the files of some folders import."""
    names: set[str] = set()
    for place in places:
        path = ROOT / place
        for file in [path] if path.is_file() else path.rglob("*.py"):
            names |= _modules(file)
    known = packages_distributions()
    return {_normal(known.get(name, [name])[0]) for name in names - OURS - sys.stdlib_module_names}


def _modules(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_what_the_program_imports_is_named() -> None:
    assert _imported("tableapi", "scripts", "policy.py") - set(_named(PROJECT["dependencies"])) == set()


def test_what_the_tests_import_is_named() -> None:
    named = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]
    assert _imported("tests") - set(_named(named)) == set()


def _lock(name: str) -> list[str]:
    return [line for line in (ROOT / name).read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("name", ["requirements.lock", "deploy/requirements.lock"])
def test_every_package_of_a_lock_file_has_hashes_and_no_host(name: str) -> None:
    lines = _lock(name)
    assert "://" not in "".join(lines)
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if not line.startswith(" "):
            assert re.fullmatch(r"[\w.-]+==\S+( ; .+)? \\", line), line
            assert after.startswith("    --hash=sha256:"), line


def test_what_is_deployed_is_locked_alike() -> None:
    whole, deployed = (
        {line.removesuffix(" \\") for line in _lock(name) if not line.startswith(" ")}
        for name in ("requirements.lock", "deploy/requirements.lock")
    )
    assert {line for line in deployed if " ; " not in line} <= whole


def test_the_lock_file_agrees() -> None:
    lines = [line.removesuffix(" \\") for line in _lock("requirements.lock") if not line.startswith(" ")]
    extras = PROJECT["optional-dependencies"]
    named = _named(PROJECT["dependencies"] + extras["dev"] + extras["otel"])
    assert named.items() <= _named(lines).items()
