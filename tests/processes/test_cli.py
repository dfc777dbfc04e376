"""The command line: every error in one line."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.helpers.support import ROOT, NewDatabase, Serve, free_port, tableapi

NOWHERE = "postgresql://me:hidden@127.0.0.1:1/shop"
TAKING_THE_PORT = '''"""Listen on the port of the server."""
import socket
from tableapi.project.guard import script
TAKEN = []

@script(internal=True)
async def run(ctx):
    TAKEN.append(socket.create_server(("127.0.0.1", ctx.settings.port)))
'''


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "name a command: serve"),
        (["bogus"], 2, "invalid choice"),
        (["serve"], 2, "is not a project"),
        (["serve", "--port", "70000"], 2, "PORT: must be a whole number from 1 to 65535 (is '70000')."),
        (["serve", "--open"], 2, "need a database"),
        (["serve", "--dataset", "shop", "--open"], 2, "must be NAME=postgresql://"),
        (["serve", "--dataset", "shop=mysql://x/y", "--open"], 2, "is of mysql, but only PostgreSQL"),
        (["serve", "--dataset", f"a/b={NOWHERE}", "--open"], 2, "must be NAME=postgresql://"),
        (["serve", "--dataset", f"a={NOWHERE}", "--dataset", f"a={NOWHERE}", "--open"], 2, "given twice"),
        (["serve", "--dataset", f"a={NOWHERE}"], 2, "either --open"),
        (["serve", "--dataset", f"a={NOWHERE}", "--open", "--access", "x.json"], 2, "either --open"),
        (["serve", "--dataset", f"a={NOWHERE}", "--open", "--host", "0.0.0.0"], 2, "add --api-key KEY"),
        (["serve", "--dataset", f"a={NOWHERE}", "--open", "--host", "::"], 2, "add --api-key KEY"),
        (["serve", "--dataset", f"a={NOWHERE}", "--open", "--host", "example.com"], 2, "add --api-key KEY"),
        (
            ["serve", "--dataset", f"a={NOWHERE}", "--open"],
            1,
            "127.0.0.1:1/shop cannot be reached: connection refused.",
        ),
        (["serve", "--dataset", f"a={NOWHERE}", "--open", "--reload"], 2, "--reload requires a project"),
        (["serve", "--dataset", f"a={NOWHERE}", "--access", "none.json"], 2, "No such file or directory"),
        (["serve", "--dataset", f"a={NOWHERE}", "--access", "broken.json"], 2, "broken.json"),
        (["serve", "--dataset", f"a={NOWHERE}", "--access", "norole.json"], 2, "'sales'"),
        (["serve", "--dataset", f"a={NOWHERE}", "--access", "norole.json", "--api-key", "x"], 2, "requires --open"),
        (["serve", "--dataset", f"a={NOWHERE}", "--open", "--api-key", "a"], 2, "--api-key has 1 character;"),
        (
            ["serve", "--dataset", f"a={NOWHERE}", "--open", "--host", "0.0.0.0", "--api-key", "five5"],
            2,
            "--api-key has 5 characters; it must have at least 16",
        ),
        (["worker"], 2, "is not a project"),
        (["init"], 2, "is not a project"),
        (["run", "anything"], 2, "is not a project"),
    ],
)
def test_an_invalid_call_is_reported_in_one_line(words: list[str], code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "norole.json").write_text(json.dumps({"keys": {"K": {"role": "sales"}}}))

    refused = tableapi(*words, cwd=tmp_path, PORT=str(free_port()))

    assert refused.returncode == code, refused.stderr
    assert said in refused.stderr.splitlines()[-1]
    assert "Traceback" not in refused.stderr
    assert "hidden" not in refused.stderr


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PORT", "http", "PORT:"),
        ("WORKERS", "0", "WORKERS:"),
        ("DEMO", "maybe", "DEMO:"),
        ("DATABASE_URL", "sqlite:///x", "DATABASE_URL: the address is of sqlite, but only PostgreSQL is supported"),
        ("DATABASE_URL", NOWHERE, "127.0.0.1:1/shop cannot be reached"),
        ("DATABASE_URL", "postgresql://127.0.0.1:notaport/x", "DATABASE_URL: the host or port is not valid"),
        ("DATA_DIR", "/proc/nothing", "DATA_DIR /proc/nothing cannot be used"),
        ("MAIL_URL", "http://x", "MAIL_URL: must be smtp://"),
        ("GOOGLE_CLIENT_ID", "x", "GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET must be set together"),
        ("HOST", "no.such.host.invalid", "HOST: 'no.such.host.invalid'"),
    ],
)
def test_an_invalid_setting_is_reported_in_one_line(name: str, value: str, said: str, tmp_path: Path) -> None:
    settings = {"DATA_DIR": str(tmp_path / "data"), "PORT": str(free_port())} | {name: value}

    refused = tableapi("serve", cwd=ROOT, **settings)

    assert refused.returncode in (1, 2)
    assert said in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert "hidden" not in refused.stderr


def test_a_variable_that_is_nearly_a_setting_is_reported_without_its_value(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("Database_Urls=postgresql://hidden\nOTHER_PROGRAM=1\n")
    words = {"SECRET_KEY": "hidden", "SECRET_SAUCE": "1", "DATABASE_POOLS": "2", "METRICS_TOKEN": "", "PORTS": "1"}

    run = tableapi("check", cwd=tmp_path, DATA_DIR=str(tmp_path / "data"), **words)

    assert [line for line in run.stderr.splitlines() if line.startswith("unknown_setting")] == [
        "unknown_setting name=DATABASE_URLS told=It is not a setting and is ignored. Did you mean DATABASE_URL?",
        "unknown_setting name=SECRET_KEY told=It is not a setting and is ignored. Did you mean SECRET_KEYS?",
    ]
    assert "hidden" not in run.stderr + run.stdout


def test_a_port_in_use_is_reported_before_anything_starts(project: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = tableapi("serve", cwd=project, PORT=str(port), DATA_DIR=tmp_path / "data")

    assert refused.returncode == 1
    assert f"Port {port} on 127.0.0.1 is in use" in refused.stderr
    assert not (tmp_path / "data" / "postgres").exists()


def test_the_port_of_another_server_is_reported_as_in_use(
    serve: Serve, project: Path, new_database: NewDatabase, tmp_path: Path
) -> None:
    url = new_database()
    first = serve(cwd=project, DATABASE_URL=url)

    refused = tableapi("serve", cwd=project, PORT=str(first.port), DATABASE_URL=url, DATA_DIR=tmp_path / "other")

    assert refused.returncode == 1
    assert "is in use" in refused.stderr
    assert httpx2.get(f"{first.url}/healthz").status_code == 200


def test_a_port_taken_during_preparation_is_reported_in_one_line(
    project: Path, new_database: NewDatabase, tmp_path: Path
) -> None:
    (project / "scripts").mkdir()
    (project / "scripts" / "init.py").write_text(TAKING_THE_PORT)
    port = free_port()

    refused = tableapi("serve", cwd=project, PORT=str(port), DATABASE_URL=new_database(), DATA_DIR=tmp_path / "data")

    assert refused.returncode == 1
    assert f"Port {port} on 127.0.0.1 is in use" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize("change", ["no such database", "wrong password"])
def test_a_rejecting_database_is_reported_without_its_password(change: str, pg_url: str, tmp_path: Path) -> None:
    parts = urlsplit(pg_url)
    url = f"postgresql://postgres:hidden@127.0.0.1:{parts.port}/tableapi"
    if change == "no such database":
        url = f"{pg_url.rpartition('/')[0]}/nothing_here"

    refused = tableapi("serve", "--dataset", f"a={url}", "--open", cwd=tmp_path, PORT=str(free_port()))

    assert refused.returncode == 1
    assert f"127.0.0.1:{parts.port}/" in refused.stderr
    assert "refused the connection" in refused.stderr
    assert "hidden" not in refused.stderr


def test_an_inapplicable_schema_is_reported_in_one_line(
    project: Path, new_database: NewDatabase, tmp_path: Path
) -> None:
    (project / "schema.sql").write_text("create tabel note ();")

    refused = tableapi("init", cwd=project, DATABASE_URL=new_database(), DATA_DIR=tmp_path / "data")

    assert refused.returncode == 1
    assert "schema.sql, line 1 cannot be applied" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_an_unknown_script_or_malformed_value_is_reported(
    project: Path, new_database: NewDatabase, tmp_path: Path
) -> None:
    settings = {"DATABASE_URL": new_database(), "DATA_DIR": str(tmp_path / "data")}

    script = tableapi("run", "nothing", cwd=project, **settings)
    value = tableapi("run", "nothing", "file", cwd=project, **settings)

    assert (script.returncode, value.returncode) == (2, 2)
    assert "There is no internal script 'nothing'" in script.stderr
    assert "'file' must be name=value" in value.stderr


def test_every_command_has_help_with_examples(tmp_path: Path) -> None:
    for command in ("serve", "worker", "init", "run", "demo", "check"):
        result = tableapi(command, "--help", cwd=tmp_path)
        assert result.returncode == 0
        assert f"tableapi {command}" in result.stdout.partition("example")[2]


def test_help_and_errors_load_no_query_builder() -> None:
    # These take a third of the server's modules, and of the time of a command that prints one line.
    words = [sys.executable, "-c", "import sys, tableapi.cli.main; print('sqlalchemy' in sys.modules)"]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_check_reports_what_is_missing_for_production(tmp_path: Path, pg_url: str) -> None:
    bare = tableapi("check", cwd=ROOT, DEMO="1", DATA_DIR=tmp_path / ".data")
    whole = tableapi(
        "check", cwd=ROOT, DATA_DIR=tmp_path / ".data", DATABASE_URL=pg_url,
        PUBLIC_URL="https://app.example.com", SECRET_KEYS="k" * 32,
        APP_KEYS="a", MAIL_URL="smtp://mail.example.com", MAIL_FROM="App <app@example.org>",
    )  # fmt: skip

    assert bare.returncode == 1
    for name in ("DEMO", "DATABASE_URL", "PUBLIC_URL", "SECRET_KEYS", "MAIL_URL"):
        assert f"error: {name}" in bare.stdout
    assert whole.returncode == 0, whole.stdout
    assert "error" not in whole.stdout
    assert not (tmp_path / ".data").exists()  # a check creates nothing


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com"])
@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_demo_is_served_only_to_the_local_machine(tmp_path: Path, host: str, by: str) -> None:
    words = ("serve", "--host", host) if by == "option" else ("serve",)
    settings = {"DEMO": "1", "PORT": str(free_port()), "DATABASE_URL": NOWHERE, "DATA_DIR": str(tmp_path)}
    settings |= {} if words[1:] else {"HOST": host}
    refused = tableapi(*words, cwd=ROOT, **settings)
    assert refused.returncode == 2
    assert f"unset it, or serve on 127.0.0.1 and not on {host}." in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "slow"),
    [
        ("'--prefix=/opt'", True),
        ("'--prefix=/opt' '--enable-optimizations'", False),
        ("'--enable-shared' '--prefix=/usr' '--enable-ipv6'", False),  # Debian's
    ],
)
def test_check_names_a_python_without_optimizations(options: str, slow: bool, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        f"import sysconfig\nsysconfig.get_config_vars()['CONFIG_ARGS'] = {options!r}\n"
    )
    done = tableapi("check", cwd=tmp_path, PYTHONPATH=f"{tmp_path}:{ROOT}", DATASETS="x=postgresql://me@127.0.0.1:1/no")
    assert ("note: Python" in done.stdout) is slow, done.stdout + done.stderr
