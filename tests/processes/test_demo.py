"""`tableapi demo`: the sample shop on an embedded PostgreSQL, served with Studio."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.helpers.support import clean_environment, descendants, free_port, tableapi


def test_the_demo_serves_its_shop_and_stops_what_it_started(tmp_path: Path) -> None:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "tableapi", "demo", "--port", str(port)], cwd=tmp_path, text=True,
        env=clean_environment(DATA_DIR=tmp_path / "data", WORKERS="1"), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        told = ""
        for line in process.stdout:
            told += line
            if line.rstrip().endswith("Ctrl-C."):
                break
        studio = re.search(r"Studio +(\S+)", told)
        assert studio is not None, told
        with urllib.request.urlopen(studio[1], timeout=30) as page:
            assert page.status == 200
        api = f"http://127.0.0.1:{port}/api/v2/shop"
        with urllib.request.urlopen(f"{api}/_table/purchase?include_count=true&count_only=true", timeout=30) as count:
            assert count.read() == b"140000"
        children = descendants(process.pid)
        assert children
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
    assert not [child for child in children if Path(f"/proc/{child}/exe").exists()]
    assert (tmp_path / "data" / "demo" / "postgres").is_dir()


def test_a_port_in_use_is_reported_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = tableapi("demo", "--port", str(port), cwd=tmp_path, DATA_DIR=tmp_path / "data")
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert str(port) in refused.stderr
