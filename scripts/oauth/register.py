"""Dynamic registration of clients (RFC 7591), for those that have no metadata document of their own."""

from __future__ import annotations

import time

from pydantic import ValidationError
from starlette.responses import JSONResponse

from product.authorization import clients, form
from product.authorization.clients import BadClient, Document, TooManyClients
from product.context import Context
from tableapi import script


@script(public=True, raw=True, limit="20/hour per ip", body_bytes=20_000)
async def run(ctx: Context, body: bytes) -> JSONResponse:
    try:
        client = await clients.register(ctx, Document.model_validate_json(body))
    except ValidationError:
        return form.error("invalid_client_metadata", "Send a JSON object with redirect_uris, a list of 1 to 10 URIs.")
    except BadClient as error:
        return form.error("invalid_redirect_uri", error.message)
    except TooManyClients as error:
        return form.error("temporarily_unavailable", error.message, 503)
    return form.json_response(
        {
            "client_id": client.clientid,
            "client_id_issued_at": int(time.time()),
            "client_name": client.name,
            "redirect_uris": list(client.redirect_uris),
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        },
        201,
    )
