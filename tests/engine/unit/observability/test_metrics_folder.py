"""The metrics folder: on a tmpfs if there is one, empty at every start, and separate for each server."""

from __future__ import annotations

import stat
from pathlib import Path

import prometheus_client.values
import pytest
from prometheus_client.mmap_dict import MmapedDict

from tableapi.config.settings import Settings
from tableapi.observability import metrics_folder


def settings(data_dir: Path, port: int = 8000) -> Settings:
    return Settings(data_dir=data_dir, port=port)


def test_the_folder_is_in_shared_memory_and_private(tmp_path: Path) -> None:
    folder = metrics_folder.create(settings(tmp_path / "data"), tmp_path)

    assert folder.parent == tmp_path
    assert folder.name.startswith("tableapi-")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not (tmp_path / "data").exists()


def test_the_files_of_an_earlier_run_are_removed(tmp_path: Path) -> None:
    first = metrics_folder.create(settings(tmp_path / "data"), tmp_path)
    (first / "counter_1.db").touch()

    again = metrics_folder.create(settings(tmp_path / "data"), tmp_path)

    assert (again, list(again.iterdir())) == (first, [])


def test_each_server_has_a_separate_folder(tmp_path: Path) -> None:
    folders = {
        metrics_folder.create(settings(tmp_path / name, port), tmp_path) for name in ("a", "b") for port in (1, 2)
    }

    assert len(folders) == 4


@pytest.mark.parametrize("reason", ["absent", "a file", "too small", "taken"])
def test_without_shared_memory_the_folder_is_below_data_dir(
    reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "shm"
    server = settings(tmp_path / "data")
    if reason == "a file":
        memory.touch()
    elif reason == "too small":
        memory.mkdir()
        monkeypatch.setattr(metrics_folder, "BYTES_PER_WORKER", 1 << 60)
    elif reason == "taken":
        name = metrics_folder.create(server, tmp_path).name
        memory.mkdir()
        (memory / name).symlink_to(tmp_path)  # rmtree refuses a link, as it cannot remove the folder of another user

    assert metrics_folder.create(server, memory) == server.run_dir / "metrics"


def test_importing_the_engine_patches_nothing() -> None:
    from tableapi.observability import prometheus

    assert prometheus.text()
    assert vars(prometheus_client.values)["MmapedDict"] is MmapedDict
