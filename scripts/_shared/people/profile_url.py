"""One name for one profile, whatever spelling of its address was typed (safe-contract §5)."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, unquote

from tableapi.errors import Invalid

MESSAGE = "Please input correct url"
LONGEST = 400
_SCHEME = re.compile(r"^(?:https?:)?/*", re.IGNORECASE)
_PORT = re.compile(r":\d{1,5}$")
_BAD = re.compile(r"[\x00-\x20\x7f\\<>\"]")
# What nearly every line of a people file looks like; the rest takes the long way.
_PLAIN = re.compile(r"(?:https?://)?(?:www\.)?([a-z.]+)/in/([a-z0-9-]{1,200})/?")
_MINI = "miniprofileurn"


class NotAProfile(ValueError):
    """The text is no address of a profile."""

    def __init__(self) -> None:
        super().__init__(MESSAGE)


def key_of(text: str, host: str = "linkedin.com") -> str:
    """The profile key of any spelling of its address, e.g. `in/jane-doe`; NotAProfile otherwise.

    Letter case is dropped in the path too: the network treats /in/Jane and /in/jane as one person.
    """
    if (plain := _PLAIN.fullmatch(text)) and plain[1] == host:
        return f"in/{plain[2]}"
    rest, _, _ = text.strip().partition("#")
    rest, _, query = rest.partition("?")
    if _MINI in _decoded(f"{query}&{text}").lower():
        raise NotAProfile
    address = _SCHEME.sub("", rest, count=1)
    typed_host, _, path = address.partition("/")
    typed_host = _PORT.sub("", typed_host).rstrip(".").lower()
    if "@" in typed_host or (typed_host != host and not typed_host.endswith("." + host)):
        raise NotAProfile
    parts = [_decoded(part).strip() for part in path.split("/")]
    key = "/".join(_person_of([unicodedata.normalize("NFC", part).lower() for part in parts if part]))
    if "/" not in key or len(key) > LONGEST or _BAD.search(key):
        raise NotAProfile
    return key


def _person_of(parts: list[str]) -> list[str]:
    """/in/jane/de and /in/jane/details/skills are pages of the same person."""
    return parts[:2] if parts[:1] == ["in"] else parts


def _decoded(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        raise NotAProfile from None


def typed_key(text: str, host: str) -> str:
    """`key_of` for a field that a person typed: 422 with the message of the specification."""
    try:
        return key_of(text, host)
    except NotAProfile:
        raise Invalid({"linkedinurl": MESSAGE}) from None


def url_of(key: str, host: str = "linkedin.com") -> str:
    """The address that a browser opens."""
    return f"https://www.{host}/{quote(key)}"
