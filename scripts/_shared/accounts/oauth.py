"""Sign-in with Google or LinkedIn: state, code, one-use ticket, proof, account.

Each step leaves a one-use token that the next one takes, so that nothing the browser says about itself is believed.
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from typing import Any, Literal

from pydantic import BaseModel

from scripts._shared import audit
from scripts._shared.accounts import email_domains, person_names, sessions, signup, tokens, verification
from scripts._shared.context import Context
from scripts._shared.vendors.oidc import Identity, NotProved, Provider
from tableapi.crypto.vault import token_hash
from tableapi.endpoints.guard import validate
from tableapi.errors import ApiError, Invalid, NotFound, Unauthorized

Vendor = Literal["google", "linkedin"]
REDIRECT = "/socialcallback"
COOKIE = "oauth_binding"

# Live users come before deleted ones: an address, and an identity, can belong to a new account after a removal.
_FIND = """
    select appuserid
    from (select u.appuserid, u.isdeleted, 0 as place from socialaccount join appuser u using (appuserid)
          where provider = $1 and subject = $2
          union all select appuserid, isdeleted, 1 from appuser where lower(email) = $3) found
    order by isdeleted, place, appuserid desc limit 1
"""
_LOCK = """
    select appuserid, clientid, afid::text as afid, name, email, isactive, isdeleted, isverified, invitestatus,
           password, passwordproved
    from appuser where appuserid = $1 for update
"""
_SPEND = """
    insert into onetimetoken (tokenhash, purpose, expireson, usedon)
    values ($1, 'social', greatest(now() + interval '1 day', to_timestamp($2)), now())
    on conflict do nothing returning true
"""
_SIGNED_IN = "update appuser set lastloginon = now() where appuserid = $1"
_LINK = """
    insert into socialaccount (provider, subject, appuserid) values ($1, $2, $3)
    on conflict (provider, subject) do update set appuserid = excluded.appuserid
"""


def provider(ctx: Context, vendor: Vendor) -> Provider:
    """The provider's adapter; 404 where it is not set up."""
    found = ctx.vendors.provider(vendor)
    if found is None:
        raise NotFound(f"Sign-in with {vendor.capitalize()} is not set up.", reason="not_set_up")
    return found


def redirect_uri(ctx: Context) -> str:
    """The only address that a provider may send the browser back to."""
    return f"{ctx.settings.public_url}{REDIRECT}"


async def begin(ctx: Context, vendor: Vendor) -> str:
    """The provider's address for the popup. State, nonce and verifier are kept here; a cookie binds the browser."""
    nonce, verifier, binding = (secrets.token_urlsafe(32) for _ in range(3))
    kept = {"vendor": vendor, "nonce": nonce, "verifier": verifier, "binding": token_hash(binding).hex()}
    state = await tokens.issue(ctx, "oauthstate", None, kept)
    secure = "; Secure" if ctx.settings.public_url.startswith("https") else ""
    ctx.headers["Set-Cookie"] = f"{COOKIE}={binding}; Path=/api; Max-Age=600; HttpOnly; SameSite=Lax{secure}"
    return await provider(ctx, vendor).authorize_url(
        redirect_uri=redirect_uri(ctx), state=state, nonce=nonce, verifier=verifier
    )


# What the popup brings back, of either provider, and the ticket for it. (A docstring would be told in /api/docs.)
class Input(BaseModel):
    code: str
    state: str
    redirect_uri: str


class Output(BaseModel):
    access_token: str
    expires_in: int = 60


async def ticket(ctx: Context, vendor: Vendor, input: Input) -> Output:
    """Trade the code that the popup brought for a one-use ticket."""
    row = await tokens.use(ctx, input.state, "oauthstate")
    kept = None if row is None else tokens.data(ctx, row)
    here = redirect_uri(ctx)
    if kept is None or kept["vendor"] != vendor or input.redirect_uri != here or not _bound(ctx, kept["binding"]):
        raise NotProved("The sign-in was not started here or took too long. Please try again.", reason="bad_state")
    identity = await provider(ctx, vendor).exchange(
        input.code, redirect_uri=here, nonce=kept["nonce"], verifier=kept["verifier"]
    )
    return Output(access_token=await _kept(ctx, vendor, identity))


