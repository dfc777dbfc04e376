"""One form of an e-mail address, by which it is compared, hashed, stored and throttled.

A domain can be written in Unicode and in ASCII (RFC 5891), with letters that mail programs fold to others, and in any
case: max@müller.de is max@xn--mller-kva.de. The local part is compared without case, as every large provider does.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from email_validator import SPECIAL_USE_DOMAIN_NAMES, EmailNotValidError, ValidatedEmail, validate_email

MAX_CHARS = 254  # RFC 5321, 4.5.3.1.3, without the angle brackets
# The form of nearly every address. Only the domain of others needs IDNA, which takes 50 µs.
_PLAIN_LOCAL = re.compile(r"[a-z0-9_%+'&=/-]+(?:\.[a-z0-9_%+'&=/-]+)*", re.IGNORECASE)
_PLAIN_DOMAIN = re.compile(r"(?:(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}", re.IGNORECASE)
_ONE = re.compile(r"[^\s;,|<>:'\"]*(?::[a-z_]+)?")  # an address, with its verification in the people file
_SEPARATORS = re.compile(r"[;|\n]|:::|,(?=[^,;]*@)")
_NAMED = re.compile(r"<\s*([^<>]*@[^<>]*?)\s*>")  # Jane Doe <jane@acme.com>
_WRAPPED = re.compile(r"^['\"]*(?:mailto:)?|['\"]+$", re.IGNORECASE)
# Under these, some names can never be registered (RFC 6761), such as all of `.invalid`.
_SPECIAL = frozenset(name.rpartition(".")[2] for name in SPECIAL_USE_DOMAIN_NAMES)


def normal(text: str) -> str:
    """Return the form of an address by which it is compared: lower case, with the domain in ASCII.

    A text that is not an address is returned in lower case, without blanks at its ends.
    """
    text = text.strip()
    if text.isascii() or len(text) > MAX_CHARS:
        return text.lower()
    found = _parsed(text)
    if found is None:
        return unicodedata.normalize("NFKC", text).lower()
    return f"{found.local_part.lower()}@{found.ascii_domain.lower()}"


def spellings(text: str) -> tuple[str, ...]:
    """Return the forms that a list may have: the normal one and, if there is one, that in Unicode.

    Equal for every spelling of one address.
    """
    address = normal(text)
    if "@xn--" not in address and ".xn--" not in address:
        return (address,)
    found = _parsed(address)
    return (address,) if found is None else (address, f"{found.local_part}@{found.domain}".lower())


def checked(text: str) -> str | None:
    """Return the normal form of an address with a domain that can be registered, or None for another text."""
    if len(text) > MAX_CHARS:
        return None
    local, _, domain = text.rpartition("@")
    if len(local) <= 64 and _is_plain(domain) and _PLAIN_LOCAL.fullmatch(local):
        return text.lower()
    found = _parsed(text)
    if found is None or "." not in found.ascii_domain or found.ascii_domain.rpartition(".")[2].isdigit():
        return None
    address = normal(text)
    return address if len(address) <= MAX_CHARS else None


def split(cell: str) -> list[str]:
    """Return the addresses in a cell, without names and `mailto:`.

    Programs separate them by semicolons, commas, blanks or `:::`. A part without an address stays, to be reported. Of
    several spellings of one address, the first is returned.
    """
    if _ONE.fullmatch(cell):
        return [cell] if cell else []
    parts = _NAMED.findall(cell) or [part for part in map(str.strip, _SEPARATORS.split(cell)) if part]
    found: dict[str, str] = {}
    for part in parts:
        words = part.split()
        for word in words if all("@" in word for word in words) else [part]:
            address = _WRAPPED.sub("", word)
            found.setdefault(normal(address), address)
    return list(found.values())


@lru_cache(maxsize=20_000)
def _is_plain(domain: str) -> bool:
    """Return whether a domain can be registered as it is."""
    return _PLAIN_DOMAIN.fullmatch(domain) is not None and domain.rpartition(".")[2].lower() not in _SPECIAL


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ValidatedEmail | None:
    try:
        return validate_email(text, check_deliverability=False, globally_deliverable=False, strict=True)
    except EmailNotValidError:
        return None
