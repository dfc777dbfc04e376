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


@pytest.mark.parametrize("mode", [0o1777, 0o755, 0o700])
@pytest.mark.parametrize("name", ["photo.jpg", "log", "secrets/of-another-program", "postgres/main/base"])
def test_a_folder_of_others_is_rejected_and_left_as_it_is(mode: int, name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "other").touch()
    (tmp_path / "secrets").mkdir(exist_ok=True)
    tmp_path.chmod(mode)
    with pytest.raises(OSError, match="files of other programs"):
        close_folder(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == mode


@pytest.mark.parametrize("name", ["run", "uploads", "demo", "secrets", "postgres/data"])
def test_a_folder_of_others_with_a_name_of_ours_is_left_as_it_is(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir(parents=True)
    tmp_path.chmod(0o755)
    with pytest.raises(OSError, match="files of other programs"):
        close_folder(tmp_path)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_a_file_and_a_folder_for_all_users_are_rejected(tmp_path: Path) -> None:
    file, shared = tmp_path / "hostname", tmp_path / "shared"
    file.touch(mode=0o644)
    shared.mkdir()
    shared.chmod(0o1777)  # empty, like /tmp on a new machine
    for path in (file, shared):
        before = path.stat().st_mode
        with pytest.raises(OSError):  # noqa: PT011 - of the system
            close_folder(path)
        assert path.stat().st_mode == before


def test_a_folder_that_was_made_here_may_hold_other_files_later(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    assert close_folder(folder) == 0
    (folder / "notes.txt").touch()
    folder.chmod(0o755)
    assert close_folder(folder) == 0o755


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
    for name in ("PG_VERSION", "postmaster.pid"):
        (tmp_path / "postgres" / "data" / name).touch()

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
