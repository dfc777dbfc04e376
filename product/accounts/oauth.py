"""Sign in with Google or LinkedIn: state, code, one-use ticket, proof, account.

Each step issues a one-use token that the next step consumes, so no identity is ever taken from a request body.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Literal

from pydantic import BaseModel

from product import audit, emails
from product.accounts import email_domains, person_names, second_factor, sessions, signup, tokens, verification
from product.context import Context
from product.language import requested
from product.vendors.oidc import Identity, NotProved, Provider
from tableapi import ApiError, Invalid, NotFound, Unauthorized, token_hash, validate

Vendor = Literal["google", "linkedin"]
REDIRECT = "/socialcallback"
COOKIE = "oauth_binding"

# Live users sort before deleted ones: after a deletion a new account may have the same address or identity.
_FIND = """
    select appuserid
    from (select u.appuserid, u.isdeleted, 0 as place from socialaccount join appuser u using (appuserid)
          where provider = $1 and subject = $2
          union all select appuserid, isdeleted, 1 from appuser where lower(email) = $3) found
    order by isdeleted, place, appuserid desc limit 1
"""
_LOCK = """
    select appuserid, clientid, afid::text as afid, name, email, isactive, isdeleted, isverified, invitestatus,
           password, passwordproved, language, mfacipher is not null as hasmfa
    from appuser where appuserid = $1 for update
"""
_SPEND = """
    insert into onetimetoken (tokenhash, purpose, expireson, usedon)
    values ($1, 'social', greatest(now() + interval '1 day', to_timestamp($2)), now())
    on conflict do nothing returning true
"""
_SIGNED_IN = "update appuser set lastloginon = now(), language = coalesce(language, $2) where appuserid = $1"
_LINK = """
    insert into socialaccount (provider, subject, appuserid, email) values ($1, $2, $3, $4)
    on conflict (provider, subject) do update set appuserid = excluded.appuserid, email = excluded.email,
        createdon = case when socialaccount.appuserid = excluded.appuserid then socialaccount.createdon else now() end
