"""The consent of a user to a client at /mcp: the scopes that it asks for, and the decision.

The screen of the app passes the parameters of the authorization request on as they are.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from pydantic import BaseModel, Field

from product import audit
from product.authorization import clients, grants, metadata
from product.authorization.clients import BadClient, Client
from product.context import Context
from product.roles import SESSION
from tableapi import script


class Input(BaseModel):
    client_id: str = Field(max_length=2000)
    redirect_uri: str = Field(default="", max_length=2000)
    response_type: str = ""
    code_challenge: str = ""
    code_challenge_method: str = ""
    scope: str = Field(default="", max_length=2000)
    state: str = Field(default="", max_length=2000)
    resource: str = Field(default="", max_length=2000)


class Decision(Input):
    allow: bool
    scopes: list[str] = Field(default=[], max_length=metadata.MAX_SCOPES)


class Request(BaseModel):
    """The request of a client. With a `redirect` it is invalid.

    Anyone can register a client, so the app opens that address only by a click (RFC 9700, 4.11.2).
    """

    redirect: str = ""
    name: str = ""
    host: str = ""
    answered: str = ""
    scopes: list[str] = []


class Redirect(BaseModel):
    redirect: str


@script(method="GET", roles=SESSION, limit="60/minute per user")
async def describe(ctx: Context, input: Input) -> Request:
    """Describe a client and the scopes that it asks for, before the user decides."""
    client, uri = await _client(ctx, input)
    parts = urlsplit(uri)
    answered = parts.netloc if parts.scheme in ("https", "http") else f"{parts.scheme}:"
    shown = Request(name=client.name, host=client.host, answered=answered)
    if error := _error(ctx, input):
        return shown.model_copy(update={"redirect": _redirect(ctx, input, uri, **error)})
    return shown.model_copy(update={"scopes": metadata.known_scopes(input.scope)})


@script(roles=SESSION, limit="30/minute per user")
async def decide(ctx: Context, input: Decision) -> Redirect:
    """Allow a client what the user selects of its scopes, or refuse it. The browser then opens `redirect`."""
    client, uri = await _client(ctx, input)
    if error := _error(ctx, input):
        return Redirect(redirect=_redirect(ctx, input, uri, **error))
    granted = [scope for scope in metadata.known_scopes(input.scope) if scope in input.scopes]
    if not input.allow or not granted:
        await audit.write(ctx, "agent_refused", client.name)
        return Redirect(redirect=_redirect(ctx, input, uri, error="access_denied"))
    code = await grants.allow(ctx, client, uri, granted, input.code_challenge)
    return Redirect(redirect=_redirect(ctx, input, uri, code=code))


async def _client(ctx: Context, input: Input) -> tuple[Client, str]:
    """Return the client and its redirect URI. Until both are verified, errors are shown to the user.

    Raises BadClient.
    """
    client = await clients.find(ctx, input.client_id)
    if not input.redirect_uri and len(client.redirect_uris) == 1:
        return client, client.redirect_uris[0]
    if not client.accepts(input.redirect_uri):
        raise BadClient("The application did not register this redirect URI.", case="redirect_not_registered")
    return client, input.redirect_uri


def _error(ctx: Context, input: Input) -> dict[str, str]:
    """Return the error that the client gets instead of a code; empty for a valid request."""
    if input.response_type != "code":
        return {"error": "unsupported_response_type", "error_description": "response_type must be code"}
    if input.code_challenge_method != "S256" or not grants.is_challenge(input.code_challenge):
        return {"error": "invalid_request", "error_description": "PKCE is required, with code_challenge_method S256"}
    if not metadata.is_resource(ctx.settings, input.resource):
        description = f"resource must be {metadata.resource(ctx.settings)}"
        return {"error": "invalid_target", "error_description": description}
    return {}


def _redirect(ctx: Context, input: Input, uri: str, **values: str) -> str:
    return metadata.redirect(ctx.settings, uri, state=input.state, **values)
