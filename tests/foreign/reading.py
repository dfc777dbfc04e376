"""Read responses of the table API without losing digits or repeated names."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any
from urllib.parse import quote

import httpx2 as httpx


def path(text: object) -> str:
    return quote(str(text), safe="")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object, and fail on a repeated name."""
    twice = [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    assert not twice, f"twice in one object: {twice}"
    return dict(pairs)


def parsed(text: str) -> Any:
    """Parse JSON with each number as text."""
    return json.loads(text, parse_float=Text, parse_int=Text, object_pairs_hook=once)


class Text(str):
    """A number as text."""


def get(http: httpx.Client, url: str, **query: Any) -> Any:
    response = http.get(url, params=query)
    assert response.status_code == 200, (url, query, response.text[:500])
    return parsed(response.text)


def rows(http: httpx.Client, name: str, **query: Any) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = get(http, f"/_table/{path(name)}", **query)["resource"]
    return records


def described(http: httpx.Client, name: str) -> Any:
    return json.loads(http.get(f"/_schema/{path(name)}").text, object_pairs_hook=once)
