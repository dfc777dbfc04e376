"""An invalid project file ends every command with one line that names the file and the line number."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.support import NewDatabase, free_port, tableapi

SCRIPT = """from pydantic import BaseModel
from tableapi import Context, script


@script(roles=("key",))
async def run(ctx: Context) -> None:
    return None
"""
NAMED = "[tool.tableapi]\nproject = '{}'\n"
# (file, its text, the expected report)
BROKEN = [
    ("scripts/report.py", SCRIPT + "import nothing_of_that_name\n", "scripts/report.py, line 8: ModuleNotFoundError"),
    ("scripts/report.py", "from pydantic import Nothing\n", "scripts/report.py, line 1: ImportError"),
    ("scripts/report.py", "\n\ndef run(:\n", "scripts/report.py, line 3: SyntaxError: invalid syntax"),
    ("scripts/report.py", SCRIPT.replace('roles=("key",)', ""), "scripts/report.py, line 5: TypeError"),
    (
        "scripts/report.py",
        SCRIPT.replace('",)', '",), limit="many"'),
        "line 5: ValueError: must be a limit such as '60/minute per user', not 'many'",
    ),
    ("scripts/jobs/tidy.py", "x = {}['a']\n", "scripts/jobs/tidy.py, line 1: KeyError: 'a'"),
    ("scripts/tables/note.py", "import product.rules\n", "product/rules.py, line 2: NameError"),
    ("product/project.py", "PROJECT = 1 / 0\n", "product/project.py, line 1: ZeroDivisionError"),
    ("product/project.py", "", "product.project:PROJECT: expected `project = "),
    (
        "pyproject.toml",
        "[tool.tableapi]\nproject = 'product.nowhere:X'\n",
        "ModuleNotFoundError: No module named 'product.nowhere'",
    ),
    (
        "pyproject.toml",
        "[tool.tableapi]\nprojekt = 'product.project:PROJECT'\n",
        "pyproject.toml: expected `project = ",
    ),
    ("pyproject.toml", NAMED.format("product.nowhere:X"), "No module named 'product.nowhere'"),
    ("pyproject.toml", NAMED.format("../x"), "pyproject.toml: expected `project = "),
    ("pyproject.toml", NAMED.format("").replace("project", "projekt"), "pyproject.toml: expected `project = "),
    ("pyproject.toml", "[tool.tableapi\n", "pyproject.toml: Expected ']'"),
    ("policy.py", "from tableapi import Rule\nPOLICY = {'note': Rule(rols=())}\n", "policy.py, line 2: TypeError"),
    ("policy.py", "POLICY = {\n", "policy.py, line 1: SyntaxError: '{' was never closed"),
    ("policy.py", "POLICY = {}\n", "policy.py has no SESSIONS"),
]


def _break(project: Path, name: str, text: str) -> None:
    (project / "product").mkdir(parents=True)
    (project / "product" / "rules.py").write_text('"""Rules."""\nlimit = amount\n')
    if name == "product/project.py":
        (project / "pyproject.toml").write_text('[tool.tableapi]\nproject = "product.project:PROJECT"\n')
    file = project / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize(("name", "text", "said"), BROKEN)
def test_check_reports_the_file_and_line_of_an_error(
    name: str, text: str, said: str, project: Path, tmp_path: Path
) -> None:
    _break(project, name, text)

    refused = tableapi("check", cwd=project, DATA_DIR=tmp_path / "data", PYTHONPATH="")

    assert refused.returncode == 1
    assert refused.stderr.startswith("tableapi: ")
    assert said in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert refused.stdout == ""


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("serve",), "scripts/report.py"),
        (("serve", "--reload"), "policy.py"),
        (("worker",), "policy.py"),
        (("init",), "scripts/report.py"),
        (("run", "tidy"), "policy.py"),
    ],
)
def test_no_command_starts_anything_with_a_broken_project(
    words: tuple[str, ...], name: str, project: Path, tmp_path: Path
) -> None:
    _break(project, name, "\nimport nothing_of_that_name\n")

    refused = tableapi(*words, cwd=project, DATA_DIR=tmp_path / "data", PORT=str(free_port()), PYTHONPATH="")

    assert refused.returncode == 1
    expected = f"tableapi: {name}, line 2: ModuleNotFoundError: No module named 'nothing_of_that_name'\n"
    assert refused.stderr == expected
    assert refused.stdout == ""
    assert not (tmp_path / "data" / "postgres").exists()


def test_a_schema_error_is_reported_with_its_line(project: Path, new_database: NewDatabase, tmp_path: Path) -> None:
    (project / "schema.sql").write_text("-- Größe\ncreate table a (id int);\n\ncreate tabel b ();\n")

    refused = tableapi("init", cwd=project, DATABASE_URL=new_database(), DATA_DIR=tmp_path / "data", PYTHONPATH="")

    assert refused.returncode == 1
    assert refused.stderr.startswith('tableapi: schema.sql, line 4 cannot be applied: syntax error at or near "tabel"')
    assert len(refused.stderr.splitlines()) == 1


def test_an_error_outside_a_transaction_is_reported_with_its_line(
    project: Path, new_database: NewDatabase, tmp_path: Path
) -> None:
    url = new_database()
    assert tableapi("init", cwd=project, DATABASE_URL=url, DATA_DIR=tmp_path / "data").returncode == 0
    (project / "migrations").mkdir()
    (project / "migrations" / "0001_index.sql").write_text(
        "-- outside a transaction\ncreate index concurrently a on note (text);\n"
        "create index concurrently b\n  onto note (text);\n"
    )

    refused = tableapi("init", cwd=project, DATABASE_URL=url, DATA_DIR=tmp_path / "data", PYTHONPATH="")

    assert refused.returncode == 1
    assert '0001_index.sql, line 4 cannot be applied: syntax error at or near "onto"' in refused.stderr
