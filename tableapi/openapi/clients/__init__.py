"""Generate TypeScript and Python clients from the description that the caller may see.

They are part of the server, so that the holder of a key gets a client with exactly the calls of the key in one request.
"""

from __future__ import annotations

import orjson

from tableapi.errors import BadRequest
from tableapi.openapi.clients import python, typescript
from tableapi.openapi.clients.described import Described

LANGUAGES = {"typescript": typescript.write, "python": python.write}


def checked(language: str) -> str:
    """Return the language selected by an option. Raises BadRequest for an unsupported one."""
    if language not in LANGUAGES:
        words = " or ".join(LANGUAGES)
        raise BadRequest(
            f"There is no client in '{language[:50]}'. Available languages: {words}.",
            reason="bad_option",
            context={"option": "client"},
        )
    return language


def write(language: str, document: bytes, *, numbers: str | None) -> bytes:
    """Generate a module from a document with `typed=true` and the option `numbers`."""
    return LANGUAGES[language](Described(orjson.loads(document)), numbers=numbers).encode()
