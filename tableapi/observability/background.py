"""Tasks beside requests: kept until they end, and what fails in them is logged, never lost."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from tableapi.log import get_logger

log = get_logger(__name__)
Result = TypeVar("Result")
_running: set[asyncio.Task[Any]] = set()  # the event loop itself refers to its tasks weakly


def start(work: Coroutine[Any, Any, Result], name: str) -> asyncio.Task[Result]:
    """Run `work` beside. A failure is logged under `name`, also when the task is awaited no more."""
    task = asyncio.create_task(work, name=name)
    _running.add(task)
    task.add_done_callback(_ended)
    return task


def _ended(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        log.warning("background_failed", task=task.get_name(), error=type(error).__name__)
