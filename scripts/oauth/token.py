"""The token endpoint of OAuth 2.1: exchange a code or a refresh token. Unknown parameters are ignored."""

from __future__ import annotations

from starlette.responses import JSONResponse

from product.authorization import form, grants, metadata
from product.authorization.grants import ACCESS_SECONDS, TokenError, Tokens
from product.context import Context
from tableapi import script


@script(public=True, raw=True, limit="600/minute per ip", body_bytes=20_000)
async def run(ctx: Context, body: bytes) -> JSONResponse:
    try:
        tokens = await _tokens(ctx, form.read(ctx, body))
    except TokenError as error:
        return form.error(error.error, error.description)
    return form.json_response(
        {
            "access_token": tokens.access,
            "token_type": "Bearer",
            "expires_in": ACCESS_SECONDS,
            "refresh_token": tokens.refresh,
            "scope": tokens.scopes,
        }
    )


async def _tokens(ctx: Context, sent: dict[str, str]) -> Tokens:
    grant, clientid = sent.get("grant_type", ""), sent.get("client_id", "")
    if grant not in ("authorization_code", "refresh_token"):
        raise TokenError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.")
    if not clientid:
        raise TokenError("invalid_client", "client_id is missing.")
    if not metadata.is_resource(ctx.settings, sent.get("resource", "")):
        raise TokenError("invalid_target", f"resource must be {metadata.resource(ctx.settings)}.")
    if grant == "refresh_token":
        return await grants.refresh(ctx, sent.get("refresh_token", ""), clientid, sent.get("scope", ""))
    code, verifier = sent.get("code", ""), sent.get("code_verifier", "")
    return await grants.redeem(ctx, code, clientid, verifier, sent.get("redirect_uri", ""))
