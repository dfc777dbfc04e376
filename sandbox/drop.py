"""/sandbox/drop: a stand-in for California's DROP, based on its API description, version 1.2.0.

Requests are filed and withdrawn on its page. The three operations are below /sandbox/drop/data/; with DEMO=1 set
DROP_URL to PUBLIC_URL/sandbox/drop and DROP_API_KEY to the key on the page. State is kept in DATA_DIR/drop.json.
"""

from __future__ import annotations

import asyncio
import csv
import io
import re
import secrets
import string
import zipfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from product.people import removal
from product.settings import Settings
from sandbox.page import HEADERS, page

KEY = "drop_test_key"
BROKER = "4821"
LISTS = {"Email": removal.email_hash, "Phone": removal.phone_hash}
WORDS = {2: "Exempted", 3: "Deleted", 4: "Opted out", 5: "Not found"}
_LETTERS = string.ascii_letters + string.digits
_NAME = re.compile(r"(?P<prefix>\d{8}_\d{4})_(?P<list>NDZ|Email|Phone|MAID|NameVIN|CTVID)(?:_[A-Za-z0-9]{1,10})?\.csv")
_UNKNOWN_KEY = "API key is missing or invalid. Fix or regenerate the API key and try again."
_STYLE = """
main{max-width:760px}input[type=radio]{width:20px;min-height:20px;height:20px;margin:0;accent-color:var(--accent)}
label.check{margin:8px 0 0}table{width:100%;margin-top:16px;border-collapse:collapse}td,th{padding:8px 12px 8px 0;text-align:left;
border-bottom:1px solid var(--line);overflow-wrap:anywhere}th{font-size:13px;font-weight:500;color:var(--text-2)}
td form{display:inline}td button{width:auto;min-height:32px;margin:0;padding:4px 12px}
"""


class DropService:
    """Consumers' requests, and the one data broker that reads them."""

    def __init__(self, file: Path) -> None:
        self._file, self._lock = file, asyncio.Lock()

    def _load(self) -> dict[str, Any]:
        try:
            state: dict[str, Any] = orjson.loads(self._file.read_bytes())
        except FileNotFoundError:
            state = {"items": {}, "removed": [], "batch": None, "batches": 0, "asked": False, "files": []}
        return state

    def _save(self, state: dict[str, Any]) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        partial = self._file.with_suffix(".partial")
        partial.write_bytes(orjson.dumps(state))
        partial.replace(self._file)

    async def items(self) -> dict[str, Any]:
        """Return the requests by item."""
        items: dict[str, Any] = (await asyncio.to_thread(self._load))["items"]
        return items

    async def file_requests(self, listed: str, identifiers: list[str]) -> list[str]:
        """Store consumers' requests, and return their items. Only the hash of an identifier is stored."""
        async with self._lock:
            state = await asyncio.to_thread(self._load)
            new = {}
            for identifier in identifiers:
                itemid = "".join(secrets.choice(_LETTERS) for _ in range(12))
                new[itemid] = {"list": listed, "hash": LISTS[listed](identifier), "batch": None, "status": None}
            state["items"] |= new
            await asyncio.to_thread(self._save, state)
        return list(new)

    async def withdraw(self, itemid: str) -> None:
        """Withdraw a request; if it has been delivered, the next download reports the withdrawal."""
        async with self._lock:
            state = await asyncio.to_thread(self._load)
            item = state["items"].pop(itemid, None)
            if item is not None and item["batch"]:
                state["removed"].append([itemid, item["hash"], item["list"]])
            await asyncio.to_thread(self._save, state)

    async def download(self) -> Response:
        """Prepare the next batch on the first request, and deliver it on the second."""
        async with self._lock:
            state = await asyncio.to_thread(self._load)
            if state["batch"] is not None:
                return _message(409, "Complete the current batch or contact DROP support if a re-download is needed.")
            fresh = {ident: item for ident, item in state["items"].items() if not item["batch"]}
            if not fresh and not state["removed"]:
                text = "No new consumer request data or removed identifiers are available since your last completed"
                return _message(200, f"{text} download.")
            if not state["asked"]:
                state["asked"] = True
                await asyncio.to_thread(self._save, state)
                text = "No download package is available yet. Your request was received, and the package is being"
                return _message(202, f"{text} created. Call GET /data/download again later.", {"Retry-After": "1"})
            prefix = f"{datetime.now(UTC):%Y%m%d}_{BROKER}"
            archive = await asyncio.to_thread(_archive, prefix, fresh, state["removed"])
            state["batches"] += 1
            for item in fresh.values():
                item["batch"] = state["batches"]
            waiting = state["batches"] if fresh else None
            state |= {"batch": waiting, "asked": False, "removed": [], "files": []}
            await asyncio.to_thread(self._save, state)
        headers = {"Content-Disposition": f'attachment; filename="{prefix}_DROP.zip"'}
        return Response(archive, media_type="application/zip", headers=headers)

    async def respond(self, files: list[tuple[str, bytes]], *, amend: bool) -> Response:
        """Accept status files for the current batch, or changes to earlier statuses."""
        async with self._lock:
            state = await asyncio.to_thread(self._load)
            if not amend and state["batch"] is None:
                text = "No active download is waiting for responses."
                return _message(409, f"{text} Use GET /data/download to request or download a new ZIP file.")
            accepted, rejected = [], []
            for name, body in files:
                if why := _wrong(state, name, body, amend=amend):
                    rejected.append({"fileName": name, "message": why})
                    continue
                accepted.append({"fileName": name, "fileSizeBytes": len(body)})
                state["files"].append(name)
                _take(state, body, amend=amend)
            open_items = [item for item in state["items"].values() if item["batch"] and item["status"] is None]
            state["batch"] = state["batch"] if open_items else None
            await asyncio.to_thread(self._save, state)
        text = "Upload received. Accepted files were queued for validation."
        if not accepted:
            text = "Upload request is invalid. Fix the rejected files and try again."
        body_of = {"message": text, "acceptedCount": len(accepted), "rejectedCount": len(rejected)}
        return JSONResponse(body_of | {"accepted": accepted, "rejected": rejected}, 202 if accepted else 400)


