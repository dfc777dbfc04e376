"""Rules of this repository that no linter checks: docstrings, imports, tables and their policy."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from pathlib import Path

import policy
from tableapi.version import VERSION

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "scripts").rglob("*.py"))
PRODUCT = sorted([*SCRIPTS, *(p for name in ("product", "sandbox") for p in (ROOT / name).rglob("*.py"))])
ENGINE = sorted((ROOT / "tableapi").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
FRONTEND = sorted(
    path
    for folder in ("src", "studio", "shared", "e2e", "tools", "extension")
    for path in (ROOT / "frontend" / folder).rglob("*.*")
    if path.suffix in (".ts", ".tsx", ".mjs", ".js") and not path.name.endswith(".gen.ts")
)
# Methods of SQLAlchemy that name a part of FROM.
NAMED = {"alias", "subquery", "cte", "lateral", "render_derived", "tablesample", "table_valued"}
# Modules that read the environment: settings, and processes that pass theirs on.
READ_ENVIRONMENT = {
    "tableapi/config/environment.py",
    "tableapi/server/serve.py",
    "tableapi/server/postgres/privileges.py", "tableapi/server/postgres/server.py",
    "tableapi/observability/prometheus.py", "tableapi/observability/logging.py",
}  # fmt: skip
# Tables that are always read through a row of another table of the client.
DEPENDENT = {"bulkrow", "contactmeta", "reservedkey"}


def _imports(path: Path) -> set[str]:
    """Return the modules that a file imports, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _listed(paths: list[Path]) -> list[str]:
    return [_name(path) for path in paths]


def test_a_script_imports_no_other_script() -> None:
    assert not [_name(p) for p in SCRIPTS if any(name.split(".")[0] == "scripts" for name in _imports(p))]


def test_the_policy_imports_from_the_public_api() -> None:
    assert {name for name in _imports(ROOT / "policy.py") if re.match(r"tableapi\.[a-z_]+(\.|$)", name)} == set()


def test_the_engine_imports_no_policy() -> None:
    assert not [_name(p) for p in ENGINE if "policy" in _imports(p)]


def test_class_names_are_unique_in_the_engine() -> None:
    places: dict[str, list[str]] = {}
    for path in ENGINE:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(_name(path))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_aliases_in_from_are_created_by_one_allocator() -> None:
    """An alias written by hand may be that of another part of the statement, which then loses its join."""
    by_hand = []
    for path in ENGINE:
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in NAMED):
                continue
            names = [keyword.value for keyword in node.keywords if keyword.arg == "name"]
            names += [] if node.func.attr == "table_valued" else node.args[:1]
            if any(isinstance(name, ast.Constant | ast.JoinedStr) for name in names):
                by_hand.append(f"{_name(path)}:{node.lineno}")
    assert by_hand == []


def test_every_module_has_a_docstring() -> None:
    assert _listed([p for p in [*PRODUCT, *ENGINE, *TESTS] if not ast.get_docstring(ast.parse(p.read_text()))]) == []


def test_the_environment_is_read_in_few_modules() -> None:
    readers = {_name(path) for path in [*PRODUCT, *ENGINE] if "os.environ" in path.read_text()}
    assert readers - READ_ENVIRONMENT == set()


def test_the_policy_uses_existing_tables() -> None:
    tables = set(re.findall(r"^create table (\w+)", (ROOT / "schema.sql").read_text(), re.MULTILINE))
    assert policy.POLICY.keys() <= tables


def test_every_table_with_a_clientid_has_an_index_or_key_starting_with_it() -> None:
    """Allow distributing the schema by clientid without a rewrite."""
    text = (ROOT / "schema.sql").read_text()
    for table, body in re.findall(r"^create table (\w+) \((.*?)^\);", text, re.MULTILINE | re.DOTALL):
        if not re.search(r"^ +clientid ", body, re.MULTILINE) or table in DEPENDENT:
            continue
        index = re.search(rf"^create (?:unique )?index \w+ on {table}\b[^;]*\(clientid", text, re.MULTILINE)
        key = re.search(
            r"(?:primary key|unique|exclude using btree) \(clientid|clientid +bigint [^,\n]*primary key", body
        )
        assert index or key, table


def test_limits_count_networks_and_not_single_addresses() -> None:
    """One subscriber has 2^64 IPv6 addresses."""
    limit = re.compile(r"ctx\.limit\([^)]*request\.ip\b")
    assert _listed([path for path in PRODUCT if limit.search(path.read_text())]) == []


def test_the_release_steps_mention_existing_commands_and_files() -> None:
    """Of CONTRIBUTING.md: sections of the change log, commands of the Makefile, and files."""
    steps = (ROOT / "CONTRIBUTING.md").read_text().partition("\n## Release\n")[2].partition("\n## ")[0]
    [section] = re.findall(r"section\s+`([^`]+)`", steps)
    first = re.search(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert first is not None
    assert first[1] == section
    makefile = (ROOT / "Makefile").read_text()
    commands = re.findall(r"`make ([a-z]+)`", steps)
    assert commands
    assert not [name for name in commands if not re.search(rf"^{name}:", makefile, re.MULTILINE)]
    files = [name for name in re.findall(r"`([\w./]+[./]\w*)`", steps) if name != "dist/"]
    assert files
    assert not [name for name in files if not (ROOT / name).exists()]


def test_every_file_names_the_version() -> None:
    places = {
        "zensical.toml": r'^release = "(.+)"$',
        "frontend/package.json": r'^  "version": "(.+)",$',
        "frontend/package-lock.json": r'\A.*\n.*\n  "version": "(.+)",$',
        "deploy/kubernetes/product.yaml": r"image: registry\.example\.com/tableapi:(.+)$",
        "deploy/kubernetes/dataset.yaml": r"image: registry\.example\.com/tableapi-dataset:(.+)$",
        "docs/guides/install.md": r"/tableapi_server-(.+?)-py3",
        "CHANGELOG.md": r"^## ([\d.]+) - \d{4}-\d\d-\d\d$",
    }
    named = {name: re.findall(pattern, (ROOT / name).read_text(), re.MULTILINE) for name, pattern in places.items()}
    del named["CHANGELOG.md"][1:]  # earlier versions
    assert {name: set(versions) for name, versions in named.items()} == {name: {VERSION} for name in places}


def test_every_test_of_the_front_end_is_run() -> None:
    folder = ROOT / "frontend"
    words = ["node", "node_modules/vitest/vitest.mjs", "list", "--filesOnly", "--json"]
    listed = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
    run = {Path(entry["file"]).resolve() for entry in json.loads(listed)}
    assert {path for path in FRONTEND if re.search(r"\.test\.tsx?$", path.name)} == run
