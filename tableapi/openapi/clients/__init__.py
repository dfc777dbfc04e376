"""Clients in TypeScript and Python, made from the description that the caller may see."""

from __future__ import annotations

import orjson

from tableapi.errors import BadRequest
from tableapi.openapi.clients import python, typescript
from tableapi.openapi.clients.described import Described

LANGUAGES = {"typescript": typescript.write, "python": python.write}


def checked(language: str) -> str:
    """Return the language of an option. Raises BadRequest for another one."""
    if language not in LANGUAGES:
        words = " or ".join(LANGUAGES)
        raise BadRequest(
            f"There is no client in '{language[:50]}'; ask for {words}.",
            reason="bad_option",
            context={"option": "client"},
        )
    return language


def write(language: str, document: bytes, *, numbers: str | None) -> bytes:
    """Return a module for a document of `typed=true`, which `numbers` was part of."""
    return LANGUAGES[language](Described(orjson.loads(document)), numbers=numbers).encode()
