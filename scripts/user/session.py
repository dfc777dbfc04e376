"""Sign in, read the session, extend it, sign out."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from product import audit, emails
from product.accounts import oauth, passwords, second_factor, sessions, signin_throttle, tokens, users
from product.context import Context
from product.desk import accounts
from product.language import requested
from product.roles import SIGNUP, STAFF, TEMPORARY, VIEW
from tableapi import ANYONE, ApiError, BadRequest, Unauthorized, script

WRONG = "You have entered an invalid email or password"
REMOVED = "You have been removed from the platform by the admin"
DISABLED = "Your account is temporarily disabled"
LATE = "The sign-in took too long. Please start again"
UNVERIFIED = "Your email is not verified. Please verify your email address and try logging in again."
NOT_ACCEPTED = "Please Accept your invitation and Sign in"

# A new user may have the address of a deleted one, so live users sort first.
_FIND = """
    select appuserid, clientid, name, email, isactive, isdeleted, isverified, invitestatus,
           case when passwordexpireson is null or passwordexpireson > now() then password end as password,
           mfacipher is not null as hasmfa
    from appuser where lower(email) = $1
    order by isdeleted, appuserid desc limit 1
"""
_STATE = (
    "select appuserid, name, email, isactive, isdeleted, isverified, invitestatus from appuser where appuserid = $1"
)
_SIGNED_IN = """
    update appuser set lastloginon = now(), language = coalesce(language, $3)
    where appuserid = $1 and password = $2 returning appuserid
