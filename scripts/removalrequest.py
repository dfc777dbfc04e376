"""Remove a person from the service, after a mailed link confirms the email address."""

from __future__ import annotations

from html import escape

from pydantic import BaseModel
from starlette.responses import HTMLResponse

from product import emails, mail
from product import language as languages
from product.accounts import email_domains, tokens
from product.context import Context
from product.language import Language
from product.language.texts import translator
from product.people import directory, profile_url
from product.success import Output
from tableapi import ANYONE, FieldError, Invalid, NotFound, script, token_hash

_KEEP = "insert into suppression (hash, kind) values ($1, $2) on conflict do nothing"
_FORGET = "update onetimetoken set datacipher = null where tokenhash = $1"
_PAGE = """<!doctype html><html lang="{language}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title><main><h1>{title}</h1><p>{text}</p>{form}</main></html>"""
_HEADERS = {"Content-Security-Policy": "default-src 'none'; form-action 'self'; frame-ancestors 'none'"}


class Input(BaseModel):
    email: str
    linkedinurl: str = ""


class Removal(BaseModel):
    """A removal to confirm."""

    email: str
    key: str
    language: str


class Link(BaseModel):
    code: str


@script(roles=(ANYONE,), limit="5/hour per ip")
async def request(ctx: Context, input: Input) -> Output:
    """Mail a confirmation link to the address. The response is the same for every address."""
    email, key = _checked(ctx, input)
    ctx.limit("removalrequest", email, 3, 86400)
    language = languages.of(ctx, None)
    async with ctx.db.transaction():
        code = await tokens.issue(ctx, "removal", None, Removal(email=email, key=key, language=language))
        await mail.queue(ctx, "removal", email, mail.link(ctx, f"/api/v2/removalrequest/{code}"), language=language)
    return Output()


@script(method="GET", public=True, tail="code", limit="20/minute per ip")
async def confirm(ctx: Context, input: Link) -> HTMLResponse:
    """Show the confirmation page of a mailed link.

    Opening it has no effect, because mail scanners open links.
    """
    row = await tokens.find(ctx, input.code, "removal")
    removal = tokens.data(ctx, row, Removal)
    if row is None or row.used or removal is None:
        return _expired(ctx)
    return _page(languages.of(ctx, removal.language), "title", "text", form=True, brand=ctx.settings.brand_name)


@script(public=True, tail="code", limit="20/minute per ip", raw=True)
async def remove(ctx: Context, _body: bytes) -> HTMLResponse:
    """Confirm the removal: put the address on the removal list and queue the erasure."""
    code = ctx.request.path.rstrip("/").rpartition("/")[2]
    async with ctx.db.transaction():
        removal = tokens.data(ctx, await tokens.use(ctx, code, "removal"), Removal)
        if removal is None:
            return _expired(ctx)
        await ctx.db.execute(_FORGET, token_hash(code))
        await ctx.db.execute(_KEEP, ctx.vault.index("email", removal.email), "email")
        await directory.hide(ctx, removal.email)
        await ctx.later("erasepeople", email=removal.email, key=removal.key)
    return _page(languages.of(ctx, removal.language), "done", "effect")


def _checked(ctx: Context, input: Input) -> tuple[str, str]:
    """Return the address, and the profile key or "". Raises Invalid (422) that names each wrong field."""
    fields: dict[str, FieldError] = {}
    email, key = emails.checked(input.email.strip()), ""
    if email is None:
        fields["email"] = email_domains.not_valid(input.email)
    try:
        key = profile_url.key_of(input.linkedinurl, ctx.settings.profile_host) if input.linkedinurl.strip() else ""
    except profile_url.NotAProfile:
        fields["linkedinurl"] = profile_url.NOT_A_PROFILE
    if email is None or fields:
        named = "; ".join(f"{name}: {field.message}" for name, field in fields.items())
        raise Invalid(fields, named if len(fields) > 1 else "")
    return email, key


def _expired(ctx: Context) -> HTMLResponse:
    if "application/json" in ctx.request.headers.get("accept", ""):
        raise NotFound(
            "This link has expired or was used. Ask again with POST /api/v2/removalrequest.", case="removal_expired"
        )
    return _page(languages.of(ctx, None), "expired", "again", 404)


def _page(
    language: Language, title: str, text: str, status: int = 200, *, form: bool = False, **values: str
) -> HTMLResponse:
    t = translator(language, "documents", "removal", **values)
    button = f'<form method="post"><button type="submit">{escape(t("confirm"))}</button></form>' if form else ""
    body = _PAGE.format(language=language, title=escape(t(title)), text=escape(t(text)), form=button)
    return HTMLResponse(body, status, headers=_HEADERS)
