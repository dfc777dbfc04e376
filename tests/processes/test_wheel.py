"""The wheel in an empty environment: the command, a server on any database, and an API mounted in another program."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tableapi.version import VERSION
from tests.helpers.support import ROOT, NewDatabase, clean_environment, free_port

TABLES = "create table customer (id int primary key, name text); insert into customer values (1, 'Ann')"
ROW = {"resource": [{"id": 1, "name": "Ann"}]}
PROGRAM = '''"""A program that mounts the engine."""
import os
from starlette.applications import Starlette
from starlette.routing import Mount
from tableapi import TableAPI

api = TableAPI({"shop": os.environ["SHOP"]}, open=True)
app = Starlette(routes=[Mount("/data", app=api)], lifespan=api.lifespan)
'''
PRODUCT = ("scripts", "policy", "stripe", "jinja2", "aiosmtplib", "redis", "xlsxwriter", "brotli", "opentelemetry")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a virtual environment with the wheel and its dependencies, in the versions of the lock file."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([ROOT / "tools" / "wheel", folder], check=True, env=clean_environment(PYTHON=sys.executable))
    pins = re.findall(r"^[\w.-]+==\S+", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    (folder / "pins.txt").write_text("\n".join(pins))
    [wheel] = folder.glob("tableapi_server-*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    pip: list[str | Path] = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        folder / "venv" / "bin" / "python",
        "--disable-pip-version-check",
    ]
    subprocess.run(
        [
            *pip,
            "install",
            "-q",
            "--no-compile",
            "--only-binary",
            ":all:",
            "-c",
            folder / "pins.txt",
            f"{wheel}[server]",
        ],
        check=True,
    )
    return folder / "venv"


def _environment(**more: str) -> dict[str, str]:
    environment = clean_environment(**more)
    del environment["PYTHONPATH"]
    return environment


def _run(venv: Path, folder: Path, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [venv / "bin" / command[0], *command[1:]], cwd=folder, env=_environment(**more), capture_output=True,
        text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def _get(url: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(url, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@contextmanager
def _running(venv: Path, folder: Path, url: str, *command: str, **more: str) -> Iterator[None]:
    """Run a server during the block, which begins when `url` responds."""
    process = subprocess.Popen(
        [venv / "bin" / command[0], *command[1:]], cwd=folder, env=_environment(**more), stdin=subprocess.DEVNULL
    )
    try:
        end = time.monotonic() + 60
        while True:
            try:
                _get(url)
                break
            except urllib.error.URLError:
                assert process.poll() is None, "the server ended"
                assert time.monotonic() < end, "the server does not answer"
                time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(20)


def test_the_environment_contains_no_product(environment: Path, tmp_path: Path) -> None:
    code = f"from importlib.util import find_spec; print([n for n in {PRODUCT!r} if find_spec(n)])"
    assert _run(environment, tmp_path, "python", "-c", code).stdout == "[]\n"


def test_the_command_has_help(environment: Path, tmp_path: Path) -> None:
    result = _run(environment, tmp_path, "tableapi", "--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert "serve" in result.stdout


def test_any_database_is_served_from_an_empty_folder(
    environment: Path, tmp_path: Path, new_database: NewDatabase
) -> None:
    port, url = free_port(), new_database(TABLES)
    api = f"http://127.0.0.1:{port}/api/v2/shop"
    command = ("tableapi", "serve", "--dataset", f"shop={url}", "--open", "--port", str(port))
    with _running(environment, tmp_path, f"{api}/_table/customer", *command, WORKERS="1"):
        assert _get(f"{api}/_table/customer") == (200, ROW)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/studio/", timeout=30) as page:  # part of the wheel
            assert 'type="module"' in page.read().decode()
        status, body = _get(f"{api}/_table/customer?file=customers.xlsx")
        assert (status, body["error"]["context"]["reason"]) == (501, "format_not_installed")
        assert "text/csv" in body["error"]["message"]
        page = f"http://127.0.0.1:{port}{body['error']['context']['doc'].partition('#')[0]}"
        with urllib.request.urlopen(page, timeout=30) as response:  # the wheel contains the documentation
            assert 'id="format_not_installed"' in response.read().decode()


@pytest.mark.parametrize(
    ("setting", "value", "extra"),
    [("REDIS_URL", "redis://127.0.0.1:1/0", "redis"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", "otel")],
)
def test_a_setting_without_its_extra_reports_the_missing_package(
    environment: Path, tmp_path: Path, setting: str, value: str, extra: str
) -> None:
    words = ("tableapi", "serve", "--dataset", "shop=postgresql://127.0.0.1:1/shop", "--open")
    result = _run(environment, tmp_path, *words, **{setting: value}, PORT=str(free_port()))
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert f"pip install './tableapi_server-{VERSION}-py3-none-any.whl[{extra}]'" in result.stderr


def test_the_package_works_inside_another_program(environment: Path, tmp_path: Path, new_database: NewDatabase) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    port, url = free_port(), new_database(TABLES)
    path = f"http://127.0.0.1:{port}/data/api/v2/shop/_table/customer"
    command = ("python", "-m", "uvicorn", "program:app", "--port", str(port), "--log-level", "warning")
    with _running(environment, tmp_path, path, *command, SHOP=url):
        assert _get(path) == (200, ROW)
