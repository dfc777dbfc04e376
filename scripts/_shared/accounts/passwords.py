"""Passwords: the rule, Argon2id hashes, and a check that takes as long for nobody as for somebody."""

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
# A hash of nothing anybody knows: checked for unknown users, so that they take the same time.
_DUMMY = _hasher.hash(secrets.token_urlsafe(32))
_busy = asyncio.Semaphore(4)  # 19 MB each: a flood of sign-ins waits instead of eating the memory


def problem(password: str) -> str | None:
    """Why a new password is refused; None when it is good."""
    if not 8 <= len(password) <= 100:
        return LENGTH_MESSAGE if len(password) < 8 else "Password must be at most 100 characters"
    good = all(part.search(password) for part in _PARTS) and not _BLANK.search(password)
    return None if good else RULE_MESSAGE


async def hashed(password: str) -> str:
    """The Argon2id hash to store."""
    async with _busy:
        return await asyncio.to_thread(_hasher.hash, password)


async def matches(stored: str | None, password: str) -> bool:
    """Does the password belong to the stored hash? Without one the answer is no, after the same time."""
    async with _busy:
        good = await asyncio.to_thread(_verify, stored or _DUMMY, password)
    return good and stored is not None


def _verify(stored: str, password: str) -> bool:
    try:
        return _hasher.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False


def temporary() -> str:
    """A password for an invitation: 8 characters with digits, lower and upper case."""
    kinds = (string.digits, string.ascii_lowercase, string.ascii_uppercase)
    picked = [secrets.choice(kind) for kind in kinds]
    picked += [secrets.choice("".join(kinds)) for _ in range(8 - len(picked))]
    secrets.SystemRandom().shuffle(picked)
    return "".join(picked)


def random_token() -> str:
    """Text that looks like a session token and is none."""
    return secrets.token_urlsafe(32)
