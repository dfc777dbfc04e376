"""Revocation of tokens by their client (RFC 7009). An unknown token gets the same response."""

from __future__ import annotations

from starlette.responses import JSONResponse

from product.authorization import form, grants
from product.authorization.grants import TokenError
from product.context import Context
from tableapi import script


@script(public=True, raw=True, limit="120/minute per ip", body_bytes=20_000)
async def run(ctx: Context, body: bytes) -> JSONResponse:
    try:
        sent = form.read(ctx, body)
    except TokenError as error:
        return form.error(error.error, error.description)
    if not sent.get("token") or not sent.get("client_id"):
        return form.error("invalid_request", "token and client_id are required.")
    await grants.revoke(ctx, sent["token"], sent["client_id"])
    return form.json_response({})
