"""One record after its write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Record:
    """One record after its write. body: of the response; mark: the version; keys: key fields by name.

    ignored: nothing was written, because a record with its key exists (`upsert=ignore`).
    """

    body: bytes
    mark: str
    keys: dict[str, Any]
    sealed: bool = False
    ignored: bool = False
