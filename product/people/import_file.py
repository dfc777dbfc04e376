"""Convert lines of the people file to rows for COPY, with contact values encrypted.

Runs in worker processes.

A cell in quotes may have line breaks (RFC 4180). A stray quote breaks only its own line, because a record ends within
MAX_LINES.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

import orjson

from product import emails, sheets
from product.people import job_titles, phones, profile_url, removal, search_terms
from product.people.directory import split_validity
from tableapi import Vault

HEADER = [
    "linkedinurl", "full_name", "title", "company", "company_domain", "country", "personal_emails", "business_emails",
    "phones",
]  # fmt: skip
OPTIONAL = ["city", "industry", "company_size", "seniority"]  # columns that a file may have, in any position
COLUMNS = (
    "line", "profilekey", "full_name", "title", "company", "company_domain", "country", "city", "industry",
    "company_size", "seniority", "jobfunction", "verification", "personalcipher", "businesscipher", "phonecipher",
    "searchable",
)  # fmt: skip
_TEXTS = [*HEADER[:6], *OPTIONAL]  # before the lists of values
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_NEEDS_ESCAPE = re.compile(r"[\\\t\n\r]")
_DOMAIN = re.compile(r"(?!www\.)[a-z0-9.-]*")
IGNORED = "reason"  # a column of the file of what was left out, which can be imported again
MAX_CHARS = 300  # per name, title or company
MAX_LINES = 20  # per record
NOT_AN_ADDRESS = "an e-mail address is not valid"


class BadLine(ValueError):
    """The reason why a line is skipped. Never quotes a contact value."""


@dataclass(slots=True)
class Parsed:
    """The result of a block of lines: rows in the text format of COPY, and what was left out.

    bad: lines that were skipped; left_out: values that were, while the person was kept. Both with the reason. records:
    the lines of both, as they were, by number.
    """

    rows: bytes = b""
    good: int = 0
    suppressed: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)
    left_out: list[tuple[int, str]] = field(default_factory=list)
    records: dict[int, bytes] = field(default_factory=dict)


class LineReader:
    """Converts lines to rows. `suppressed`: the keyed hashes in the removal list."""

    def __init__(
        self, secret_keys: Sequence[str], host: str, suppressed: frozenset[bytes], header: Sequence[str] = HEADER
    ) -> None:
        self._vault, self._host, self._suppressed = Vault(secret_keys), host, suppressed
        self._width = len(header)
        missing = self._width  # index of the empty field that stands for missing columns
        place = {name: number for number, name in enumerate(header)}
        self._in_order = itemgetter(*(place.get(name, missing) for name in (*_TEXTS, *HEADER[6:])))

    def block(self, first: int, block: bytes) -> Parsed:
        """Convert the lines of a block; `first` is the number of its first line."""
        parsed, rows = Parsed(), []
        for number, line in records(first, block):
            seen = len(parsed.left_out)
            try:
                row = self._row(number, line, parsed.left_out)
            except ValueError as error:
                parsed.bad.append((number, _reason(error)))
                parsed.records[number] = line
                continue
            if row is None:
                parsed.suppressed += 1
                del parsed.left_out[seen:]
                continue
            rows.append(row)
            if len(parsed.left_out) > seen:
                parsed.records[number] = line
        parsed.good = len(rows)
        parsed.rows = "".join(rows).encode()
        return parsed

    def _row(self, number: int, raw: bytes, left_out: list[tuple[int, str]]) -> str | None:
        fields = _fields(raw.decode())
        if len(fields) != self._width:
            raise BadLine(f"expected {self._width} fields, found {len(fields)}")
        ordered = self._in_order([*fields, ""])
        url, *texts = map(str.strip, ordered[: len(_TEXTS)])
        if b"\n" in raw:
            url, *texts = [" ".join(text.split()) if "\n" in text else text for text in (url, *texts)]
        if b"'" in raw:
            texts = [sheets.unguarded(text) for text in texts]
        key = profile_url.key_of(url, self._host)
        if not texts[0]:
            raise BadLine("full_name is empty")
        if max(map(len, texts)) > MAX_CHARS:
            texts = [_short(number, *pair, left_out) for pair in zip(_TEXTS[1:], texts, strict=True)]
        personal, marked, forms = list[str](), list[tuple[str, str]](), list[str]()  # as written, and as hashed
        for address in emails.split(ordered[-3]):
            if form := emails.checked(address):
                personal.append(address)
                forms.append(form)
            else:
                left_out.append((number, NOT_AN_ADDRESS))
        for text in emails.split(ordered[-2]):
            address, mark = _marked(number, text, left_out)
            if form := emails.checked(address):
                marked.append((address, mark))
                forms.append(form)
            else:
                left_out.append((number, NOT_AN_ADDRESS))
        if not _DOMAIN.fullmatch(texts[3]):
            texts[3] = search_terms.domain_of(texts[3])
        texts[4] = search_terms.country_known(texts[4])
        full_name, title, company, domain, country, city, industry, size, seniority = texts
        numbers = _numbers(number, ordered[-1], country, left_out)
        if self._suppressed:
            addresses = [*personal, *(address for address, _ in marked)]
            if self._is_suppressed(key, addresses, numbers):
                return None
        hashes = [self._vault.index("email", form) for form in forms]
        derived, function = job_titles.derived(title)
        if seniority and not (known := job_titles.known_seniority(seniority)):
            left_out.append((number, f"seniority is none of {', '.join(job_titles.SENIORITIES)}"))
        texts[-1] = seniority = known if seniority and known else derived
        verification = marked[0][1] if marked else None
        terms = (
            search_terms.of_name(full_name),
            search_terms.of_job(title, seniority, function),
            search_terms.of_company(company, domain, industry, size),
            search_terms.of_place(country, city),
            *[search_terms.email_term(self._vault, "", hashed) for hashed in hashes],
        )
        shown = [key, *texts, function]
        if _NEEDS_ESCAPE.search("".join(shown)):
            shown = [text.translate(_ESCAPES) for text in shown]
        sealed = (self._sealed(personal), self._sealed(marked), self._sealed(numbers), " ".join(terms))
        return "\t".join((str(number), *shown, verification or "\\N", *sealed)) + "\n"

    def _sealed(self, values: Sequence[object]) -> str:
        return "\\\\x" + self._vault.seal_bytes(orjson.dumps(values)).hex() if values else "\\N"

    def _is_suppressed(self, key: str, emails: list[str], numbers: list[str]) -> bool:
        hashes = [*self._vault.indexes("profile", key), *removal.hashes(self._vault, emails, numbers)]
        return not self._suppressed.isdisjoint(hashes)


def records(first: int, block: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the records of a block, with the number of the line on which each begins."""
    lines, at = block.split(b"\n"), 0
    while at < len(lines):
        number, line = first + at, lines[at].rstrip(b"\r")
        at += 1
        if not line.strip():
            continue
        if line.count(b'"') % 2 and (more := _rest(lines, at - 1)):
            line = b"\n".join(lines[at - 1 : at + more]).rstrip(b"\r")
            at += more
        yield number, line


