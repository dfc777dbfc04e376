"""Two-step sign-in: after the password, a code of an authenticator app (RFC 6238), or a recovery code.

`appuser.mfacipher` holds the sealed `Factor`; null means that the password is enough. A code is accepted 30 seconds
early or late, and once: the time step of the last accepted code is kept.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlencode

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.hotp import HOTP
from pydantic import BaseModel

from product import audit, mail
from product import language as languages
from product.accounts import tokens, users
from product.context import Context
from tableapi import ApiError, Conflict, FieldError, Invalid

SECRET_BYTES, DIGITS, STEP_SECONDS, DRIFT_STEPS = 20, 6, 30, 1
RECOVERY_CODES, RECOVERY_CHARS = 10, 10
CODE_WRONG = FieldError(
    "mfa_first_code_wrong", "This code is not correct. Enter the one that your authenticator app shows now"
)
SECOND_STEP = "Enter the code that your authenticator app shows"
WRONG_CODE = "This code is not correct or has been used. Please try another one"
SETUP_EXPIRED = FieldError("mfa_setup_expired", "This took too long. Please start again")
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"  # without letters and digits that look alike
_SPACING = re.compile(r"[\s-]+")
_STEP = "select floor(extract(epoch from clock_timestamp()) / $1::int)::bigint"
_LOCK = "select mfacipher from appuser where appuserid = $1 for update"
_REMOVE = "update appuser set mfacipher = null where appuserid = $1 and mfacipher is not null returning 1"
_STORE = "update appuser set mfacipher = $2 where appuserid = $1"


@dataclass(frozen=True, slots=True)
class Accepted:
    """The kind of a correct code, and the number of recovery codes left."""

    kind: Literal["code", "recovery_code"]
    recovery_left: int


Event = Literal["mfa_enabled", "mfa_disabled", "mfa_codes_renewed", "mfa_recovery_used", "mfa_reset"]


class Factor(BaseModel):
    """The stored value.

    Attributes:
        secret: shared with the authenticator app, in base32.
        step: time step of the last accepted code.
        recovery: hashes of the unused recovery codes.
    """

    secret: str
    step: int = 0
    recovery: list[str] = []


class FirstStep(BaseModel):
    """The first step of a sign-in: the hash of the password that it proved, or the identity at a provider."""

    password: str = ""
    vendor: str = ""
    subject: str = ""
    email: str = ""


class SecondStepRequired(ApiError):
    """The first step is done; the second call takes `mfatoken` and a code (403)."""

    status, reason, scope = 403, "mfa_required", "account"


class _Proposal(BaseModel):
    secret: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A new secret in base32, its address for a QR code (Key Uri Format), and the token for `enable`."""

    secret: str
    uri: str
    token: str


async def challenge(ctx: Context, clientid: int, appuserid: int, first: FirstStep) -> SecondStepRequired:
    """Return the error that asks for the second step of a sign-in. It has the ticket for the second call."""
    token = await tokens.issue(ctx, "mfa", appuserid, first)
    # Alone, it means that the password or the account at the provider is known.
    await audit.write(ctx, "signin_first_step", first.vendor or None, clientid=clientid, appuserid=appuserid)
    facts = {"mfatoken": token, "expires_in": int(tokens.LIFETIME["mfa"].total_seconds())}
    return SecondStepRequired(SECOND_STEP, code=804, context=facts, extra={"success": 0})


async def propose(ctx: Context, email: str) -> Proposal:
    secret = base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()
    issuer = ctx.settings.brand_name
    query = urlencode({"secret": secret, "issuer": issuer}, quote_via=quote)
    token = await tokens.issue(ctx, "mfasetup", ctx.actor.appuserid, _Proposal(secret=secret))
    return Proposal(secret, f"otpauth://totp/{quote(issuer)}:{quote(email)}?{query}", token)


async def enable(ctx: Context, token: str, code: str) -> list[str]:
    """Check the first code of a proposed secret, store the secret, and return the recovery codes.

    Runs in a transaction.

    Raises:
        Conflict: two-step sign-in is already on (409).
        Invalid: the proposal is older than 15 minutes, or the code is wrong (422).
    """
    appuserid = ctx.actor.appuserid
    if await _locked(ctx, appuserid) is not None:
        raise Conflict("Two-step sign-in is already on.", case="mfa_on")
    used = await tokens.use(ctx, token, "mfasetup")
    proposal = tokens.data(ctx, used, _Proposal)
    if used is None or used.appuserid != appuserid or proposal is None:
        raise Invalid({"setup": SETUP_EXPIRED})
    step = await _matching_step(ctx, proposal.secret, _plain(code), after=0)
    if step is None:
        raise Invalid({"code": CODE_WRONG})  # the transaction leaves the token unused
    factor, codes = _with_recovery_codes(Factor(secret=proposal.secret, step=step))
    await _store(ctx, appuserid, factor)
    return codes


