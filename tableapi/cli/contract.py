"""`tableapi contract`: keep the API description in a file, and find changes that break clients."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tableapi.app.features import application
from tableapi.app.options import ServeOptions
from tableapi.config.command_error import CommandError, MissingExtra
from tableapi.config.settings import Settings
from tableapi.crypto.tls import tls_context
from tableapi.db.errors import UNREACHABLE
from tableapi.openapi.contract import breaking, locked

SPEC = "/api/v2/_spec"
TIMEOUT_SECONDS = 60.0
Headers = Sequence[tuple[bytes, bytes]]


class BadContract(CommandError):
    """Raised if the description or the file cannot be read."""

    code = 2


def headers_of(key: str, session: str) -> Headers:
    """Return the request headers for a caller."""
    named = ((b"x-api-key", key), (b"x-session-token", session))
    return [(name, value.encode()) for name, value in named if value]


async def described(settings: Settings, datasets: ServeOptions, headers: Headers) -> dict[str, Any]:
    """Build the generator description as a caller sees it, without a server.

    Raises BadContract.
    """
    app = application(settings, datasets)
    status, parts = 0, []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)
        parts.append(message.get("body", b""))

    scope = {
        "type": "http", "method": "GET", "path": SPEC, "raw_path": SPEC.encode(), "query_string": b"typed=true",
        "headers": [*headers, (b"host", b"localhost")], "client": ("127.0.0.1", 0), "scheme": "http", "root_path": "",
    }  # fmt: skip
    try:
        await app.life.start()
    except UNREACHABLE as error:
        raise BadContract(f"The database cannot be reached: {type(error).__name__}.") from None
    try:
        await app(scope, receive, send)
    finally:
        await app.life.stop()
    return _document(status, b"".join(parts).decode(), "The description")


def fetched(url: str, headers: Headers) -> dict[str, Any]:
    """Fetch the description of a running server. Raises BadContract, MissingExtra."""
    try:
        import httpx2
    except ImportError:
        raise MissingExtra("--url", "mcp") from None
    address = url.rstrip("/") + (SPEC if "_spec" not in url else "")
    sent = {name.decode(): value.decode() for name, value in headers}
    try:
        response = httpx2.get(
            address, params={"typed": "true"}, headers=sent, verify=tls_context(), timeout=TIMEOUT_SECONDS
        )
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise BadContract(f"{address} cannot be read: {error}") from None
    return _document(response.status_code, response.text, address)


def _document(status: int, text: str, name: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except ValueError:
        content = None
    if status == 200 and isinstance(content, dict) and "paths" in content:
        return content
    told = content["error"].get("message", "") if isinstance(content, dict) and "error" in content else ""
    raise BadContract(f"{name} cannot be read (status {status}). {told}")


def lock(file: Path, document: dict[str, Any]) -> str:
    """Write a contract and return the message to print. Raises BadContract."""
    try:
        file.write_text(locked(document), "utf-8")
    except OSError as error:
        raise BadContract(f"{file}: {error.strerror}.") from None
    calls = sum(len(item.keys() - {"parameters"}) for item in document["paths"].values())
    return f"{file} describes {calls} calls. Commit it with the code, and check it with: tableapi contract check {file}"


def read(file: Path) -> dict[str, Any]:
    """Read a contract. Raises BadContract."""
    try:
        content = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise BadContract(f"{file}: {error.strerror}. Write it with: tableapi contract lock {file}") from None
    except ValueError:
        content = None
    if not isinstance(content, dict) or not isinstance(content.get("paths"), dict):
        raise BadContract(f"{file} is not a contract. Write it with: tableapi contract lock {file}")
    return content


def check(contract: dict[str, Any], document: dict[str, Any], file: Path) -> tuple[list[str], bool]:
    """Return the lines to print, and whether any change breaks clients."""
    changes = breaking(contract, document)
    lines = [str(change) for change in changes]
    if changes:
        word = "change breaks" if len(changes) == 1 else "changes break"
        lines.append(f"{len(changes)} {word} clients. To accept them, run: tableapi contract lock {file}")
    elif locked(document) != locked(contract):
        lines.append(f"No change breaks clients. To record the new description, run: tableapi contract lock {file}")
    else:
        lines.append("Nothing has changed.")
    return lines, bool(changes)
