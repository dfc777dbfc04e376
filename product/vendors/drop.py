"""Client of California's DROP (Delete Request and Opt-out Platform), API version 1.2.0."""

from __future__ import annotations

import re
from dataclasses import dataclass

import httpx2

from tableapi import ApiError, BadRequest, tls_context

SECONDS = 300.0  # archives are large
DUPLICATE = "already uploaded"  # part of DROP's message for a file that an earlier attempt has uploaded
_NAME = re.compile(r'filename="?([A-Za-z0-9_.-]+)"?')


class DropDown(ApiError):
    """DROP does not respond, or asks to wait (503). The queue tries again."""

    status, reason = 503, "drop_unavailable"


class DropRefused(BadRequest):
    """DROP rejects the request until the account or the key is changed."""

    reason = "drop_refused"


class BadArchive(BadRequest):
    """DROP's archive or response does not have the documented form."""

    reason = "bad_archive"


@dataclass(frozen=True, slots=True)
class Download:
    """An archive with its name; if there is none, the seconds to wait for it, or 0 if nothing is new."""

    archive: bytes | None = None
    name: str = ""
    retry_after: int = 0


class Drop:
    """The API for a data broker."""

    def __init__(self, url: str, key: str, *, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._url = url.rstrip("/")
        self._client = httpx2.AsyncClient(
            verify=tls_context(), timeout=SECONDS, transport=transport, headers={"X-API-KEY": key},
            follow_redirects=False,
        )  # fmt: skip

    async def close(self) -> None:
        await self._client.aclose()

    async def download(self) -> Download:
        """Request the next batch.

        Raises:
            DropDown: no response, or too many requests (503).
            DropRefused: a problem with the key, the account or the state of the last batch (400).
        """
        response = await self._send("GET", "download", headers={"Accept": "application/zip, application/json"})
        if response.status_code == 202:
            return Download(retry_after=_seconds(response, 60))
        if response.status_code != 200:
            raise DropRefused(_words(response))
        if "zip" not in response.headers.get("content-type", ""):
            return Download()
        name = _NAME.search(response.headers.get("content-disposition", ""))
        if name is None:
            raise BadArchive("DROP sent an archive without a name; its lists cannot be reported. Ask DROP's support.")
        return Download(response.content, name[1])

    async def upload(self, name: str, rows: bytes) -> None:
        """Report the statuses of a list. A file uploaded by an earlier attempt counts as reported."""
        await self._post("upload", name, rows)

    async def amend(self, name: str, rows: bytes) -> None:
        """Change statuses that were reported before."""
        await self._post("amend", name, rows)

    async def _post(self, operation: str, name: str, rows: bytes) -> None:
        response = await self._send("POST", operation, files=[("files", (name, rows, "text/csv"))])
        if response.status_code not in (202, 400):
            raise DropRefused(_words(response))
        try:
            rejected = [str(each["message"]) for each in response.json()["rejected"]]
        except (ValueError, KeyError, TypeError):
            raise DropRefused(_words(response)) from None
        if wrong := [message for message in rejected if DUPLICATE not in message]:
            raise DropRefused(f"DROP rejected {name}: {wrong[0]}")

    async def _send(
        self,
        method: str,
        operation: str,
        *,
        headers: dict[str, str] | None = None,
        files: list[tuple[str, tuple[str, bytes, str]]] | None = None,
    ) -> httpx2.Response:
        try:
            response = await self._client.request(method, f"{self._url}/data/{operation}", headers=headers, files=files)
        except httpx2.HTTPError as error:
            raise DropDown(f"DROP does not answer ({type(error).__name__}). The job tries again.") from None
        if response.status_code == 429 or response.status_code >= 500:
            wait = str(_seconds(response, 30))
            raise DropDown(f"DROP answers {response.status_code}. The job tries again.", headers={"Retry-After": wait})
        return response


def _seconds(response: httpx2.Response, default: int) -> int:
    text = response.headers.get("retry-after", "")
    return max(1, int(text)) if text.isdecimal() else default


def _words(response: httpx2.Response) -> str:
    try:
        message = str(response.json()["message"])
    except (ValueError, KeyError, TypeError):
        message = "no message"
    return f"DROP answers {response.status_code}: {message}"
