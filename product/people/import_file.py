"""Convert lines of the people file to rows for COPY, with contact values encrypted.

Runs in worker processes.

Each person is one physical line, so a stray quote breaks only its own line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import orjson

from product.people import profile_url
from product.people.directory import split_validity
from tableapi import Vault

HEADER = [
    "linkedinurl", "full_name", "title", "company", "company_domain", "country", "personal_emails", "business_emails",
    "phones",
]  # fmt: skip
COLUMNS = (
    "line", "profilekey", "full_name", "title", "company", "company_domain", "country", "personalcipher",
    "businesscipher", "phonecipher",
)  # fmt: skip
_EMAIL = re.compile(r"[^@\s,;:<>\"]{1,64}@[^@\s,;:<>\".]+(?:\.[^@\s,;:<>\".]+)*\.[^@\s,;:<>\".]{2,}")
_PHONE = re.compile(r"\+?[0-9][0-9 ().-]{4,24}")
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_NEEDS_ESCAPE = re.compile(r"[\\\t\n\r]")
MAX_CHARS = 300  # of a name, title or company


class BadLine(ValueError):
    """The reason why a line is skipped. Never quotes a contact value."""


@dataclass(slots=True)
class Parsed:
    """The result of a block of lines: rows in the text format of COPY, and the lines that were skipped."""

    rows: bytes = b""
    good: int = 0
    suppressed: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)


class LineReader:
    """Converts lines to rows. `suppressed` holds the keyed hashes of the removal list."""

    def __init__(self, secret_keys: Sequence[str], host: str, suppressed: frozenset[bytes]) -> None:
        self._vault, self._host, self._suppressed = Vault(secret_keys), host, suppressed

    def block(self, first: int, block: bytes) -> Parsed:
        """Convert the lines of a block; `first` is the number of its first line."""
        parsed, rows = Parsed(), []
        for number, raw in enumerate(block.split(b"\n")[: block.count(b"\n") + (not block.endswith(b"\n"))], first):
            line = raw.rstrip(b"\r")
            if not line.strip():
                continue
            try:
                row = self._row(number, line)
            except ValueError as error:
                parsed.bad.append((number, _reason(error)))
                continue
            if row is None:
                parsed.suppressed += 1
            else:
                rows.append(row)
        parsed.good = len(rows)
        parsed.rows = "".join(rows).encode()
        return parsed

    def _row(self, number: int, raw: bytes) -> str | None:
        fields = _fields(raw.decode())
        if len(fields) != len(HEADER):
            raise BadLine(f"{len(fields)} fields instead of {len(HEADER)}")
        url, *texts = (text.strip() for text in fields[:6])
        key = profile_url.key_of(url, self._host)
        if not texts[0]:
            raise BadLine("full_name is empty")
        if any(len(text) > MAX_CHARS for text in texts):
            raise BadLine(f"a text is longer than {MAX_CHARS} characters")
        personal, business, phones = (_split(text) for text in fields[6:])
        marked = [split_validity(text) for text in business]
        if not all(_EMAIL.fullmatch(address) for address in [*personal, *(address for address, _ in marked)]):
            raise BadLine("an e-mail address is not valid")
        if not all(_PHONE.fullmatch(phone) for phone in phones):
            raise BadLine("a phone number is not valid")
        if self._suppressed and self._is_suppressed(key, [*personal, *(address for address, _ in marked)]):
            return None
        sealed = (self._sealed(personal), self._sealed(marked), self._sealed(phones))
        return "\t".join((str(number), *(_escaped(text) for text in (key, *texts)), *sealed)) + "\n"

    def _sealed(self, values: Sequence[object]) -> str:
        return "\\\\x" + self._vault.seal_bytes(orjson.dumps(values)).hex() if values else "\\N"

    def _is_suppressed(self, key: str, emails: list[str]) -> bool:
        hashes = set(self._vault.indexes("profile", key))
        for email in emails:
            hashes.update(self._vault.indexes("email", email.lower()))
        return not hashes.isdisjoint(self._suppressed)


def _fields(line: str) -> list[str]:
    if "\0" in line:
        raise BadLine("the line holds a NUL character")
    if '"' not in line:
        return line.split(",")
    try:
        return next(csv.reader([line], strict=True))
    except (csv.Error, StopIteration):
        raise BadLine("the quotes do not match") from None


def _split(text: str) -> list[str]:
    return [part for part in (piece.strip() for piece in text.split(";")) if part] if text else []


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES) if _NEEDS_ESCAPE.search(text) else text


def _reason(error: ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return "linkedinurl is not a profile address" if isinstance(error, profile_url.NotAProfile) else str(error)


_reader: LineReader | None = None


def start_worker(secret_keys: Sequence[str], host: str, suppressed: frozenset[bytes]) -> None:
    """Create the reader of this worker process."""
    global _reader
    _reader = LineReader(secret_keys, host, suppressed)


def read_block(first: int, block: bytes) -> Parsed:
    """Convert a block of lines in a worker process."""
    assert _reader is not None
    return _reader.block(first, block)
