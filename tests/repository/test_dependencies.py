"""pyproject.toml names every imported package, and the lock files pin it."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.helpers.support import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
ENGINE: list[str] = PROJECT["dependencies"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
OPTIONAL = [text for extra in EXTRAS.values() for text in extra]
GROUPS: dict[str, list[str]] = PYPROJECT["dependency-groups"]
# Modules that only the command imports, or that are not loaded without the extra `server`.
SERVER = (
    "server/http1.py",
    "server/serve.py",
    "server/workers.py",
    "project/queue.py",
    "config/environment.py",
    "observability/prometheus.py",
    "cli/check.py",
)
OWN = {"tableapi", "product", "sandbox", "scripts", "policy", "tests", "tools", "bookings"}
RANGE = re.compile(r"([A-Za-z0-9_.-]+)(?:\[.*\])?>=([\d.]+),<(\d+)")
PIN = re.compile(r"([A-Za-z0-9_.-]+)==(\S+)")
PINS = re.compile(r"([\w.-]+)==(\S+)(?: ; .+)? \\")
# Several packages share the name `opentelemetry`; `packages_distributions` returns any of them.
SHARED = {"opentelemetry": "opentelemetry-sdk"}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _names(requirements: list[str]) -> set[str]:
    return {_normal(re.split(r"[\[<>=]", text)[0]) for text in requirements}


def _modules(file: Path, *, at_import: bool = False) -> Iterator[str]:
    """Yield the top-level modules that a file imports; `at_import` excludes imports in functions and type checks."""
    tree = ast.parse(file.read_text())
    for node in tree.body if at_import else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _packages(*places: str, at_import: bool = False) -> set[str]:
    """Return the distributions that the files below `places` import."""
    modules: set[str] = set()
    for place in places:
        path = ROOT / place
        for file in [path] if path.is_file() else path.rglob("*.py"):
            modules |= set(_modules(file, at_import=at_import))
    installed = packages_distributions()
    return {
        SHARED.get(name) or _normal(installed.get(name, [name])[0]) for name in modules - OWN - sys.stdlib_module_names
    }


def test_engine_imports_are_dependencies_or_extras() -> None:
    assert _packages("tableapi") - _names(ENGINE + OPTIONAL) == set()


def test_an_extra_of_the_engine_is_imported_only_if_used() -> None:
    of_server = {f"tableapi/{name}" for name in SERVER}
    others = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tableapi").rglob("*.py")} - of_server
    assert _packages(*others, at_import=True) - _names(ENGINE) == set()
    assert _packages(*of_server, at_import=True) - _names(ENGINE + EXTRAS["server"]) == set()


def test_imports_of_the_product_are_in_its_group() -> None:
    assert _packages("product", "sandbox", "scripts", "policy.py") - _names(ENGINE + GROUPS["product"]) == set()


def test_test_imports_are_declared() -> None:
    assert _packages("tests") - _names(ENGINE + OPTIONAL + GROUPS["product"] + GROUPS["dev"]) == set()


def test_the_engine_declares_ranges_up_to_the_next_major_version() -> None:
    for text in ENGINE + OPTIONAL:
        match = RANGE.fullmatch(text)
        assert match, text
        assert int(match[3]) == int(match[2].split(".")[0]) + 1, text


def test_product_and_development_packages_are_pinned() -> None:
    assert [text for group in GROUPS.values() for text in group if not PIN.fullmatch(text)] == []


def _lock(name: str) -> list[str]:
    return [line for line in (ROOT / name).read_text().splitlines() if not line.startswith("#")]


def _pins(name: str) -> dict[str, str]:
    return {_normal(match[1]): match[2] for line in _lock(name) if (match := PINS.fullmatch(line))}


@pytest.mark.parametrize("name", ["requirements.lock", "deploy/requirements.lock"])
def test_every_package_of_a_lock_file_has_hashes_and_no_host(name: str) -> None:
    lines = _lock(name)
    assert "://" not in "".join(lines)
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if not line.startswith(" "):
            assert PINS.fullmatch(line), line
            assert after.startswith("    --hash=sha256:"), line


def test_the_lock_files_agree_with_each_other_and_with_the_pins() -> None:
    whole, deployed = _pins("requirements.lock"), _pins("deploy/requirements.lock")
    assert deployed.items() <= whole.items()
    assert _names(ENGINE + OPTIONAL + GROUPS["product"] + GROUPS["dev"]) <= whole.keys()
    assert _names(ENGINE + EXTRAS["server"] + GROUPS["product"]) <= deployed.keys()
    for text in GROUPS["product"] + GROUPS["dev"]:
        name, version = text.split("==")
        assert whole[_normal(name)] == version
