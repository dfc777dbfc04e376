"""Rules about the source: imports, docstrings, sizes, and where the environment is read."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import policy

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(path for path in (ROOT / "scripts").rglob("*.py"))
SHARED = [path for path in SCRIPTS if "_shared" in path.parts]
ENGINE = sorted((ROOT / "tableapi").rglob("*.py"))
LONGEST = 300
# Rows that belong to one row of another table and are always read with it.
DEPENDENT = {"bulkrow", "contactmeta", "reservedkey"}


def _imports(path: Path) -> set[str]:
    """Every module that a file imports, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SCRIPTS, ids=_name)
def test_a_script_imports_the_engine_and_shared_rules_never_another_script(path: Path) -> None:
    ours = {name for name in _imports(path) if name.split(".")[0] == "scripts"}
    assert not {name for name in ours if not (name + ".").startswith("scripts._shared.")}


@pytest.mark.parametrize("path", ENGINE, ids=_name)
def test_the_engine_imports_no_project(path: Path) -> None:
    assert not {name for name in _imports(path) if name.split(".")[0] in ("scripts", "policy")}


@pytest.mark.parametrize("path", [*SCRIPTS, *ENGINE], ids=_name)
def test_a_file_says_what_lives_in_it(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text()))


@pytest.mark.parametrize("path", SCRIPTS, ids=_name)
def test_a_script_stays_short(path: Path) -> None:
    assert path.read_text().count("\n") <= LONGEST


@pytest.mark.parametrize("path", [*SCRIPTS, *ENGINE], ids=_name)
def test_the_environment_is_read_in_one_place(path: Path) -> None:
    if _name(path) not in (
        "tableapi/config/settings.py",
        "tableapi/observability/logging.py",
        "tableapi/observability/metrics.py",
        "tableapi/server/postgres/server.py",
        "tableapi/server/serve.py",
        "tableapi/server/supervisor.py",
    ):
        assert "os.environ" not in path.read_text()


def test_policy_names_tables_that_exist() -> None:
    tables = set(re.findall(r"^create table (\w+)", (ROOT / "schema.sql").read_text(), re.MULTILINE))
    assert policy.POLICY.keys() <= tables


def test_every_table_of_a_client_leads_an_index_or_key_with_it() -> None:
    """The schema can then be distributed by clientid without a rewrite."""
    text = (ROOT / "schema.sql").read_text()
    for table, body in re.findall(r"^create table (\w+) \((.*?)^\);", text, re.MULTILINE | re.DOTALL):
        if not re.search(r"^ +clientid ", body, re.MULTILINE) or table in DEPENDENT:
            continue
        index = re.search(rf"^create (?:unique )?index \w+ on {table}\b[^;]*\(clientid", text, re.MULTILINE)
        key = re.search(
            r"(?:primary key|unique|exclude using btree) \(clientid|clientid +bigint [^,\n]*primary key", body
        )
        assert index or key, table


@pytest.mark.parametrize("path", SCRIPTS, ids=_name)
def test_limits_count_networks_and_not_single_addresses(path: Path) -> None:
    """An IPv6 subscriber has 2^64 addresses."""
    counted = re.findall(r"ctx\.limit\([^)]*request\.ip\b", path.read_text())
    assert counted == []