async def renew_recovery_codes(ctx: Context) -> list[str]:
    """Replace the caller's recovery codes and return the new ones. Runs in a transaction.

    Raises:
        Conflict: two-step sign-in is off (409).
    """
    factor = await _locked(ctx, ctx.actor.appuserid)
    if factor is None:
        raise Conflict("Two-step sign-in is off.", case="mfa_off")
    factor, codes = _with_recovery_codes(factor)
    await _store(ctx, ctx.actor.appuserid, factor)
    return codes


async def disable(ctx: Context, appuserid: int) -> bool:
    """Remove the second step. Return False if there was none.

    The secret is not opened, because staff cannot open sealed values.
    """
    return await ctx.db.first_value(int, _REMOVE, appuserid) is not None


async def accept(ctx: Context, user: users.User, code: str) -> Accepted | None:
    """Use a code up, or return None if it is wrong. The use of a recovery code is mailed to the user.

    Runs in a transaction.
    """
    accepted = await _accept(ctx, user.appuserid, code)
    if accepted is not None and accepted.kind == "recovery_code":
        await tell(ctx, user, "mfa_recovery_used", left=accepted.recovery_left)
    return accepted


async def _accept(ctx: Context, appuserid: int, code: str) -> Accepted | None:
    factor, plain = await _locked(ctx, appuserid), _plain(code)
    if factor is None:
        return None
    step = await _matching_step(ctx, factor.secret, plain, after=factor.step)
    if step is not None:
        await _store(ctx, appuserid, factor.model_copy(update={"step": step}))
        return Accepted("code", len(factor.recovery))
    hashed = _hash(plain)
    left = [one for one in factor.recovery if not hmac.compare_digest(one, hashed)]
    if len(left) == len(factor.recovery):
        return None
    await _store(ctx, appuserid, factor.model_copy(update={"recovery": left}))
    return Accepted("recovery_code", len(left))


def _with_recovery_codes(factor: Factor) -> tuple[Factor, list[str]]:
    """Return the factor with new recovery codes, and the codes as they are shown, `abcde-fghij`."""
    codes = ["".join(secrets.choice(_ALPHABET) for _ in range(RECOVERY_CHARS)) for _ in range(RECOVERY_CODES)]
    kept = factor.model_copy(update={"recovery": [_hash(code) for code in codes]})
    return kept, [f"{code[:5]}-{code[5:]}" for code in codes]


async def tell(ctx: Context, user: users.User, event: Event, **facts: object) -> None:
    """Write a change by the user to the audit log, and mail it."""
    await audit.record(ctx, event, user.appuserid, facts, clientid=user.clientid, appuserid=user.appuserid)
    await notify(ctx, user, event, **facts)


async def notify(ctx: Context, user: users.User, event: Event, **facts: object) -> None:
    """Mail a change to the user, in case another person made it."""
    language = languages.of(ctx, user.language)
    link = mail.link(ctx, "/dashboard/settings/password")
    await mail.queue(ctx, "twostep", user.email, link, language=language, name=user.name, change=event, **facts)


async def _locked(ctx: Context, appuserid: int) -> Factor | None:
    sealed = await ctx.db.first_value(str, _LOCK, appuserid)
    return None if sealed is None else Factor.model_validate_json(ctx.vault.open(sealed))


async def _store(ctx: Context, appuserid: int, factor: Factor) -> None:
    await ctx.db.execute(_STORE, appuserid, ctx.vault.seal(factor.model_dump_json()))


async def _matching_step(ctx: Context, secret: str, code: str, *, after: int) -> int | None:
    """Return the time step of a code, by PostgreSQL's clock, which all nodes share."""
    if len(code) != DIGITS or not code.isascii() or not code.isdigit():
        return None
    hotp = HOTP(base64.b32decode(secret), DIGITS, SHA1())  # noqa: S303 - the algorithm that authenticator apps know
    now = await ctx.db.first_value(int, _STEP, STEP_SECONDS)
    assert now is not None
    for step in range(max(now - DRIFT_STEPS, after + 1), now + DRIFT_STEPS + 1):
        if hmac.compare_digest(hotp.generate(step), code.encode()):
            return step
    return None


def _plain(code: str) -> str:
    return _SPACING.sub("", code).lower()


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