def _rest(lines: list[bytes], at: int) -> int:
    """Return how many of the next lines belong to a record with a quote that is open; 0 if it stays so."""
    quotes = lines[at].count(b'"')
    for number, line in enumerate(lines[at + 1 : at + MAX_LINES], 1):
        quotes += line.count(b'"')
        if quotes % 2 == 0:
            try:
                _fields(b"\n".join(lines[at : at + 1 + number]).decode("utf-8", "replace"))
            except BadLine:
                return 0
            return number
    return 0


def _short(line: int, name: str, text: str, left_out: list[tuple[int, str]]) -> str:
    """Return a text, or "" if it is too long. Raises BadLine if it is the name of the person."""
    if len(text) <= MAX_CHARS:
        return text
    if name == "full_name":
        raise BadLine(f"full_name is longer than {MAX_CHARS} characters")
    left_out.append((line, f"{name} is longer than {MAX_CHARS} characters"))
    return ""


def _marked(line: int, text: str, left_out: list[tuple[int, str]]) -> tuple[str, str]:
    """Return a work address and its verification."""
    address, colon, mark = text.partition(":")
    if not colon:
        return address, "unknown"
    try:
        return split_validity(f"{address.strip()}:{mark.strip().lower()}")
    except ValueError:
        left_out.append((line, f"the verification of an address is none of {', '.join(search_terms.VERIFICATIONS)}"))
        return address.strip(), "unknown"


def _fields(line: str) -> list[str]:
    if "\0" in line:
        raise BadLine("the line contains a NUL character")
    if '"' not in line:
        return line.split(",")
    try:
        return next(csv.reader(line.splitlines(keepends=True), strict=True))
    except (csv.Error, StopIteration):
        raise BadLine("a quote is not closed or misplaced") from None


def _numbers(line: int, text: str, country: str, left_out: list[tuple[int, str]]) -> list[str]:
    """Return the phone numbers in a cell, and report those that cannot be read."""
    if phones.PLAIN.fullmatch(text):
        return [text]
    found = []
    for one in phones.split(text):
        try:
            found.append(phones.stored(one, country))
        except phones.Unreadable as error:
            left_out.append((line, str(error)))
    return list(dict.fromkeys(found))


def _reason(error: ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return "linkedinurl is not a profile address" if isinstance(error, profile_url.NotAProfile) else str(error)


_reader: LineReader | None = None


def start_worker(secret_keys: Sequence[str], host: str, suppressed: frozenset[bytes], header: Sequence[str]) -> None:
    """Create the reader of this worker process."""
    global _reader
    _reader = LineReader(secret_keys, host, suppressed, header)


def columns_of(line: str) -> list[str] | None:
    """Return the columns in a header; None if a required one is missing or one is unknown."""
    names = line.replace('"', "").replace(" ", "").lower().split(",")
    known = [*HEADER, *OPTIONAL, IGNORED]
    complete = set(HEADER) <= set(names) <= set(known) and len(set(names)) == len(names)
    return names if complete else None


def read_block(first: int, block: bytes) -> Parsed:
    """Convert a block of lines in a worker process."""
    assert _reader is not None
    return _reader.block(first, block)
