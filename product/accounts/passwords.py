"""Check, hash and generate passwords. Verification takes the same time for unknown users."""

from __future__ import annotations

import asyncio
import re
import secrets
import string

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from tableapi import FieldError

_PARTS = (re.compile(r"[a-z]"), re.compile(r"[A-Z]"), re.compile(r"[0-9]"))
_BLANK = re.compile(r"\s")
MIN_CHARS, MAX_CHARS = 8, 100
SHORT = FieldError("password_short", f"Password length must be atleast {MIN_CHARS} characters", {"limit": MIN_CHARS})
LONG = FieldError("password_long", f"Password must be at most {MAX_CHARS} characters", {"limit": MAX_CHARS})
WEAK = FieldError(
    "password_weak", "Password must have a lowercase letter, an uppercase letter and a number, and no spaces"
)
_hasher = PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1)  # OWASP's second profile
# The hash of a random password: verified for unknown users, so that the response time does not reveal them.
_DUMMY = _hasher.hash(secrets.token_urlsafe(32))
_busy = asyncio.Semaphore(4)  # each hash takes 19 MB, so concurrent ones are limited


def problem(password: str) -> FieldError | None:
    """Return the reason for rejecting a new password, or None if it is acceptable."""
    if not MIN_CHARS <= len(password) <= MAX_CHARS:
        return SHORT if len(password) < MIN_CHARS else LONG
    valid = all(part.search(password) for part in _PARTS) and not _BLANK.search(password)
    return None if valid else WEAK


async def hashed(password: str) -> str:
    """Return the Argon2id hash to store."""
    async with _busy:
        return await asyncio.to_thread(_hasher.hash, password)


async def matches(stored: str | None, password: str) -> bool:
    """Return whether the password matches the stored hash; without a hash, False after the same time."""
    async with _busy:
        valid = await asyncio.to_thread(_verify, stored or _DUMMY, password)
    return valid and stored is not None


def _verify(stored: str, password: str) -> bool:
    try:
        return _hasher.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False


def temporary() -> str:
    """Generate a password for an invitation: 8 characters with digits, lower and upper case."""
    kinds = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
    picked = [secrets.choice(kind) for kind in kinds]
    picked += [secrets.choice("".join(kinds)) for _ in range(8 - len(picked))]
    secrets.SystemRandom().shuffle(picked)
    return "".join(picked)


def random_token() -> str:
    """Return text that looks like a session token but belongs to no session."""
    return secrets.token_urlsafe(32)
