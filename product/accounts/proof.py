"""Prove that the caller is the user: by password, code, or a sign-in just now.

A session may be stolen, so calls that could take the account over ask again (docs/explanation/security.md, 3.7.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from product.accounts import passwords, second_factor, users
from product.context import Context
from tableapi import Conflict, FieldError, Forbidden, Invalid

FRESH_MINUTES, TRIES, TRY_SECONDS = 10, 5, 900
PASSWORD_WRONG = FieldError("password_wrong", "Your password is not correct")
_CALLER = """
    select u.*, u.mfacipher is not null as hasmfa,
           exists (select 1 from usersession s
                   where s.clientid = u.clientid and s.tokenhash = decode($2, 'hex')
                     and s.signedinon > now() - make_interval(mins => $3)) as isfresh
    from appuser u where u.appuserid = $1
"""
_MESSAGES = {
    "password": "Send your password again, as 'password'.",
    "code": "Send the code that your authenticator app shows, as 'code'.",
    "signin": f"Sign in with your provider again; that counts for {FRESH_MINUTES} minutes.",
}
_OF_AGENT = (
    f"An agent can do this within {FRESH_MINUTES} minutes of the user's sign-in. Ask the user to do it in the app, or"
    " to sign in there and connect again."
)
Missing = Literal["password", "code", "signin"]


class Proof(BaseModel):
    """The part of a body that proves the user. It is never stored."""

    password: str = Field(default="", repr=False)
    code: str = Field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Caller(users.User):
    """The caller.

    password: its hash; None if the user signs in with a provider only. isfresh: the user signed in for this session a
    few minutes ago.
    """

    password: str | None
    hasmfa: bool
    isfresh: bool


class ConfirmationRequired(Forbidden):
    """The call needs a proof of the user (403); `context.missing` names `password`, `code`, `signin`."""

    reason = "confirmation_required"

    def __init__(self, missing: list[Missing], *, case: str = "", message: str = "") -> None:
        message = message or " ".join(["Please confirm that it is you.", *(_MESSAGES[name] for name in missing)])
        super().__init__(message, case=case, context={"missing": missing})


async def proved_caller(
    ctx: Context,
    proof: Proof,
    *,
    field: str = "password",
    wrong: FieldError = PASSWORD_WRONG,
    with_code: bool = True,
    by_password: bool = False,
) -> Caller:
    """Check the proof, and return the caller.

    Args:
        field: the input field of the password, for errors.
        with_code: ask for the code where two-step sign-in is on.
        by_password: accept nothing in place of a password.

    Raises:
        Conflict: the caller has no password, and only a password is accepted (409).
        ConfirmationRequired: a part of the proof is missing, or the code is wrong (403).
        Invalid: the password is wrong (422).
        TooMany: the fifth wrong proof within 15 minutes was the last one (429).
    """
    user = await _caller(ctx)
    if by_password and user.password is None:
        raise Conflict("Your account has no password yet. Request a link to set one.", case="no_password")
    await _check(ctx, user, proof, field, wrong, with_code=with_code)
    return user


async def is_proved(ctx: Context, proof: Proof) -> bool:
    """Return whether the caller sent a proof; without one, a sign-in just now is enough.

    Keys and webhooks that rest on the sign-in alone end when the account is recovered (product/accounts/made.py).

    Raises the errors of `proved_caller`.
    """
    user = await _caller(ctx)
    if not (proof.password or proof.code):
        if user.isfresh:
            return False
        if ctx.actor.scopes is not None:  # it must not ask for a password
            raise ConfirmationRequired(["signin"], message=_OF_AGENT)
    await _check(ctx, user, proof, "password", PASSWORD_WRONG, with_code=True)
    return user.password is not None or user.hasmfa


async def _caller(ctx: Context) -> Caller:
    return await ctx.db.one(Caller, _CALLER, ctx.actor.appuserid, ctx.actor.session, FRESH_MINUTES)


def _missing(user: Caller, proof: Proof, *, with_code: bool) -> list[Missing]:
    missing: list[Missing] = []
    if user.password is not None and not proof.password:
        missing.append("password")
    if user.password is None and not user.isfresh:
        missing.append("signin")
    if with_code and user.hasmfa and not proof.code:
        missing.append("code")
    return missing


async def _check(ctx: Context, user: Caller, proof: Proof, field: str, wrong: FieldError, *, with_code: bool) -> None:
    """Check that password and code are there and right. Wrong ones count for the user, whatever the call."""
    if missing := _missing(user, proof, with_code=with_code):
        raise ConfirmationRequired(missing)
    uncount = ctx.limit("password change", str(user.appuserid), TRIES, TRY_SECONDS)
    if user.password is not None and not await passwords.matches(user.password, proof.password):
        raise Invalid({field: wrong})
    if with_code and user.hasmfa:
        async with ctx.db.transaction():
            accepted = await second_factor.accept(ctx, user, proof.code)
        if accepted is None:
            raise ConfirmationRequired(["code"], case="mfa_code_wrong", message=second_factor.WRONG_CODE)
    uncount()