"""


@dataclass(frozen=True, slots=True)
class _State:
    appuserid: int
    name: str
    email: str
    isactive: int
    isdeleted: int
    isverified: int
    invitestatus: str


@dataclass(frozen=True, slots=True)
class _Found(_State):
    clientid: int
    password: str | None
    hasmfa: bool


class Input(BaseModel):
    email: str = ""
    username: str = ""
    password: str = ""
    session_token: str = ""
    mfatoken: str = ""
    code: str = ""


class Token(BaseModel):
    session_token: str = ""


class SignInRefused(ApiError):
    """The password is correct, but the account cannot be used; the code (800 to 803) tells why."""

    status, reason, scope = 403, "sign_in_refused", "account"


@script(method="GET", roles=(ANYONE, *TEMPORARY, *STAFF, *VIEW), limit="30/minute per ip")
async def read(ctx: Context, input: Token) -> dict[str, object]:
    """Return the signed-in user, by session header or by `session_token` in the query."""
    if not input.session_token:
        token = ctx.request.session_token
        return await sessions.describe(ctx, await sessions.live_user(ctx, token), token)
    ticket = await tokens.use(ctx, input.session_token, "session")
    if ticket is not None and ticket.appuserid is not None:
        token = await sessions.start(ctx, ticket.appuserid)
    elif ctx.settings.query_tokens == "live":
        token = input.session_token
    else:
        raise Unauthorized(sessions.EXPIRED)
    return await _resume(ctx, token)


@script(roles=(ANYONE, *TEMPORARY, *STAFF, *VIEW), limit="20/minute per ip")
async def sign_in(ctx: Context, input: Input) -> dict[str, object]:
    """Sign in by email and password, complete the second step, or resume a session by its token."""
    if input.mfatoken:
        return await _second_step(ctx, input)
    if input.session_token and not input.password:
        return await _resume(ctx, input.session_token)
    email = emails.normal(input.email or input.username)
    if not email or not input.password:
        if not email:
            raise BadRequest("Please enter your email address", case="email_missing")
        raise BadRequest("Please enter your password", case="password_missing")

    async with signin_throttle.attempt(ctx, email) as attempt:
        staff = await accounts.by_email(ctx, email)
        user = None if staff else await ctx.db.first(_Found, _FIND, email)
        await attempt.by_account(user.appuserid if user else None, staff.staffid if staff else None)
        known = staff or user
        if not await passwords.matches(known.password if known else None, input.password):
            await audit.write(ctx, "signin_failed", **_actor(known))
            raise Unauthorized(WRONG, reason="bad_credentials", extra={"success": 0})
        await attempt.forgive()
    if staff:
        return accounts.session_response(staff, await accounts.sign_in(ctx, staff))
    if user is None:  # no password matches then
        raise Unauthorized(WRONG, reason="bad_credentials", extra={"success": 0})
    await _reject_unusable(ctx, user)
    assert user.password is not None  # it matched
    if user.hasmfa:
        first = second_factor.FirstStep(password=user.password)
        raise await second_factor.challenge(ctx, user.clientid, user.appuserid, first)

    async with ctx.db.transaction():
        token = await _start(ctx, user.appuserid, user.password)
        await audit.write(ctx, "signin", **_actor(user))
    return await sessions.session_response(ctx, user.clientid, user.appuserid, token)


@script(method="PUT", roles=(*SIGNUP, *TEMPORARY, *STAFF, *VIEW))
async def extend(ctx: Context) -> dict[str, object]:
    """Extend the idle lifetime of the session. The token stays the same."""
    token = ctx.request.session_token
    user = await sessions.live_user(ctx, token)
    await ctx.db.execute("update usersession set lastused = now() where usersessionid = $1", user.usersessionid)
    return await sessions.describe(ctx, user, token)


@script(method="DELETE", roles=(ANYONE, *TEMPORARY, *STAFF, *VIEW))
async def sign_out(ctx: Context) -> dict[str, bool]:
    """End the session. Repeating it is safe."""
    if ctx.request.session_token:
        await sessions.end(ctx, ctx.request.session_token)
    if "appuserid" in ctx.actor.values:
        await audit.write(ctx, "support_view_ended" if ctx.actor.role in VIEW else "signout")
    return {"success": True}


async def _second_step(ctx: Context, input: Input) -> dict[str, object]:
    """Complete a sign-in with a code of the authenticator app or a recovery code."""
    found = await tokens.find(ctx, input.mfatoken, "mfa")
    first = tokens.data(ctx, found, second_factor.FirstStep)
    if found is None or found.used or found.appuserid is None or first is None:
        raise Unauthorized(LATE, reason="mfa_expired", extra={"success": 0})
    appuserid, user = found.appuserid, await users.by_id(ctx, found.appuserid)
    assert user is not None  # the token would be gone with it
    await _reject_unusable(ctx, user)
    async with signin_throttle.attempt(ctx, f"mfa {appuserid}") as attempt:
        await attempt.by_account(appuserid)
        async with ctx.db.transaction():
            accepted = await second_factor.accept(ctx, user, input.code)
            if accepted is not None:
                if await tokens.use(ctx, input.mfatoken, "mfa") is None:
                    raise Unauthorized(LATE, reason="mfa_expired", extra={"success": 0})
                if first.vendor:
                    token = await oauth.start(ctx, appuserid, first.vendor, first.subject, first.email)
                else:
                    token = await _start(ctx, appuserid, first.password)
                actor = {"clientid": user.clientid, "appuserid": appuserid}
                await audit.write(ctx, "signin", first.vendor or None, **actor, second=accepted.kind)
        if accepted is None:
            await audit.write(ctx, "signin_failed", clientid=user.clientid, appuserid=appuserid, second="wrong_code")
            raise Unauthorized(second_factor.WRONG_CODE, reason="mfa_code_wrong", extra={"success": 0})
        await attempt.forgive()
    return await sessions.session_response(ctx, user.clientid, appuserid, token)


async def _start(ctx: Context, appuserid: int, password: str) -> str:
    """Start a session. Raises Unauthorized if the password was changed meanwhile."""
    if await ctx.db.first_value(int, _SIGNED_IN, appuserid, password, requested(ctx)) is None:
        raise Unauthorized(WRONG, reason="bad_credentials", extra={"success": 0})
    return await sessions.start(ctx, appuserid)


def _actor(user: _Found | accounts.Staff | None) -> dict[str, int | None]:
    if isinstance(user, _Found):
        return {"clientid": user.clientid, "appuserid": user.appuserid}
    return {} if user is None else {"staffid": user.staffid}


async def _resume(ctx: Context, token: str) -> dict[str, object]:
    """Return the session of a token, unless its user may no longer sign in."""
    session = await sessions.live_user(ctx, token)
    if session.role == "unverified":
        await _reject_unusable(ctx, await ctx.db.one(_State, _STATE, session.appuserid))
    return await sessions.describe(ctx, session, token)


async def _reject_unusable(ctx: Context, user: _State | users.User) -> None:
    """Reject an account that cannot be used, with code 800 to 803.

    The caller has proved the password or has a session.
    """

    def rejected(code: int, message: str, reason: str, case: str = "", **context: object) -> SignInRefused:
        return SignInRefused(message, code=code, reason=reason, case=case, context=context, extra={"success": 0})

    if user.isdeleted:
        raise rejected(801, REMOVED, "deleted", "removed")
    if user.invitestatus != "accepted":
        raise rejected(803, NOT_ACCEPTED, "not_accepted", "accept_invitation")
    if not user.isactive:
        raise rejected(800, DISABLED, "disabled")
    if not user.isverified:
        proof = await tokens.issue(ctx, "check", user.appuserid)
        facts = {"appuserid": user.appuserid, "name": user.name, "email": user.email}
        raise rejected(802, UNVERIFIED, "unverified", "verify_to_sign_in", **facts, checktoken=proof)
