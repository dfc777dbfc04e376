"""Request a password reset, reset the password with a mailed code, or change it.

The body selects which.
"""

from __future__ import annotations

from pydantic import BaseModel

from product import audit, emails, mail
from product import language as languages
from product.accounts import made, passwords, proof, sessions, tokens, users, verification
from product.context import Context
from product.desk import accounts
from product.roles import SESSION, TEMPORARY
from tableapi import ANYONE, BadRequest, FieldError, Invalid, NotFound, script


class Input(BaseModel):
    email: str = ""
    code: str = ""
    old_password: str = ""
    new_password: str = ""
    confirm_password: str | None = None


# A mailed code or temporary password proves that the owner of the address chose the new password.
_SET = """
    update appuser set password = $2, mustchangepassword = 0, passwordexpireson = null,
        passwordproved = greatest(passwordproved, mustchangepassword, $3::boolean::int),
        isverified = case when $3 and invitestatus = 'accepted' then 1 else isverified end
    where appuserid = $1
"""
REVOKED: tuple[tokens.Purpose, ...] = ("reset", "verify", "emailchange", "check", "session", "mfa")
EXPIRED = "The Code for this link has expired,Please try with latest"
FIELDS_MISSING = FieldError("fields_missing", "Please fill all required fields")
WRONG = FieldError("old_password_wrong", "Your old password is not correct")
DIFFERENT = FieldError("passwords_differ", "Both password doesn't match")


@script(roles=(ANYONE, *TEMPORARY))
async def run(ctx: Context, input: Input) -> dict[str, object]:
    if input.old_password:
        return await _change(ctx, input)
    if input.code or input.new_password:
        return await _reset(ctx, input)
    if not input.email.strip():
        raise BadRequest("Please enter your email address", case="email_missing")
    return await _forgot(ctx, emails.normal(input.email))


async def _forgot(ctx: Context, email: str) -> dict[str, object]:
    """Queue the reset mail. The response is the same for every address."""
    ctx.limit("password forgot", ctx.request.network, 10, 3600)
    ctx.limit("password forgot address", email, 3, 3600)
    await ctx.later("forgotpassword", email=email, language=languages.requested(ctx))
    return {"success": True}


async def _reset(ctx: Context, input: Input) -> dict[str, object]:
    """Set a new password with a mailed code, which also verifies the address."""
    ctx.limit("password reset", ctx.request.network, 20, 3600)
    email = emails.normal(input.email)
    missing = {name: FIELDS_MISSING for name in ("email", "code") if not getattr(input, name)}
    if missing:
        raise Invalid(missing)
    hashed = await _hash_new(input)
    async with ctx.db.transaction():
        if await accounts.set_password(ctx, email, input.code, hashed):
            return {"success": True}
        user = await users.proved(ctx, email, input.code, "reset")
        if user is None or user.isdeleted or await tokens.use(ctx, input.code, "reset") is None:
            raise NotFound(EXPIRED, case="code_expired")
        await _set(ctx, user, hashed, "password_reset", mailed=True)
        if not user.isverified and user.invitestatus == "accepted":
            await verification.welcome(ctx, user.appuserid)
            actor = {"clientid": user.clientid, "appuserid": user.appuserid}
            await audit.write(ctx, "email_verified", user.appuserid, **actor)
    return {"success": True}


async def _change(ctx: Context, input: Input) -> dict[str, object]:
    """Change the password in a session. All sessions end; the response has the token of a new one."""
    if ctx.actor.role not in (*SESSION, *TEMPORARY):
        raise sessions.ended()
    sent = proof.Proof(password=input.old_password, code=input.code)
    user = await proof.proved_caller(ctx, sent, field="old_password", wrong=WRONG, by_password=True)
    if input.old_password == input.new_password:
        raise Invalid({"new_password": FieldError("password_same", "Choose a password that differs from the old one")})
    hashed = await _hash_new(input)
    async with ctx.db.transaction():
        await _set(ctx, user, hashed, "password_changed")
        token = await sessions.start(ctx, user.appuserid)
    return {"success": True, "session_token": token}


async def _hash_new(input: Input) -> str:
    if problem := passwords.problem(input.new_password):
        raise Invalid({"new_password": problem})
    if input.confirm_password is not None and input.confirm_password != input.new_password:
        raise Invalid({"confirm_password": DIFFERENT})
    return await passwords.hashed(input.new_password)


async def _set(ctx: Context, user: users.User, hashed: str, event: str, *, mailed: bool = False) -> None:
    """Store the new password. Ends every session and unused token of the user, except an invitation."""
    actor = {"clientid": user.clientid, "appuserid": user.appuserid}
    await ctx.db.execute(_SET, user.appuserid, hashed, mailed)
    await sessions.end_all(ctx, user.appuserid)
    await tokens.revoke(ctx, user.appuserid, *REVOKED)
    if mailed:  # a thief may have linked one, or made some
        await verification.unlink(ctx, user.appuserid)
        await made.end_unproved(ctx, user.clientid, user.appuserid)
    link = mail.link(ctx, "/forgotpassword")
    language = languages.of(ctx, user.language)
    await mail.queue(ctx, "passwordchanged", user.email, link, language=language, name=user.name)
    await audit.write(ctx, event, user.appuserid, **actor)
