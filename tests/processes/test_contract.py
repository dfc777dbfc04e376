"""`tableapi contract`: the description as a file, and the exit code of a breaking change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.support import ROOT, NewDatabase, Serve, execute, tableapi

SQL = "create table note (id integer primary key, text text not null, size integer)"


def test_a_breaking_change_ends_with_exit_code_1(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> None:
    database = new_database(SQL)
    words = ("--dataset", f"x={database}", "--open")
    locked = tableapi("contract", "lock", "api.json", *words, cwd=tmp_path)
    assert (locked.returncode, locked.stderr) == (0, "")
    same = tableapi("contract", "check", "api.json", *words, cwd=tmp_path)
    assert (same.returncode, same.stdout) == (0, "Nothing has changed.\n")

    execute(database, "alter table note add more text")
    wider = tableapi("contract", "check", "api.json", *words, cwd=tmp_path)
    assert (wider.returncode, wider.stdout.startswith("No change breaks clients.")) == (0, True)

    execute(database, "alter table note drop size; alter table note alter text drop not null")
    server = serve(*words)
    for named in (words, ("--url", server.url)):
        broken = tableapi("contract", "check", "api.json", *named, cwd=tmp_path)
        assert broken.returncode == 1, broken.stderr
        for line in (
            "removed_field: note.size does not exist any more (response)",
            "removed_field: note_create.size does not exist any more (request)",
            "nullable_field: note.text may be null now (response)",
        ):
            assert line in broken.stdout
        assert "tableapi contract lock api.json" in broken.stdout.splitlines()[-1]


def test_a_contract_contains_only_visible_tables(new_database: NewDatabase, tmp_path: Path) -> None:
    database = new_database(SQL + "; create table hidden (id integer primary key)")
    (tmp_path / "access.json").write_text(
        '{"keys": {"k": {"role": "r"}}, "roles": {"r": {"access": [{"component": "_table/note/*", "verb_mask": 1}]}}}'
    )
    words = ("--dataset", f"x={database}", "--access", "access.json", "--api-key", "k")
    assert tableapi("contract", "lock", "api.json", *words, cwd=tmp_path).returncode == 0
    text = (tmp_path / "api.json").read_text()
    assert "/note" in text
    assert "hidden" not in text


@pytest.mark.parametrize(
    ("content", "words", "text"),
    [
        (None, (), "contract lock api.json"),
        ("{", (), "is not a contract"),
        ("[]", (), "is not a contract"),
        ('{"paths": {}}', ("--url", "http://127.0.0.1:1"), "cannot be read"),
        ('{"paths": {}}', ("--url", "nonsense"), "cannot be read"),
        ('{"paths": {}}', (), "is not a project"),
    ],
)
def test_an_unreadable_file_is_reported_in_one_line(
    tmp_path: Path, content: str | None, words: tuple[str, ...], text: str
) -> None:
    if content is not None:
        (tmp_path / "api.json").write_text(content)
    ended = tableapi("contract", "check", "api.json", *words, cwd=tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert text in ended.stderr


def test_the_contract_of_a_project_can_be_locked_and_checked(new_database: NewDatabase, tmp_path: Path) -> None:
    file = str(tmp_path / "api.json")
    environment = {"DATABASE_URL": new_database(), "DATA_DIR": str(tmp_path / "data"), "APP_KEYS": "a-key", "DEMO": "1"}
    assert tableapi("init", cwd=ROOT, **environment).returncode == 0
    locked = tableapi("contract", "lock", file, cwd=ROOT, **environment)
    assert locked.returncode == 0, locked.stderr
    assert tableapi("contract", "check", file, cwd=ROOT, **environment).stdout == "Nothing has changed.\n"
