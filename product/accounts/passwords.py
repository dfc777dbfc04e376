"""Check, hash and generate passwords. Verification takes the same time for unknown users."""

from __future__ import annotations

import asyncio
import re
import secrets
import string

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_PARTS = (re.compile(r"[a-z]"), re.compile(r"[A-Z]"), re.compile(r"[0-9]"))
_BLANK = re.compile(r"\s")
LENGTH_MESSAGE = "Password length must be atleast 8 characters"
RULE_MESSAGE = "Password must have a lowercase letter, an uppercase letter and a number, and no spaces"
_hasher = PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1)  # OWASP's second profile
# The hash of a random password: verified for unknown users, so that the response time does not reveal them.
_DUMMY = _hasher.hash(secrets.token_urlsafe(32))
_busy = asyncio.Semaphore(4)  # each hash takes 19 MB, so concurrent ones are limited


def problem(password: str) -> str | None:
    """Return the reason for rejecting a new password, or None if it is acceptable."""
    if not 8 <= len(password) <= 100:
        return LENGTH_MESSAGE if len(password) < 8 else "Password must be at most 100 characters"
    valid = all(part.search(password) for part in _PARTS) and not _BLANK.search(password)
    return None if valid else RULE_MESSAGE


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
