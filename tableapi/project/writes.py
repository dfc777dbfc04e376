"""Notify a host program of committed writes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tableapi.auth.policy import Actor
from tableapi.log import get_logger

log = get_logger(__name__)
Listener = Callable[["Write"], Any]


@dataclass(frozen=True, slots=True)
class Write:
    """A committed write of one request.

    Attributes:
        dataset: Name of the database.
        table: Name of the table; a request with nested records has one write for each table and verb.
        verb: POST, PATCH (also for PUT) or DELETE.
        keys: Primary keys of the records, by field: numbers, booleans, bytes and UUIDs as such, anything else as text
            (composites and JSON as JSON). Empty for a table without a key, or if all records were affected.
        actor: The caller.
    """

    dataset: str
    table: str
    verb: str
    keys: tuple[dict[str, Any], ...]
    actor: Actor


async def tell(
    listener: Listener | None, dataset: str, actor: Actor, written: Sequence[tuple[str, str, Any]] | None
) -> None:
    """Call the listener, if there is one, once per table and verb.

    Its errors are logged, because the write is already committed.
    """
    if listener is None or not written:
        return
    grouped: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for table, verb, keys in written:
        grouped.setdefault((table, verb), []).append(keys)
    for (table, verb), keys in grouped.items():
        try:
            result = listener(Write(dataset, table, verb, tuple(keys), actor))
            if inspect.isawaitable(result):
                await result
        except Exception as error:
            log.error("on_write_failed", table=table, verb=verb, exc_info=error)
