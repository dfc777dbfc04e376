"""Normalize profile addresses to one key per profile."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, unquote

from tableapi import FieldError, Invalid

EXAMPLE = "https://www.linkedin.com/in/jane-doe"
NOT_A_PROFILE = FieldError(
    "url_invalid", "Please input correct url", hint=f"Send the address of a person's profile, such as {EXAMPLE}."
)
MAX_KEY_CHARS, MAX_CHARS = 400, 2000
_SCHEME = re.compile(r"^(?:https?:)?/*", re.IGNORECASE)
_PORT = re.compile(r":\d{1,5}$")
_BAD = re.compile(r"[\x00-\x20\x7f\\<>\"]")
# A member's id is base64url, so that its case counts. In lower case it is the id of another member, or of none.
_MEMBER_ID = re.compile(r"A[A-Z][A-Za-z0-9]AA[A-Za-z0-9_-]{25,}")
_FOLDED_ID = re.compile(r"a[a-z][a-z0-9]aa[a-z0-9_-]{25,}", re.IGNORECASE)
# The form of nearly every line of a people file; others take the slow path.
_PLAIN = re.compile(
    r"(?:https?://)?(?:www\.)?([a-z.]+)/in/(?!me/?\Z|unavailable/?\Z|a[a-z][a-z0-9]aa)([a-z0-9-]{1,200})/?"
)
_NOT_PEOPLE = ("me", "unavailable", "edit")  # under /in/: the reader's own profile, and those that are hidden
_LOCALE_BUT_IN = re.compile(r"(?!in\Z)[a-z]{2}(?:[-_][a-z]{2})?", re.IGNORECASE)
# /pub/jane-doe/1a/2b/3c, which the network redirects to /in/jane-doe-3c2b1a.
_PUB_PART = re.compile(r"[0-9a-f]{1,3}")
_MINI = "miniprofileurn"
# Invisible characters in text copied from pages and chats: soft hyphens, zero-width characters, text direction marks.
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_PUNCTUATION = ".,;:!?)"  # after an address in a sentence
_MOBILE = ("m", "mwlite", "profile")  # first parts of a path on the mobile site


class NotAProfile(ValueError):
    """The text is not the address of a profile."""

    def __init__(self) -> None:
        super().__init__(NOT_A_PROFILE.message)


def key_of(text: str, host: str = "linkedin.com") -> str:
    """Return the profile key of any spelling of an address, e.g. `in/jane-doe`.

    A name is lowercased, because the network treats /in/Jane and /in/jane as one profile; a member's id is not.

    Raises:
        NotAProfile: the text is not the address of a profile of this host: of a company, a post or Sales Navigator,
            or with a member's id that was lowercased on its way.
    """
    if (plain := _PLAIN.fullmatch(text)) and plain[1] == host:
        return f"in/{plain[2]}"
    if len(text) > MAX_CHARS:
        raise NotAProfile
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
    key = f"in/{_name_of([unicodedata.normalize('NFC', part) for part in parts if part])}"
    if len(key) > MAX_KEY_CHARS or _BAD.search(key):
        raise NotAProfile
    return key


def _name_of(parts: list[str]) -> str:
    """Return the name or id in a path, without the mobile site, a locale and sub-pages.

    Raises:
        NotAProfile: the path is not that of a person.
    """
    while parts and parts[0].lower() in _MOBILE:
        parts = parts[1:]
    if [part.lower() for part in parts[1:2]] in (["in"], ["pub"]) and _LOCALE_BUT_IN.fullmatch(parts[0]):
        parts = parts[1:]
    match [part if number == 1 else part.lower() for number, part in enumerate(parts)]:
        case ["in", name, *_] if _MEMBER_ID.fullmatch(name):
            return name
        case ["in", name, *_] if name.lower() not in _NOT_PEOPLE and not _FOLDED_ID.fullmatch(name):
            return name.lower()
        case ["pub", name, *numbers] if len(numbers) >= 3 and all(map(_PUB_PART.fullmatch, numbers[:3])):
            return f"{name.lower()}-{''.join(reversed(numbers[:3]))}"
    raise NotAProfile


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