def _message(status: int, text: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"message": text}, status, headers=headers)


def _archive(prefix: str, items: dict[str, Any], removed: list[list[str]]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as files:
        for listed in LISTS:
            rows = [f"{ident},{item['hash']}\n" for ident, item in items.items() if item["list"] == listed]
            files.writestr(f"{prefix}_{listed}.csv", "ID,Hash\n" + "".join(rows))
        if removed:
            rows = [",".join(row) + "\n" for row in removed]
            files.writestr(f"{prefix}_Removed.csv", "ID,Hash,ListType\n" + "".join(rows))
    return data.getvalue()


def _wrong(state: dict[str, Any], name: str, body: bytes, *, amend: bool) -> str:
    """Return the reason for rejecting a file before reading its rows; "" for a valid file."""
    if not name.endswith(".csv"):
        return "Only CSV files are accepted."
    if not _NAME.fullmatch(name):
        return "The file name is no downloaded file name with an allowed suffix."
    if name in state["files"]:
        return "A file with this name was already uploaded for the current download. Use a unique suffix and try again"
    if body.partition(b"\n")[0].strip() != b"Id,Status":
        return "Invalid CSV header. Expected: Id,Status."
    return ""


def _take(state: dict[str, Any], body: bytes, *, amend: bool) -> None:
    """Store the statuses of known items; invalid rows are skipped, as in DROP's later validation."""
    for row in csv.reader(io.StringIO(body.decode("utf-8", "replace")[len("Id,Status") :].lstrip())):
        item = state["items"].get(row[0]) if len(row) == 2 else None
        if item is None or row[1] not in {"2", "3", "4", "5"}:
            continue
        if amend or item["batch"] == state["batch"]:
            item["status"] = int(row[1])


def routes(settings: Settings) -> list[Route]:
    """Return the routes of the platform."""
    service = DropService(settings.data_dir / "drop.json")

    def keyed(run: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        async def checked(request: Request) -> Response:
            if not secrets.compare_digest(request.headers.get("x-api-key", "").encode(), KEY.encode()):
                return _message(401, _UNKNOWN_KEY)
            return await run(request)

        return checked

    async def download(_request: Request) -> Response:
        return await service.download()

    async def upload(request: Request) -> Response:
        async with request.form() as form:
            parts = [each for each in form.getlist("files") if not isinstance(each, str)]
            files = [(each.filename or "", await each.read()) for each in parts]
        return await service.respond(files, amend=request.url.path.endswith("/amend"))

    async def look(_request: Request) -> Response:
        return page("California's deletion requests", _page(await service.items(), settings.public_url), style=_STYLE)

    async def file(request: Request) -> Response:
        async with request.form() as form:
            listed, identifier, itemid = (
                str(form.get(name, "")).strip() for name in ("list", "identifier", "withdraw")
            )
        if itemid:
            await service.withdraw(itemid)
        elif listed in LISTS and identifier:
            await service.file_requests(listed, [identifier])
        else:
            return _message(400, "Choose the list and type an address or a number.")
        return RedirectResponse("/sandbox/drop", 303, headers=HEADERS)

    return [
        Route("/sandbox/drop", look, methods=["GET"]),
        Route("/sandbox/drop", file, methods=["POST"]),
        Route("/sandbox/drop/data/download", keyed(download), methods=["GET"]),
        Route("/sandbox/drop/data/upload", keyed(upload), methods=["POST"]),
        Route("/sandbox/drop/data/amend", keyed(upload), methods=["POST"]),
    ]


def _page(items: dict[str, Any], public_url: str) -> str:
    rows = "".join(
        f"<tr><td>{ident}</td><td>{escape(item['list'])}</td><td>{WORDS.get(item['status'], 'Waiting')}</td><td>"
        f'<form method="post"><input type="hidden" name="withdraw" value="{ident}">'
        f'<button class="plain">Withdraw</button></form></td></tr>'
        for ident, item in reversed(items.items())
    )
    listing = f"<table><tr><th>Item</th><th>List</th><th>Status</th><th></th></tr>{rows}</table>" if rows else ""
    return (
        "<main><h1>Deletion requests</h1><p class='quiet'>A stand-in of California's Delete Request and Opt-out"
        " Platform. A request keeps only the hash of what is typed here.</p><form class='panel' method='post'>"
        "<label for='list'>Identifier</label><div><label class='check'><input type='radio' name='list' value='Email'"
        " checked>E-mail address</label><label class='check'><input type='radio' name='list' value='Phone'>Phone"
        " number</label></div><label for='identifier'>Address or number</label><input id='identifier'"
        " name='identifier' required maxlength='254'><button>File a request</button></form>"
        f"<p class='panel'>Settings of the data broker: <code>DROP_URL={escape(public_url)}/sandbox/drop</code>"
        f" <code>DROP_API_KEY={KEY}</code></p>{listing}</main>"
    )
