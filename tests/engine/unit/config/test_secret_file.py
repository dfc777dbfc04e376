"""A folder that is restricted to its owner, and a secret that is generated once."""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

import pytest

from tableapi.config.secret_file import close_folder, kept_secret, private_folder


@pytest.mark.parametrize(
    ("mode", "former", "after"), [(0o755, 0o755, 0o700), (0o770, 0o770, 0o700), (0o700, 0, 0o700), (0o500, 0, 0o500)]
)
def test_a_folder_is_restricted(mode: int, former: int, after: int, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(mode)

    assert close_folder(folder) == former
    assert stat.S_IMODE(folder.stat().st_mode) == after


def test_a_new_folder_is_accessible_to_its_owner_only(tmp_path: Path) -> None:
    assert close_folder(tmp_path / "a" / "data") == 0
    assert stat.S_IMODE((tmp_path / "a" / "data").stat().st_mode) == 0o700


def test_missing_folders_are_created_for_their_owner_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert private_folder(tmp_path / "data" / "run" / "8000") == tmp_path / "data" / "run" / "8000"
    for folder in ("data", "data/run", "data/run/8000"):
        assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o700, folder
    assert stat.S_IMODE(private_folder(tmp_path).stat().st_mode) == 0o755  # the folder existed


def test_a_folder_with_a_running_postgresql_stays(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "postgres" / "data").mkdir(parents=True)
    (tmp_path / "postgres" / "data" / "postmaster.pid").touch()

    assert close_folder(tmp_path) == 0
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
@pytest.mark.parametrize(("mode", "former"), [(0o710, 0), (0o750, 0o750)])
def test_a_folder_shared_with_the_user_of_postgresql_stays(mode: int, former: int, tmp_path: Path) -> None:
    os.chown(tmp_path, 0, pwd.getpwnam("nobody").pw_gid)
    tmp_path.chmod(mode)

    assert close_folder(tmp_path) == former


def test_a_secret_is_generated_once_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "secrets" / "key"
    secret = kept_secret(path)

    assert len(secret) == 43
    assert kept_secret(path) == secret
    assert (stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)
    path.write_text(" mine \n")
    assert kept_secret(path) == "mine"
