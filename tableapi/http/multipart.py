"""Read the files of a multipart body."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath

from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from tableapi.errors import BadRequest, UnsupportedMedia
from tableapi.http.request import HttpRequest


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """One uploaded file. `name` is the client's file name without folders."""

    name: str
    data: bytes


async def uploaded_files(request: HttpRequest, body: bytes, field: str = "files", most: int = 1) -> list[UploadedFile]:
    """Return the 1 to `most` files in one field of a body."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise UnsupportedMedia("Send multipart/form-data with a field 'files'.")
    form = await _form(request, body)
    try:
        parts = [part for part in form.getlist(field) if isinstance(part, UploadFile)]
        uploads = [UploadedFile(_base_name(part.filename or ""), await part.read()) for part in parts]
    finally:
        await form.close()
    if not uploads or len(uploads) > most:
        count = "one file" if most == 1 else f"1 to {most} files"
        raise BadRequest(f"Send {count} in the field '{field}'.", reason="no_file")
    return uploads


async def _form(request: HttpRequest, body: bytes) -> FormData:
    async def stream() -> AsyncIterator[bytes]:
        yield body
        yield b""

    headers = Headers({"content-type": request.headers["content-type"]})
    parser = MultiPartParser(headers, stream(), max_files=20, max_fields=20, max_part_size=len(body) + 1)  # type: ignore[arg-type]
    try:
        return await parser.parse()
    except (MultiPartException, ValueError, KeyError):
        raise BadRequest("The multipart body is malformed.", reason="bad_multipart") from None


def _base_name(path: str) -> str:
    name = PurePosixPath(PureWindowsPath(path).name).name
    return "".join(letter for letter in name if letter.isprintable())[:200] or "file"
