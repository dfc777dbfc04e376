"""The files of a multipart body that was read whole, under a limit, before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request

from tableapi.errors import BadRequest, UnsupportedMedia


@dataclass(frozen=True, slots=True)
class Sent:
    """One file as it was sent. `name` has no folder in it and is still a stranger's word."""

    name: str
    data: bytes


async def files(request: Request | None, body: bytes, field: str = "files", most: int = 1) -> list[Sent]:
    """The files of one field. 415 for another kind of body, 400 for a broken one or without a file."""
    if request is None or not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise UnsupportedMedia("Send multipart/form-data with a field 'files'.")
    form = await _form(request, body)
    try:
        parts = [part for part in form.getlist(field) if isinstance(part, UploadFile)]
        sent = [Sent(_plain(part.filename or ""), await part.read()) for part in parts]
    finally:
        await form.close()
    if not sent or len(sent) > most:
        raise BadRequest(
            f"Send {'one file' if most == 1 else f'1 to {most} files'} in the field '{field}'.", reason="no_file"
        )
    return sent


async def _form(request: Request, body: bytes) -> FormData:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    try:
        return await Request(request.scope, receive).form(max_files=20, max_fields=20, max_part_size=len(body) + 1)
    except (MultiPartException, HTTPException, ValueError, KeyError):
        raise BadRequest("The multipart body is broken.", reason="bad_multipart") from None


def _plain(name: str) -> str:
    last = PurePosixPath(PureWindowsPath(name).name).name
    return "".join(letter for letter in last if letter.isprintable())[:200] or "file"
