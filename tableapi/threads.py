"""Run long CPU-bound work in a few threads, off the event loop.

Read plans have a separate thread, so that they never wait for a file that is being written.

A thread that computes holds the interpreter's lock until another thread has waited for the switch interval. The default
of 5 ms delays each step of the event loop by as much; with a shorter one, the threads interrupt each other more often.
`switch_sooner` therefore shortens it only while a thread computes.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MIN_BYTES = 65_536  # smaller bodies are converted directly, in a few milliseconds
MAX_BYTES = 16_000_000  # maximum JSON to decode, since decoding blocks all other threads

SWITCH_SECONDS = 0.001  # the switch interval while a thread computes


class _Threads(ThreadPoolExecutor):
    """Threads that yield to the event loop after SWITCH_SECONDS, once `switch_sooner` was called."""

    usual: float | None = None  # the switch interval while none of them computes
    running = 0
    lock = threading.Lock()

    def submit(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return super().submit(work if self.usual is None else partial(_computed, work), *args, **kwargs)


def _computed(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    _count(1)
    try:
        return work(*args, **kwargs)
    finally:
        _count(-1)


def _count(change: int) -> None:
    with _Threads.lock:
        _Threads.running += change
        if _Threads.usual is not None:
            sys.setswitchinterval(SWITCH_SECONDS if _Threads.running else _Threads.usual)


_plans = _Threads(1, "plans")
_bodies = _Threads(2, "bodies")


def switch_sooner() -> None:
    """Let the threads of this module and of `asyncio.to_thread` yield sooner to the running event loop.

    This sets the switch interval of the whole process, which a host program's must not be.
    """
    _Threads.usual = sys.getswitchinterval()
    asyncio.get_running_loop().set_default_executor(_Threads(thread_name_prefix="thread"))


async def plan(build: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Build a plan of a read."""
    return await _run(_plans, build, *args, **kwargs)


async def body(size: int, convert: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Convert a body of `size` bytes; a small one directly on the event loop, which is faster."""
    if size < MIN_BYTES:
        return convert(*args, **kwargs)
    return await _run(_bodies, convert, *args, **kwargs)


async def _run(pool: ThreadPoolExecutor, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    context = copy_context()
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(pool, lambda: context.run(work, *args, **kwargs))
