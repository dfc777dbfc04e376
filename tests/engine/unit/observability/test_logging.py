"""Lines of the log, and the folder of metrics."""

from __future__ import annotations

import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson
import prometheus_client.values
import pytest
import structlog
from prometheus_client.mmap_dict import MmapedDict

from tableapi.config.settings import Settings
from tableapi.observability import logging as observe
from tableapi.observability import metrics, metrics_folder, prometheus
from tests.helpers.support import ROOT


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A file instead of standard error."""
    path = tmp_path / "log"
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    monkeypatch.setattr(observe, "sink", observe.Sink(file))
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    observe.configure("info")
    yield path
    root.handlers[:], root.level = handlers, level
    structlog.reset_defaults()
    os.close(file)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", ""),
        ("limit=5&offset=10&order=createdon%20DESC", "limit=5&offset=10&order=createdon%20DESC"),
        ("limit=5&filter=(email%3Da@b.c)&api_key=k", "limit=5&filter=***&api_key=***"),
        ("session_token=abc", "session_token=***"),
        ("API_KEY=abc&apikey=abc", "API_KEY=***&apikey=***"),
        ("api%5Fkey=abc", "***"),
        ("session_token=x%26limit=3", "session_token=***"),
        ("baretoken", "***"),
        ("YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo==", "***"),
        ("a=1&&=2", "a=***&***&***"),
    ],
)
def test_a_query_string_keeps_names_and_harmless_values_only(query: str, shown: str) -> None:
    assert observe.redacted(query) == shown


def test_an_access_line_has_status_and_user(lines: Path) -> None:
    observe.AccessLog().line("GET", '/api/"x"', "api_key=k", 200, 0.01234, 99, "r1", "1.2.3.4", {"appuserid": 7})

    said = orjson.loads(lines.read_bytes())
    assert said.pop("time").endswith("Z")
    assert said == {
        "level": "info", "event": "request", "method": "GET", "path": '/api/"x"', "query": "api_key=***",
        "status": 200, "ms": 12.34, "bytes": 99, "ip": "1.2.3.4", "request_id": "r1", "appuserid": 7,
    }  # fmt: skip


def test_fields_with_a_telling_name_are_masked(lines: Path) -> None:
    structlog.get_logger().info("sent", email="a@b.c", session_token="t", reset_url="u", count=1)

    said = orjson.loads(lines.read_bytes())
    assert (said["email"], said["session_token"], said["reset_url"], said["count"]) == ("***", "***", "***", 1)


def test_levels_exceptions_and_lines_of_other_packages(lines: Path) -> None:
    structlog.get_logger().debug("not this")
    logging.getLogger("granian").error("that %s", 1)
    try:
        raise ValueError("broken")
    except ValueError:
        structlog.get_logger().exception("bug")

    other, bug = (orjson.loads(line) for line in lines.read_bytes().splitlines())
    assert (other["event"], other["source"], other["level"]) == ("that 1", "granian", "error")
    assert "ValueError: broken" in bug["exception"]


def test_a_blocked_log_reader_causes_no_wait() -> None:
    reading, writing = os.pipe()
    sink = observe.Sink(writing)
    sink.start()

    for _ in range(observe.MAX_QUEUED_LINES * 3):
        sink.put(b"x" * 100)

    sink.close()
    assert len(sink._lines) <= observe.MAX_QUEUED_LINES
    os.close(reading)  # the writer, if it still hangs, gets EPIPE and ends


COUNTING = """
import os, sys
from tableapi.observability import metrics, prometheus
if os.fork() == 0:
    metrics.request("_table", "GET", 200, 0.004)
    prometheus.publish()
    os._exit(0)
os.wait()
metrics.request("_table", "GET", 200, 0.004)
metrics.request("_table", "INVENTED", 404, 20.0)
sys.stdout.buffer.write(prometheus.text())
"""


def test_metrics_are_added_up_over_processes(tmp_path: Path) -> None:
    environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "-c", COUNTING], env=environment, capture_output=True, text=True, check=True
    )

    assert 'tableapi_requests_total{method="GET",route="_table",status="200"} 2.0' in result.stdout
    assert 'tableapi_requests_total{method="other",route="_table",status="404"} 1.0' in result.stdout
    assert 'tableapi_request_seconds_bucket{le="0.005",method="GET",route="_table"} 2.0' in result.stdout
    assert 'tableapi_request_seconds_bucket{le="0.0025",method="GET",route="_table"} 0.0' in result.stdout
    assert 'tableapi_request_seconds_count{method="other",route="_table"} 1.0' in result.stdout


def test_metrics_of_one_process_need_no_folder() -> None:
    metrics.request("_table", "GET", 200, 0.004)

    assert b"tableapi_requests_total" in prometheus.text()


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
