"""Upload and download the caller's own files."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from uuid import UUID

from pydantic import BaseModel
from starlette.responses import Response

from product.context import Context
from product.roles import SESSION
from tableapi import NotFound, TooLarge, UnsupportedMedia, UploadedFile, attachment, script, uploaded_files

MAX_BYTES = 10 * 1024 * 1024
# Extension -> (content type, magic bytes). Text files have no magic bytes; they must be UTF-8.
TYPES: dict[str, tuple[str, bytes]] = {
    "pdf": ("application/pdf", b"%PDF-"),
    "png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    "jpg": ("image/jpeg", b"\xff\xd8\xff"),
    "jpeg": ("image/jpeg", b"\xff\xd8\xff"),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", b"PK\x03\x04"),
    "docx": ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", b"PK\x03\x04"),
    "csv": ("text/csv; charset=utf-8", b""),
    "txt": ("text/plain; charset=utf-8", b""),
}
_KEEP = """
    insert into upload (clientid, appuserid, kind, name, path, contenttype, size)
    values ($1, $2, 'file', $3, $4, $5, $6) returning fileid
"""
_FIND = """
    select name, path, contenttype from upload where clientid = $1 and appuserid = $2 and fileid = $3 and kind = 'file'
"""


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    path: str
    contenttype: str


class File(BaseModel):
    fileid: UUID


@script(roles=SESSION, raw=True, body_bytes=MAX_BYTES + 65536, limit="20/hour per user")
async def upload(ctx: Context, body: bytes) -> dict[str, object]:
    """Upload one file as the multipart field `files`. Only the caller can read it."""
    (file,) = await uploaded_files(ctx.request, body)
    if len(file.data) > MAX_BYTES:
        raise TooLarge("The file is larger than 10 MB.", case="file_too_large", context={"limit_mb": 10})
    kind = _type(file)
    stored = secrets.token_urlsafe(24)
    await ctx.vendors.storage.put(stored, file.data)
    owner = (ctx.actor.clientid, ctx.actor.appuserid)
    fileid = await ctx.db.first_value(UUID, _KEEP, *owner, file.name, stored, kind, len(file.data))
    path = f"/api/v2/files/{fileid}"
    return {"resource": [{"fileid": str(fileid), "name": file.name, "path": path, "size": len(file.data)}]}


@script(method="GET", roles=SESSION, tail="fileid")
async def read(ctx: Context, input: File) -> Response:
    """Download a file of the caller."""
    row = await ctx.db.first(_Found, _FIND, ctx.actor.clientid, ctx.actor.appuserid, input.fileid)
    data = await ctx.vendors.storage.get(row.path) if row else None
    if row is None or data is None:
        raise NotFound("There is no such file.", case="no_such_file")
    return Response(data, media_type=row.contenttype, headers=attachment(row.name))


def _type(sent: UploadedFile) -> str:
    """Return the content type of an upload; raise UnsupportedMedia (415) unless it is one of TYPES."""
    kind, magic = TYPES.get(sent.name.rpartition(".")[2].lower(), ("", b""))
    if not kind or not sent.data.startswith(magic):
        raise UnsupportedMedia(f"Only these file types are accepted: {', '.join(TYPES)}.", case="file_type")
    if not magic:
        try:
            sent.data.decode()
        except UnicodeDecodeError:
            raise UnsupportedMedia("A text file must be UTF-8.", case="text_not_utf8") from None
    return kind