"""


@dataclass(frozen=True, slots=True)
class _Locked(verification.Credentials):
    afid: str
    isactive: int
    isdeleted: int
    invitestatus: str
    hasmfa: bool


class State(BaseModel):
    """The secrets of a sign-in, kept from its start until the code arrives."""

    vendor: Vendor
    nonce: str
    verifier: str
    binding: str


class Claims(BaseModel):
    """The identity that a provider proved."""

    vendor: Vendor
    subject: str
    email: str
    name: str


def provider(ctx: Context, vendor: Vendor) -> Provider:
    """Return the client of the provider; raise NotFound if it is not set up."""
    client = ctx.vendors.provider(vendor)
    if client is None:
        raise NotFound(f"Sign-in with {vendor.capitalize()} is not set up.", reason="not_set_up")
    return client


def redirect_uri(ctx: Context) -> str:
    """Return the only redirect URI that providers may use."""
    return f"{ctx.settings.public_url}{REDIRECT}"


async def begin(ctx: Context, vendor: Vendor) -> str:
    """Return the authorization URL; a cookie binds the browser to the stored state."""
    nonce, verifier, binding = (secrets.token_urlsafe(32) for _ in range(3))
    data = State(vendor=vendor, nonce=nonce, verifier=verifier, binding=token_hash(binding).hex())
    state = await tokens.issue(ctx, "oauthstate", None, data)
    secure = "; Secure" if ctx.settings.public_url.startswith("https") else ""
    ctx.headers["Set-Cookie"] = f"{COOKIE}={binding}; Path=/api; Max-Age=600; HttpOnly; SameSite=Lax{secure}"
    return await provider(ctx, vendor).authorize_url(
        redirect_uri=redirect_uri(ctx), state=state, nonce=nonce, verifier=verifier
    )


# The code that the popup received, from either provider. A docstring here would appear in the API description.
class Input(BaseModel):
    code: str
    state: str
    redirect_uri: str


class Output(BaseModel):
    access_token: str
    expires_in: int = 60


async def exchange_code(ctx: Context, vendor: Vendor, input: Input) -> Output:
    """Exchange an authorization code for a one-use ticket."""
    data = tokens.data(ctx, await tokens.use(ctx, input.state, "oauthstate"), State)
    uri = redirect_uri(ctx)
    if data is None or data.vendor != vendor or input.redirect_uri != uri or not _bound(ctx, data.binding):
        raise NotProved(
            "The sign-in was not started in this browser, or it took too long. Please try again.", reason="bad_state"
        )
    identity = await provider(ctx, vendor).exchange(
        input.code, redirect_uri=uri, nonce=data.nonce, verifier=data.verifier
    )
    return Output(access_token=await _issue_ticket(ctx, vendor, identity))


def _bound(ctx: Context, binding: str) -> bool:
    """Return whether the request carries the cookie set when this sign-in started."""
    try:
        cookie = SimpleCookie(ctx.request.headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return False
    return cookie is not None and secrets.compare_digest(token_hash(cookie.value).hex(), binding)


async def credential_ticket(ctx: Context, credential: str, nonce: str) -> str:
    """Exchange an ID token that Google issued to the browser for a one-use ticket.

    A token and a nonce are accepted only once. They are identified by their claims, because a token can be encoded in
    many ways.
    """
    identity = await provider(ctx, "google").identity(credential, nonce)
    async with ctx.db.transaction():
        for mark in identity.marks:
            if not await ctx.db.first_value(bool, _SPEND, token_hash(f"idtoken\0{mark}"), float(identity.until)):
                raise NotProved("This sign-in was already used. Please try again.", case="sign_in_used")
    return await _issue_ticket(ctx, "google", identity)


async def _issue_ticket(ctx: Context, vendor: Vendor, identity: Identity) -> str:
    if not identity.email:
        raise NotProved(
            "The provider did not share an email address. Allow it, or sign in with your password.",
            case="provider_without_email",
        )
    if not identity.email_verified:
        raise NotProved(
            "The provider has not verified this email address. Verify it there, or sign in with your password.",
            reason="email_not_verified",
        )
    claims = Claims(vendor=vendor, subject=identity.subject, email=identity.email, name=identity.name)
    return await tokens.issue(ctx, "social", None, claims)


class Details(BaseModel):
    """The identity that the provider proved, and the proof for the last step."""

    email: str
    name: str
    socialid: str
    proof: str
    action: Literal["login", "signup"]


async def details(ctx: Context, ticket_: str) -> Details:
    """Exchange a ticket for the identity behind it and the proof for the last step."""
    claims = tokens.data(ctx, await tokens.use(ctx, ticket_, "social"), Claims)
    if claims is None:
        raise NotProved("The sign-in took too long. Please try again.", reason="bad_ticket")
    user = await _find(ctx, claims)
    proof = await tokens.issue(ctx, "social", None, claims)
    return Details(
        email=claims.email,
        name=claims.name,
        socialid=claims.subject,
        proof=proof,
        action="signup" if user is None else "login",
    )


async def _find(ctx: Context, claims: Claims) -> int | None:
    """Return the id of the user that is linked to the identity or has its email address."""
    return await ctx.db.first_value(int, _FIND, claims.vendor, claims.subject, claims.email)


class Terms(BaseModel):
    """Acceptance of the terms, required for a new account. `null` counts as not accepted."""

    terms: bool | None = None


async def enter(ctx: Context, record: dict[str, object]) -> dict[str, object]:
    """Sign in or sign up the user that the proof names. Email and id in the body are ignored."""
    ctx.limit("social", ctx.request.network, 10, 60)
    async with ctx.db.transaction():
        proof = str(record.get("proof") or "")
        claims = tokens.data(ctx, await tokens.use(ctx, proof, "social"), Claims)
        if claims is None:
            raise Unauthorized("Please sign in with the provider again.", reason="no_proof", scope="resource")
        appuserid = await _find(ctx, claims)
        if appuserid is None:
            return await _sign_up(ctx, claims, record)
        user = await ctx.db.one(_Locked, _LOCK, appuserid)
        _reject_unusable(user, claims.email)
        if user.hasmfa and user.isverified:
            identity = {"vendor": claims.vendor, "subject": claims.subject, "email": claims.email}
            first = second_factor.FirstStep(**identity)
            challenge = await second_factor.challenge(ctx, user.clientid, appuserid, first)
        else:
            challenge = None
            token = await _sign_in(ctx, claims, user)
    if challenge is not None:
        raise challenge
    return {"afid": user.afid, "session_token": token, "action": "login"}


async def _sign_in(ctx: Context, claims: Claims, user: _Locked) -> str:
    # The provider proves ownership of the address; the existing credentials may have been set without it.
    if verification.is_unproved(user):
        await verification.evict(ctx, user, claims.vendor)
        await verification.welcome(ctx, user.appuserid)
    await audit.write(ctx, "signin", claims.vendor, clientid=user.clientid, appuserid=user.appuserid)
    return await start(ctx, user.appuserid, claims.vendor, claims.subject, claims.email)


async def start(ctx: Context, appuserid: int, vendor: str, subject: str, email: str) -> str:
    """Link a proved identity, and start a session."""
    await ctx.db.execute(_LINK, vendor, subject, appuserid, email)
    await ctx.db.execute(_SIGNED_IN, appuserid, requested(ctx))
    return await sessions.start(ctx, appuserid)


async def _sign_up(ctx: Context, claims: Claims, record: dict[str, object]) -> dict[str, object]:
    email = await email_domains.business(ctx, claims.email)
    if not validate(Terms, {"terms": record.get("terms")}).terms:
        raise Invalid({"terms": signup.TERMS})
    name = person_names.plain(claims.name) or person_names.plain(email.partition("@")[0])
    user = await signup.open_account(ctx, email, name or email, password=None, verified=True)
    await verification.welcome(ctx, user.appuserid)
    await ctx.db.execute(_LINK, claims.vendor, claims.subject, user.appuserid, claims.email)
    await audit.write(ctx, "register", claims.vendor, clientid=user.clientid, appuserid=user.appuserid)
    token = await sessions.start(ctx, user.appuserid)
    return {"clientdata": {"user": asdict(user), "session_token": token}, "action": "signup"}


def _reject_unusable(user: _Locked, email: str) -> None:
    def rejected(code: int, case: str, message: str) -> ApiError:
        return ApiError(message, status=403, code=code, scope="account", reason="sign_in_refused", case=case)

    if user.isdeleted:
        raise rejected(801, "removed", "You have been removed from the platform by the admin")
    if user.invitestatus != "accepted":
        raise rejected(803, "accept_invitation", "Please Accept your invitation and Sign in")
    if not user.isactive:
        raise rejected(800, "disabled", "Your account is temporarily disabled")
    if (
        not user.isverified and emails.normal(user.email) != email
    ):  # a linked account with another address, which the provider does not prove
        message = "Your email is not verified. Please verify your email address and try logging in again."
        raise rejected(802, "verify_to_sign_in", message)
