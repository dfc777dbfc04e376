"""Normalize profile addresses to one key per profile."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, unquote

from tableapi import FieldError, Invalid

NOT_A_PROFILE = FieldError("url_invalid", "Please input correct url")
MAX_KEY_CHARS = 400
_SCHEME = re.compile(r"^(?:https?:)?/*", re.IGNORECASE)
_PORT = re.compile(r":\d{1,5}$")
_BAD = re.compile(r"[\x00-\x20\x7f\\<>\"]")
# The form of nearly every line of a people file; others take the slow path.
_PLAIN = re.compile(r"(?:https?://)?(?:www\.)?([a-z.]+)/in/([a-z0-9-]{1,200})/?")
_MINI = "miniprofileurn"
# Invisible characters in text copied from pages and chats: soft hyphens, zero-width characters, text direction marks.
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_PUNCTUATION = ".,;:!?)"  # after an address in a sentence
_MOBILE = ("m", "mwlite")  # first part of a path on the mobile site


class NotAProfile(ValueError):
    """The text is not the address of a profile."""

    def __init__(self) -> None:
        super().__init__(NOT_A_PROFILE.message)


def key_of(text: str, host: str = "linkedin.com") -> str:
    """Return the profile key of any spelling of an address, e.g. `in/jane-doe`.

    The path is lowercased too: the network treats /in/Jane and /in/jane as one profile.

    Raises:
        NotAProfile: the text is not the address of a profile of this host.
    """
    if (plain := _PLAIN.fullmatch(text)) and plain[1] == host:
        return f"in/{plain[2]}"
    text = _INVISIBLE.sub("", text).strip().rstrip(_PUNCTUATION)
    rest, _, _ = text.partition("#")
    rest, _, query = rest.partition("?")
    if _MINI in _decoded(f"{query}&{text}").lower():
        raise NotAProfile
    address = _SCHEME.sub("", rest, count=1)
    typed_host, _, path = address.partition("/")
    typed_host = _PORT.sub("", typed_host).rstrip(".").lower()
    if "@" in typed_host or (typed_host != host and not typed_host.endswith("." + host)):
        raise NotAProfile
    parts = [_INVISIBLE.sub("", _decoded(part)).strip() for part in path.split("/")]
    if "." in parts or ".." in parts:
        raise NotAProfile
    key = "/".join(_person_of([unicodedata.normalize("NFC", part).lower() for part in parts if part]))
    if "/" not in key or len(key) > MAX_KEY_CHARS or _BAD.search(key):
        raise NotAProfile
    return key


def _person_of(parts: list[str]) -> list[str]:
    """Drop sub-pages and the mobile site: /in/jane/de and /mwlite/in/jane belong to the profile /in/jane."""
    if parts and parts[0] in _MOBILE:
        parts = parts[1:]
    return parts[:2] if parts[:1] == ["in"] else parts


def _decoded(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise NotAProfile from None


def typed_key(text: str, host: str) -> str:
    """Return `key_of` a request field, but raise Invalid (422) instead of NotAProfile."""
    try:
        return key_of(text, host)
    except NotAProfile:
        raise Invalid({"linkedinurl": NOT_A_PROFILE}) from None


def url_of(key: str, host: str = "linkedin.com") -> str:
    """Return the public address of a profile key."""
    return f"https://www.{host}/{quote(key)}"
