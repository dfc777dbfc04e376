"""Run long CPU-bound work in a few threads, off the event loop.

Read plans have a separate thread, so that they never wait for a file that is being written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MIN_BYTES = 65_536  # smaller bodies are converted directly, in a few milliseconds
MAX_BYTES = 16_000_000  # maximum JSON to decode, since decoding blocks all other threads

_plans = ThreadPoolExecutor(1, "plans")
_bodies = ThreadPoolExecutor(2, "bodies")


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
