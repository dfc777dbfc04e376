"""Return an invoice as a PDF, to the owner of the account. Credentials go in headers or in the query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, StringConstraints
from starlette.responses import Response

from product.accounts import sessions, tokens
from product.billing import invoice_pdf
from product.context import Context
from product.language import of
from product.roles import OWNER
from tableapi import Forbidden, NotFound, Unauthorized, attachment, script


class Input(BaseModel):
    invoicenumber: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]


@script(method="GET", public=True, limit="30/minute per ip", errors=(404,))
async def run(ctx: Context, input: Input) -> Response:
    clientid = await _owner(ctx)
    transaction = await invoice_pdf.row(ctx, clientid, number=input.invoicenumber)
    if transaction is None:
        raise NotFound(f"There is no invoice with the number '{input.invoicenumber}'.", case="no_such_invoice")
    language = of(ctx, transaction.language)
    name = invoice_pdf.file_name(transaction.invoicenumber, language)
    headers = {**attachment(name), "Cache-Control": "no-store"}
    document = await invoice_pdf.render(ctx, transaction, language)
    return Response(document, media_type="application/pdf", headers=headers)


async def _owner(ctx: Context) -> int:
    """Return the account of the caller.

    Raises:
        Unauthorized: there is no valid app key or session (401).
        Forbidden: the caller is not the owner of the account (403).
    """
    query, headers = ctx.request.query, ctx.request.headers
    key = headers.get("x-api-key") or headers.get("x-dreamfactory-api-key") or query.get("api_key") or ""
    if key not in ctx.settings.app_keys:
        raise Unauthorized("Send a valid API key in X-API-Key.", reason="no_key")
    user = await sessions.live_user(ctx, ctx.request.session_token or await _query_session(ctx, query))
    sessions.reject_confined(user)
    if user.role not in OWNER or user.clientid is None:
        raise Forbidden("You are not permitted to do this.", case="not_permitted")
    return user.clientid


async def _query_session(ctx: Context, query: Mapping[str, str]) -> str:
    """Return the session token of the query, exchanging a one-use ticket for a new session."""
    token = query.get("session_token") or ""
    ticket = await tokens.use(ctx, token, "session") if token else None
    if ticket is not None and ticket.appuserid is not None:
        return await sessions.start(ctx, ticket.appuserid)
    if ctx.settings.query_tokens != "live":
        raise Unauthorized(sessions.EXPIRED)
    return str(token)
