"""Background tasks, which are kept referenced until they end and logged if they fail."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from tableapi.log import get_logger

log = get_logger(__name__)
Result = TypeVar("Result")
_running: set[asyncio.Task[Any]] = set()  # the event loop keeps only weak references


def start(work: Coroutine[Any, Any, Result], name: str) -> asyncio.Task[Result]:
    """Run a coroutine as a task. A failure is logged under `name` even if nothing awaits the task."""
    task = asyncio.create_task(work, name=name)
    _running.add(task)
    task.add_done_callback(_ended)
    return task


def _ended(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        log.warning("background_failed", task=task.get_name(), error=type(error).__name__)
