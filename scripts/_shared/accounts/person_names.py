"""Names of people and companies: one field or two, and how they may appear in a mail."""

from __future__ import annotations

import re
import unicodedata

LONGEST_IN_MAIL = 60
REFUSED = "Enter a name without web or email addresses and without line breaks"
# Control, formatting and separator characters: line ends, zero-width characters, marks that turn the direction of text.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
_JOINERS = re.compile(r"[\u200c\u200d]")  # part of names in some scripts, and of nothing else
_ADDRESS = re.compile(r"://|@|www\.", re.IGNORECASE)
_INNER_DOT = re.compile(r"(?<=\w)\.(?=\w)")


def split(name: str) -> tuple[str, str]:
    """First and last name: what is before the first space, and the rest."""
    first, _, last = " ".join(name.split()).partition(" ")
    return first[:100], last[:100]


def joined(first: str, last: str) -> str:
    """The full name of two trimmed parts."""
    return f"{first.strip()} {last.strip()}".strip()[:200]


def is_plain(name: str) -> bool:
    """Return whether a typed name holds no address, line end or invisible character."""
    text = _folded(name)
    return not _INVISIBLE.search(text) and not _ADDRESS.search(text)


def plain(name: str) -> str:
    """Return a name fit for a mail: one line of at most 60 characters, with nothing that mail programs make a link."""
    text = _INVISIBLE.sub(" ", _folded(name))
    words = [word for word in text.split() if not _ADDRESS.search(word)]
    return _INNER_DOT.sub(" ", " ".join(words))[:LONGEST_IN_MAIL].strip()


def _folded(name: str) -> str:
    """Compatibility forms as their plain characters, so that a full-width colon or dot is one."""
    return _JOINERS.sub("", unicodedata.normalize("NFKC", name)).replace("\u3002", ".")
