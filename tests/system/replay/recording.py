"""One request and its response as lines of a recording, without the parts that vary between runs."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import httpx2

from tests.helpers.support import DATA

FILE = DATA / "replay.jsonl.gz"
SHOWN = 400  # characters of a body shown in a difference; the rest is compared as a digest
HEADERS = (
    "content-type", "cache-control", "location", "content-range", "content-disposition", "preference-applied", "allow",
    "accept-ranges", "dry-run", "retry-after", "www-authenticate", "vary", "link", "deprecation",
)  # fmt: skip
PRESENT = ("etag", "x-request-id", "ratelimit-remaining")  # headers with values that vary between runs

_DIFFERENT = (
    (re.compile(r"whsec_[A-Za-z0-9+/]+=*"), "<secret>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)?"), "<time>"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"v1:[\w+/=-]{20,}|(?<![\w/.-])[A-Za-z0-9_-]{40,}(?![\w/.-])"), "<token>"),
    (re.compile(r"(?<![0-9a-zA-Z])[0-9a-f]{12,}(?![0-9a-zA-Z])"), "<hex>"),
    (re.compile(r"(?<=[-/])[0-9a-f]{6,12}(?=[@\"\\])"), "<hex>"),
    (re.compile(r"(\"request_id\":\s*\")[^\"]+"), r"\1<id>"),
    (re.compile(r"(\"apikey\":\s*\")\w{16}(?=\")"), r"\1<key>"),
    (re.compile(r"127\.0\.0\.1:\d+"), "<host>"),
)
_DAY = re.compile(r"\b20\d\d-\d\d-\d\d\b")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A named request, and the relevant parts of its response."""

    name: str
    status: int
    headers: dict[str, str]
    body: str
    digest: str


def normal(text: str, *, days: bool) -> str:
    """Replace times, identifiers and tokens. days: also dates, where they depend on the day of the run."""
    for pattern, word in _DIFFERENT:
        text = pattern.sub(word, text)
    return _DAY.sub("<day>", text) if days else text


def exchange(name: str, response: httpx2.Response, *, days: bool = False) -> Exchange:
    """Return a response in recorded form. Files are compared by type and number of bytes."""
    kind = response.headers.get("content-type", "")
    headers = {key: normal(response.headers[key], days=days) for key in HEADERS if key in response.headers}
    headers |= {key: "present" for key in PRESENT if key in response.headers}
    if kind.startswith(("application/json", "text/", "application/xml", "application/x-ndjson", "application/openapi")):
        text = normal(response.text, days=days)
    else:
        text = f"<{kind or 'no'} body>"
    return Exchange(name, response.status_code, headers, text[:SHOWN], hashlib.sha256(text.encode()).hexdigest()[:16])


def write(exchanges: Iterable[Exchange]) -> None:
    """Write the recording, the same bytes for the same exchanges."""
    lines = "".join(json.dumps(asdict(one), ensure_ascii=False, sort_keys=True) + "\n" for one in exchanges)
    FILE.write_bytes(gzip.compress(lines.encode(), mtime=0))


def read() -> dict[str, dict[str, Any]]:
    """Return the recorded exchanges by name."""
    lines = gzip.decompress(FILE.read_bytes()).decode().splitlines()
    return {line["name"]: line for line in map(json.loads, lines)}


def differences(found: Iterable[Exchange]) -> list[str]:
    """Return the differences from the recording, one text per exchange. New tables and calls are ignored."""
    known = read()
    seen = {one.name: asdict(one) for one in found}
    lines = [f"{name}: not asked any more" for name in known.keys() - seen.keys()]
    for name in known.keys() & seen.keys():
        before, after = known[name], seen[name]
        changed = [part for part in ("status", "headers", "body", "digest") if before[part] != after[part]]
        if changed:
            part = changed[0]
            lines.append(f"{name}: {part}\n  recorded {before[part]!s}\n  found    {after[part]!s}")
    return sorted(lines)
