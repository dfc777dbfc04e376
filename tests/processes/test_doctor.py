"""`tableapi doctor mcp URL`, with a working sign-in, without one, and with a fault in one step."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.support import ROOT, NewDatabase, Serve, tableapi


class Host(ThreadingHTTPServer):
    """An endpoint and its authorization server in one. Tests change its answers."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        metadata = f"{self.url}/.well-known/oauth-protected-resource/mcp"
        self.status, self.challenge = 401, f'Bearer scope="read", resource_metadata="{metadata}"'
        self.resource: Any = {"resource": f"{self.url}/mcp", "authorization_servers": [self.url]}
        self.server: Any = {
            "issuer": self.url, "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token", "registration_endpoint": f"{self.url}/register",
            "code_challenge_methods_supported": ["S256"],
            "grant_types_supported": ["authorization_code", "refresh_token"], "response_types_supported": ["code"],
            "token_endpoint_auth_methods_supported": ["none"], "scopes_supported": ["read", "write"],
        }  # fmt: skip


class _Handler(BaseHTTPRequestHandler):
    server: Host

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._send(self.server.status, "{}", {"WWW-Authenticate": self.server.challenge, "Location": "/elsewhere"})

    def do_GET(self) -> None:
        found = {
            "/.well-known/oauth-protected-resource/mcp": self.server.resource,
            "/.well-known/oauth-authorization-server": self.server.server,
        }.get(self.path)
        self._send(404 if found is None else 200, found if isinstance(found, str) else json.dumps(found))

    def _send(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            if value:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def host() -> Iterator[Host]:
    server = Host()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def doctor(tmp_path: Path, *url: str) -> subprocess.CompletedProcess[str]:
    return tableapi("doctor", "mcp", *url, cwd=tmp_path)


def test_a_working_sign_in_is_confirmed(host: Host, tmp_path: Path) -> None:
    ended = doctor(tmp_path, f"{host.url}/mcp")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "wrong:" not in ended.stdout
    for text in ("401 with a Bearer challenge", "PKCE with S256", "register themselves", "An assistant can connect."):
        assert text in ended.stdout


def changed(name: str, **values: Any) -> Any:
    def change(host: Host) -> None:
        target = getattr(host, name)
        setattr(host, name, {key: value for key, value in {**target, **values}.items() if value is not None})

    return change


def replaced(name: str, value: Any) -> Any:
    return lambda host: setattr(host, name, value)


@pytest.mark.parametrize(
    ("change", "texts"),
    [
        (replaced("status", 404), ["returns 404", "/mcp"]),
        (replaced("status", 307), ["redirects to /elsewhere", "without a redirect"]),
        (replaced("status", 500), ["gets 500 instead of 401"]),
        (replaced("challenge", ""), ["no Bearer challenge", "A proxy may have removed"]),
        (replaced("challenge", "Basic realm=x"), ["no Bearer challenge"]),
        (replaced("challenge", 'Bearer resource_metadata="http://127.0.0.1:1/x"'), ["cannot be read", "PUBLIC_URL"]),
        (replaced("resource", "<html>"), ["has no JSON object"]),
        (changed("resource", resource="https://o.example/mcp"), ["is for 'https://o.example/mcp'", "PUBLIC_URL"]),
        (changed("resource", authorization_servers=[]), ["has no authorization_servers", "JWT_ISSUER"]),
        (replaced("server", None), ["cannot be read", "oauth-authorization-server"]),
        (changed("server", issuer="http://127.0.0.1/"), ["the issuer 'http://127.0.0.1/'", "a trailing slash"]),
        (changed("server", code_challenge_methods_supported=None), ["PKCE", "Turn on PKCE"]),
        (changed("server", code_challenge_methods_supported=["plain"]), ["PKCE"]),
        (changed("server", scopes_supported=["openid"]), ["The scope read", "unknown to the issuer"]),
        (changed("server", token_endpoint=None), ["has no token_endpoint"]),
        (changed("server", authorization_endpoint="http://login.example/a"), ["is not https"]),
        (changed("server", jwks_uri="http://127.0.0.1:1/keys"), ["keys of the issuer cannot be read"]),
        (changed("server", token_endpoint="http://[::1"), ["something that is not a URL"]),
    ],
)
def test_a_failing_step_is_reported_with_its_remedy(host: Host, tmp_path: Path, change: Any, texts: list[str]) -> None:
    change(host)
    ended = doctor(tmp_path, f"{host.url}/mcp")
    assert (ended.returncode, ended.stderr) == (1, "")
    assert "An assistant cannot sign in." in ended.stdout
    for text in texts:
        assert text in ended.stdout


def test_a_complication_is_reported_as_a_note(host: Host, tmp_path: Path) -> None:
    changed("server", registration_endpoint=None, token_endpoint_auth_methods_supported=["client_secret_post"])(host)
    host.challenge = 'Bearer scope="read"'
    ended = doctor(tmp_path, f"{host.url}/mcp")
    assert ended.returncode == 0
    for text in ("Clients cannot register themselves", "Clients need a secret", "has no resource_metadata"):
        assert text in ended.stdout


@pytest.mark.parametrize("url", [(), ("api.example.com/mcp",), ("ftp://x/mcp",)])
def test_an_invalid_url_is_reported_in_one_line(tmp_path: Path, url: tuple[str, ...]) -> None:
    ended = doctor(tmp_path, *url)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert "such as https://api.example.com/mcp" in ended.stderr


def test_an_unreachable_server_is_reported(tmp_path: Path) -> None:
    ended = doctor(tmp_path, "http://127.0.0.1:1/mcp")
    assert ended.returncode == 1
    assert "cannot be reached" in ended.stdout


def test_servers_without_sign_in_are_diagnosed(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    dataset = f"x={new_database('create table town (id integer primary key)')}"
    opened = serve("--dataset", dataset, "--open")
    assert "does not ask for sign-in" in doctor(tmp_path, f"{opened.url}/mcp").stdout
    keyed = serve("--dataset", dataset, "--open", "--api-key", "a-key-of-16-chars")
    ended = doctor(tmp_path, f"{keyed.url}/mcp")
    assert (ended.returncode, "JWT_ISSUER" in ended.stdout) == (1, True)


def test_the_sign_in_of_the_product_works(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    server = serve(cwd=ROOT, DEMO="1", WORKERS="1", DATABASE_URL=new_database(), DATA_DIR=tmp_path / "data")
    ended = doctor(tmp_path, f"{server.url}/mcp")
    assert ended.returncode == 0, ended.stdout
    assert "Assistants can register themselves" in ended.stdout
