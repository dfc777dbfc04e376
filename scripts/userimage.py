"""Upload and serve profile pictures."""

from __future__ import annotations

import secrets

from pydantic import BaseModel
from starlette.responses import Response

from product.accounts import avatars
from product.context import Context
from product.roles import SESSION
from tableapi import NotFound, script, uploaded_files

_KEEP = """
    insert into upload (clientid, appuserid, kind, name, path, contenttype, size)
    values ($1, $2, 'avatar', $3, $4, $5, $6)
"""
TYPES = dict(avatars.TYPES.values())


class Name(BaseModel):
    name: str


@script(roles=SESSION, raw=True, body_bytes=avatars.MAX_BYTES + 65536, limit="20/hour per user")
async def upload(ctx: Context, body: bytes) -> dict[str, object]:
    """Upload a profile picture as the multipart field `files`: one JPEG or PNG."""
    (file,) = await uploaded_files(ctx.request, body)
    ending, kind, data = await avatars.reencode(file.data)
    name = f"{secrets.token_urlsafe(24)}.{ending}"
    path = f"/api/v2/userimage/{name}"
    await ctx.vendors.storage.put(name, data)
    await ctx.db.execute(_KEEP, ctx.actor.clientid, ctx.actor.appuserid, file.name, path, kind, len(data))
    return {"resource": [{"name": file.name, "path": path}]}


@script(method="GET", public=True, tail="name")
async def show(ctx: Context, input: Name) -> Response:
    """Return a profile picture by its random name. Needs no key, so that an <img> element can load it."""
    data = await ctx.vendors.storage.get(input.name)
    ending = input.name.rpartition(".")[2]
    if data is None or ending not in TYPES:
        raise NotFound("There is no such picture.", case="no_such_picture")
    ctx.headers["Cache-Control"] = "private, max-age=31536000, immutable"
    return Response(data, media_type=TYPES[ending])
