"""Split, join and sanitize names of people and companies."""

from __future__ import annotations

import re
import unicodedata

from nameparser import HumanName
from pydantic_core import PydanticCustomError

MAX_MAIL_CHARS = 60
REJECTED = "Enter a name without web or email addresses and without line breaks"
# Control, formatting and separator characters: line ends, zero-width characters, text direction marks.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_JOINERS = re.compile(r"[\u200c\u200d]")  # required by names in some scripts
_ADDRESS = re.compile(r"://|@|www\.", re.IGNORECASE)
MAX_CHARS = 300
# After the name in profiles: "| Sales", "- CPA", a check mark.
_DECORATION = re.compile(r"\s+[|•·–—-]\s.*\Z|[^\w.'’)]+\Z")
_PRONOUNS = re.compile(
    r"\W(?:she|he|they|ze|xe|sie|er)(?:/(?:her|hers|him|his|them|theirs|hir|xem|ihr|ihm))+\b\)?", re.IGNORECASE
)
_WORD = re.compile(r"\w")
_INNER_DOT = re.compile(r"(?<=\w)\.(?=\w)")


def split(name: str) -> tuple[str, str]:
    """Return first and last name without titles, suffixes and pronouns; a single word is the first name.

    `Doe, Jane` and particles are understood: `Ludwig van Beethoven` is `Ludwig` and `van Beethoven`.
    """
    plain = _DECORATION.sub("", _PRONOUNS.sub("", " ".join(name.split())[:MAX_CHARS])).strip()
    found = HumanName(plain)
    first, last = f"{found.first} {found.middle}".strip(), found.last
    if not first:  # "Dr. Smith", and names in scripts without spaces
        first, last = last, ""
    if not _WORD.search(first):  # nothing but a title
        first, _, last = plain.partition(" ")
    return first[:100], last[:100]


def joined(first: str, last: str) -> str:
    """Return the full name of two parts."""
    return f"{first.strip()} {last.strip()}".strip()[:200]


def is_plain(name: str) -> bool:
    """Return whether a name contains no address, line end or invisible character."""
    text = _folded(name)
    return not _INVISIBLE.search(text) and not _ADDRESS.search(text)


def checked(name: str | None) -> str | None:
    """Validate a field of a model that must be plain."""
    if name and not is_plain(name):
        raise PydanticCustomError("name_with_address", REJECTED)
    return name


def plain(name: str) -> str:
    """Return a name that is safe in a mail: one line, at most 60 characters, nothing that forms a link."""
    text = _INVISIBLE.sub(" ", _folded(name))
    words = [word for word in text.split() if not _ADDRESS.search(word)]
    return _INNER_DOT.sub(" ", " ".join(words))[:MAX_MAIL_CHARS].strip()


def _folded(name: str) -> str:
    """Replace compatibility characters, such as a full-width colon or dot, by their plain forms."""
    return _JOINERS.sub("", unicodedata.normalize("NFKC", name)).replace("\u3002", ".")
