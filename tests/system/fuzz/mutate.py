"""Mutations of requests, as faulty or hostile clients and proxies send them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from tests.system.fuzz.seeds import FIELDS, SEEDS, Sent

WORDS = [
    "", "0", "-1", "1", "901", "null", "true", "NaN", "1e400", "99999999999999999999", "2147483648", "\x00", "'", '"',
    "')) or ((1=1", "1; drop table client", "--", "/*", "%", "_", "\\", "\ufeff", "💥", "ａ", "\u202e", "\ud800",
    "a" * 300, "../../etc/passwd", "{}", "[]", "{user.id}", "$1", ":a", "now()", "2026-02-30", "0001-01-01",
    "infinity", "9999-12-31T23:59:59.999999Z", "clientid=901", "(clientid=901) or (clientid=900)", "not(a)",
    "clientid is null", "name like '%'", "contactid between 1 and", "a in ()", "count(*)", "sum(delta)", "*",
    "password", "appuser_by_clientid", "client_by_clientid.usercredit_by_clientid", "x@y.example", "<b>", "\r\nX: y",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 901, 2**31, 2**63, 2**70, 1.5, 1e308, "", "x", [], {}, [None], {"$gt": 1}, ["a"] * 50,
    "a" * 5000, "\x00", "\ud83d", "901", [[[[]]]], {"a": {"b": {"c": {}}}},
]  # fmt: skip
OPTIONS = ["filter", "fields", "order", "limit", "offset", "related", "group", "having", "ids", "id_field", "cursor",
           "include_count", "count_only", "params", "continue", "rollback", "upsert", "force", "method", "file",
           "as_list", "include_schema", "api_key", "session_token", "apikey", "type"]  # fmt: skip
HEADERS = ["Content-Type", "Accept", "X-HTTP-Method", "X-HTTP-Method-Override", "If-Match", "Idempotency-Key",
           "X-Field-Encryption", "Authorization", "X-Session-Token", "X-API-Key", "Origin", "Host", "Range", "Cookie",
           "X-Forwarded-For", "Accept-Encoding", "Content-Encoding", "X-Request-Id", "Prefer", "Expect"]  # fmt: skip
TYPES = ["application/json", "text/csv", "application/xml", "application/x-www-form-urlencoded", "text/plain",
         "multipart/form-data; boundary=x", "application/json; charset=utf-16", "*/*",
         "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"]  # fmt: skip
VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "MERGE", "TRACE", "PROPFIND", "get", "G"]

Dice = random.Random


def _word(dice: Dice) -> str:
    return dice.choice(WORDS) if dice.random() < 0.9 else "".join(chr(dice.randrange(1, 0x3000)) for _ in range(8))


def _verb(sent: Sent, dice: Dice) -> None:
    sent.method = dice.choice(VERBS)


def _path(sent: Sent, dice: Dice) -> None:
    parts = sent.path.split("/")
    at = dice.randrange(1, len(parts)) if len(parts) > 1 else 0
    match dice.randrange(5):
        case 0:
            parts[at] = _quoted(_word(dice), dice)
        case 1:
            parts.insert(at, _quoted(_word(dice), dice))
        case 2:
            del parts[at]
        case 3:
            parts[at] = parts[at].upper()
        case _:
            parts.append(dice.choice(["%00", "%ff", "..", ".", "", "901", "_field", "1?x", "%2e%2e%2f", ";a=b", "*"]))
    sent.path = "/".join(parts) or "/"


def _quoted(word: str, dice: Dice) -> str:
    return quote(word.encode("utf-8", "surrogatepass"), safe="/" if dice.random() < 0.2 else "")


def _query(sent: Sent, dice: Dice) -> None:
    name = dice.choice(OPTIONS) if dice.random() < 0.8 else _word(dice)
    value = f"({dice.choice(FIELDS)}{dice.choice(['=', '>', ' like ', ' in ', ' is ', '~'])}{_word(dice)})"
    value = value if name == "filter" and dice.random() < 0.6 else _word(dice)
    value = dice.choice(FIELDS) if dice.random() < 0.2 else value
    if sent.query and dice.random() < 0.5:
        sent.query[dice.randrange(len(sent.query))] = (name, value)
    else:
        sent.query.append((name, value))


def _header(sent: Sent, dice: Dice) -> None:
    name = dice.choice(HEADERS)
    value = dice.choice(TYPES) if name in ("Content-Type", "Accept") else _word(dice)
    if name.startswith("X-HTTP"):
        value = dice.choice(VERBS)
    value = "".join(c for c in value if c not in "\r\n\0").encode("utf-8", "replace").decode("latin-1")
    sent.headers.append((name, value))


def _places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    paths = [path]
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        paths += _places(value, (*path, key))
    return paths


def _field(sent: Sent, dice: Dice) -> None:
    if sent.data is None:
        sent.data = {"resource": [{}]}
    place = dice.choice(_places(sent.data))
    value = copy.deepcopy(dice.choice(VALUES)) if dice.random() < 0.7 else _word(dice)
    if not place:
        if dice.random() < 0.3 or not isinstance(sent.data, dict):
            sent.data = value
        else:
            sent.data[dice.choice(FIELDS) if dice.random() < 0.7 else _word(dice)] = value
        return
    inside = sent.data
    for key in place[:-1]:
        inside = inside[key]
    if isinstance(inside, dict) and dice.random() < 0.3:
        del inside[place[-1]]
    elif isinstance(inside, dict) and dice.random() < 0.4:
        inside[dice.choice(FIELDS)] = value
    else:
        inside[place[-1]] = value


def _bytes(sent: Sent, dice: Dice) -> None:
    raw = bytearray(sent.filled() or b"{}")
    sent.data = None
    match dice.randrange(5):
        case 0:
            raw = raw[: dice.randrange(len(raw) + 1)]
        case 1:
            for _ in range(dice.randrange(1, 6)):
                raw[dice.randrange(len(raw))] = dice.randrange(256)
        case 2:
            raw = bytearray(b"[" * 3000 + bytes(raw) + b"]" * 3000)
        case 3:
            raw = bytearray(bytes(raw).decode("utf-8", "replace").encode("utf-16"))
        case _:
            raw = raw * dice.randrange(2, 40)
    sent.body = bytes(raw)


def _large(sent: Sent, dice: Dice) -> None:
    if dice.random() < 0.2:
        sent.data = {"resource": [{"name": "x" * dice.choice([10_000, 900_000, 1_200_000])}]}
    else:
        sent.data = {"resource": [{dice.choice(FIELDS): number} for number in range(dice.choice([50, 1001]))]}


MUTATIONS: list[tuple[int, Callable[[Sent, Dice], None]]] = [
    (10, _verb), (15, _path), (30, _query), (15, _header), (25, _field), (8, _bytes), (1, _large),
]  # fmt: skip


def mutated(dice: Dice) -> Sent:
    """Return one of the seeds with one to four mutations."""
    sent = copy.deepcopy(dice.choice(SEEDS))
    kinds, weights = [kind for _, kind in MUTATIONS], [weight for weight, _ in MUTATIONS]
    for kind in dice.choices(kinds, weights, k=dice.choice([0, 1, 1, 2, 2, 3, 4])):
        kind(sent, dice)
    return sent


def wire(sent: Sent, credentials: dict[str, str]) -> bytes:
    """Serialize the request, invalid HTTP included, unless that would break the connection."""
    try:
        body = sent.filled()
    except (UnicodeError, ValueError):
        body = json.dumps(str(sent.data), ensure_ascii=True).encode()
    query = "&".join(f"{_safe(name)}={_safe(value)}" for name, value in sent.query)
    target = sent.path + (f"?{query}" if query else "")
    target = "".join(c for c in target if 32 < ord(c) < 127) or "/"
    names = {name.lower() for name, _ in sent.headers}
    headers = [(name, value) for name, value in credentials.items() if name.lower() not in names] + sent.headers
    if "host" not in names:
        headers.append(("Host", "fuzz"))
    if body and "content-type" not in names:
        headers.append(("Content-Type", "application/json"))
    if body or sent.method in ("POST", "PUT", "PATCH"):
        headers.append(("Content-Length", str(len(body))))
    head = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"{sent.method} {target} HTTP/1.1\r\n{head}\r\n".encode("latin-1", "replace") + body


def _safe(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="(),*'=")
