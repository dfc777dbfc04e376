"""Old names of settings and of the policy's words: accepted, logged once, and below the new name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tableapi import deprecation
from tableapi.auth.policy import Access, Rule, Sessions
from tableapi.config.command_error import BadSettings
from tableapi.config.environment import EnvironmentSettings
from tableapi.config.settings import RENAMED, Settings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Nothing set, nothing in .env, and no name logged yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    for name in (*RENAMED, *RENAMED.values()):
        monkeypatch.delenv(name.upper(), raising=False)
    deprecation.warn.cache_clear()
    yield tmp_path
    deprecation.warn.cache_clear()


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the lines of the log: level, event and fields."""
    lines: list[tuple[str, str, dict[str, Any]]] = []
    monkeypatch.setattr("tableapi.log._emit", lambda level, name, event, fields: lines.append((level, event, fields)))
    return lines


def test_an_unknown_word_of_a_rule_is_rejected() -> None:
    with pytest.raises(TypeError, match="stamps"):
        Rule(stamps={})  # type: ignore[call-arg]


def test_old_words_of_a_policy_have_the_meaning_of_the_new_ones(logged: list[Any]) -> None:
    def own(_table: object, _actor: object) -> bool:
        return True

    old = Rule(
        stamp={"a": own}, rows_by={"b": own}, only_in={"c": own}, listed=own, always={"d"},  # type: ignore[call-arg]
    )  # fmt: skip
    new = Rule(
        set_on_create={"a": own}, rows_when_filtered_by={"b": own}, editable_in={"c": own}, key_list=own,  # type: ignore[dict-item,arg-type]
        always_returned={"d"},
    )  # fmt: skip
    assert old == new
    assert Access(live={"a"}) == Access(changes={"a"})  # type: ignore[call-arg]
    rejected = {"deleted": (404, "deleted", "Gone")}
    assert Sessions("", refusals=rejected) == Sessions("", rejected=rejected)  # type: ignore[call-arg]
    assert {(fields["name"], fields["use"]) for _, _, fields in logged} == {
        ("Rule.stamp", "Rule.set_on_create"), ("Rule.rows_by", "Rule.rows_when_filtered_by"),
        ("Rule.only_in", "Rule.editable_in"), ("Rule.listed", "Rule.key_list"),
        ("Rule.always", "Rule.always_returned"), ("Access.live", "Access.changes"),
        ("Sessions.refusals", "Sessions.rejected"),
    }  # fmt: skip


def test_a_value_under_the_new_name_takes_precedence() -> None:
    assert Access(live=True, changes={"a"}).changes == {"a"}  # type: ignore[call-arg]


def test_the_use_of_an_old_name_is_logged_once(logged: list[Any]) -> None:
    for _ in range(2):
        Access(live=True)  # type: ignore[call-arg]
    assert logged == [("warning", "deprecated_name", {"name": "Access.live", "use": "Access.changes"})]


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_a_setting_is_read_under_its_old_name(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(old.upper(), " 20000 " if old == "live_queue_bytes" else "10")
    expected = 20_000 if old == "live_queue_bytes" else 10
    assert getattr(EnvironmentSettings.read(), new) == expected
    assert getattr(Settings(**{old: expected}), new) == expected


def test_the_environment_precedes_the_file_under_either_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / ".env").write_text("CHANGES_STREAMS=1\nLIVE_KEEP_SECONDS=11\n")
    monkeypatch.setenv("LIVE_STREAMS", "2")
    read = EnvironmentSettings.read()
    assert (read.changes_streams, read.changes_keep_seconds) == (2, 11)
    monkeypatch.setenv("CHANGES_STREAMS", "3")
    assert EnvironmentSettings.read().changes_streams == 3


def test_a_bad_value_under_an_old_name_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIVE_STREAMS", "many")
    with pytest.raises(BadSettings, match=r"CHANGES_STREAMS: .*is 'many'"):
        EnvironmentSettings.read()