def _bound(ctx: Context, binding: str) -> bool:
    """Does the browser that comes back hold the cookie of the one that left?"""
    try:
        cookie = SimpleCookie(ctx.request.headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return False
    return cookie is not None and secrets.compare_digest(token_hash(cookie.value).hex(), binding)


async def credential_ticket(ctx: Context, credential: str, nonce: str) -> str:
    """Return the ticket for an ID token that Google gave the browser itself.

    One nonce, and one token, is good for one sign-in. Claims tell that, because one token has many encodings.
    """
    identity = await provider(ctx, "google").identity(credential, nonce)
    async with ctx.db.transaction():
        for mark in identity.marks:
            if not await ctx.db.fetchval(_SPEND, token_hash(f"idtoken\0{mark}"), float(identity.until)):
                raise NotProved("This sign-in was used before. Please try again.")
    return await _kept(ctx, "google", identity)


async def _kept(ctx: Context, vendor: Vendor, identity: Identity) -> str:
    if not identity.email:
        raise NotProved("The provider gave no email address.")
    if not identity.email_verified:
        raise NotProved("The provider has not verified this email address.", reason="email_not_verified")
    known = {"vendor": vendor, "subject": identity.subject, "email": identity.email, "name": identity.name}
    return await tokens.issue(ctx, "social", None, known)


class Details(BaseModel):
    """What the app may know of the one who signs in, and the proof for the last step."""

    email: str
    name: str
    socialid: str
    proof: str
    action: Literal["login", "signup"]


async def details(ctx: Context, ticket_: str) -> Details:
    """Take the ticket; tell the app who it is, and give it the proof for the last step."""
    row = await tokens.use(ctx, ticket_, "social")
    known = None if row is None else tokens.data(ctx, row)
    if known is None:
        raise NotProved("The sign-in took too long. Please try again.", reason="bad_ticket")
    user = await _find(ctx, known)
    proof = await tokens.issue(ctx, "social", None, known)
    return Details(
        email=known["email"],
        name=known["name"],
        socialid=known["subject"],
        proof=proof,
        action="signup" if user is None else "login",
    )


async def _find(ctx: Context, known: dict[str, str]) -> int | None:
    """Return the id of the user that the identity is linked to, or that has its address."""
    appuserid: int | None = await ctx.db.fetchval(_FIND, known["vendor"], known["subject"], known["email"])
    return appuserid


class Terms(BaseModel):
    """Acceptance of the terms, which a new account needs. `null` counts as not accepted."""

    terms: bool | None = None


async def enter(ctx: Context, record: dict[str, Any]) -> dict[str, Any]:
    """Sign in, or sign up, the user that the proof names. E-mail and id in the body are not looked at."""
    ctx.limit("social", ctx.request.network, 10, 60)
    async with ctx.db.transaction():
        row = await tokens.use(ctx, str(record.get("proof") or ""), "social")
        known = None if row is None else tokens.data(ctx, row)
        if known is None:
            raise Unauthorized("Please sign in with the provider again.", reason="no_proof", scope="resource")
        appuserid = await _find(ctx, known)
        if appuserid is None:
            return await _sign_up(ctx, known, record)
        user: Any = await ctx.db.fetchrow(_LOCK, appuserid)
        _refuse_unusable(user, known["email"])
        # The provider proves the address, which the one who set the present credentials may not have done.
        if verification.is_unproved(user):
            await verification.evict(ctx, user, known["vendor"])
            await verification.welcome(ctx, appuserid)
        await ctx.db.execute(_LINK, known["vendor"], known["subject"], appuserid)
        await ctx.db.execute(_SIGNED_IN, appuserid)
        whose = {"clientid": user["clientid"], "appuserid": user["appuserid"]}
        await audit.write(ctx, "signin", known["vendor"], **whose)
        token = await sessions.start(ctx, user["appuserid"])
    return {"afid": user["afid"], "session_token": token, "action": "login"}


async def _sign_up(ctx: Context, known: dict[str, str], record: dict[str, Any]) -> dict[str, Any]:
    email = await email_domains.business(ctx, known["email"])
    if not validate(Terms, {"terms": record.get("terms")}).terms:
        raise Invalid({"terms": signup.TERMS})
    name = person_names.plain(known["name"]) or person_names.plain(email.partition("@")[0])
    user = await signup.open_account(ctx, email, name or email, password=None, verified=True)
    await verification.welcome(ctx, user["appuserid"])
    await ctx.db.execute(_LINK, known["vendor"], known["subject"], user["appuserid"])
    await audit.write(ctx, "register", known["vendor"], clientid=user["clientid"], appuserid=user["appuserid"])
    token = await sessions.start(ctx, user["appuserid"])
    return {"clientdata": {"user": user, "session_token": token}, "action": "signup"}


def _refuse_unusable(user: Any, email: str) -> None:
    def refused(code: int, message: str) -> ApiError:
        return ApiError(message, status=403, code=code, scope="account", reason="sign_in_refused")

    if user["isdeleted"]:
        raise refused(801, "You have been removed from the platform by the admin")
    if user["invitestatus"] != "accepted":
        raise refused(803, "Please Accept your invitation and Sign in")
    if not user["isactive"]:
        raise refused(800, "Your account is temporarily disabled")
    if not user["isverified"] and user["email"].lower() != email:  # linked, and the provider proves another address
        raise refused(802, "Your email is not verified. Please verify your email address and try logging in again.")
