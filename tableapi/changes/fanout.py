"""The open streams of one database in one worker: checks of their callers, heartbeats, and their end."""

from __future__ import annotations

import asyncio
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Generic, TypeVar

from tableapi.auth.policy import Actor
from tableapi.changes.stream import EventStream, StreamCounts
from tableapi.datasets.dataset import ServedDataset
from tableapi.errors import ApiError
from tableapi.log import get_logger
from tableapi.observability import background

log = get_logger(__name__)
CHECK_SECONDS = 4.0  # period in which the caller of each stream is checked once
SWEEP_SECONDS = 0.25  # interval between sweeps
UNREAD_SECONDS = 30.0  # an unread stream is closed after this long
Check = Callable[[Mapping[str, str], str], Awaitable[Actor]]
Changes = Callable[[], Awaitable[int]]  # the number of changes of callers so far
Stream = TypeVar("Stream", bound=EventStream)


class Fanout(ABC, Generic[Stream]):
    """The streams of a dataset.

    Args:
        check: Authenticates a caller again, by the headers and the address of its request.
        changes: Returns a number that differs once callers may have lost rights.
    """

    def __init__(
        self, dataset: ServedDataset, heartbeat: float, counts: StreamCounts, check: Check, changes: Changes
    ) -> None:
        self.dataset, self.streams = dataset, dict[Stream, None]()
        self._heartbeat, self._counts, self._check, self._changes = heartbeat, counts, check, changes
        self._period = min(CHECK_SECONDS, heartbeat / 2)
        self._sweeping: asyncio.Task[None] | None = None

    def add(self, stream: Stream) -> None:
        """Add a stream. Raises Busy or TooMany if there are too many."""
        self._counts.add(stream.holders)
        stream.due = time.monotonic() + self._period * random.random()  # noqa: S311 - spreads the load
        self.streams[stream] = None
        if self._sweeping is None or self._sweeping.done():
            self._sweeping = background.start(self._sweep(), "stream_sweep")

    def closed(self, stream: Stream) -> None:
        """Remove a stream that has ended; safe to repeat."""
        if self.streams.pop(stream, True) is None:
            self._counts.remove(stream.holders)
            self._removed(stream)

    def end_all(self) -> None:
        """End all streams; their clients reconnect."""
        for stream in list(self.streams):
            stream.end()

    async def check_callers(self, streams: Iterable[Stream]) -> None:
        """End the streams of callers that have lost their rights, before something is sent to them."""
        changes = await self._changes()
        for stream in list(streams):
            if stream.checked != changes:
                await self._check_caller(stream)
                stream.checked = changes

    async def _sweep(self) -> None:
        """Check each caller once per period, each at its own time, and send heartbeats."""
        while self.streams:
            await asyncio.sleep(SWEEP_SECONDS)
            now = time.monotonic()
            await self._look(now)
            for stream in [stream for stream in self.streams if stream.due <= now]:
                stream.due = now + self._period - (now - stream.due) % self._period
                if stream.unread and now - stream.opened > UNREAD_SECONDS:
                    await stream.aclose()  # its response was never sent
                    continue
                await self._check_caller(stream)
                if now - stream.beaten >= self._heartbeat:
                    stream.beaten = now
                    stream.push(b": heartbeat\n" + self._resume(stream) + b"\n")

    async def _check_caller(self, stream: Stream) -> None:
        """End a stream if its caller's session has ended or its rights have changed."""
        try:
            if not await self._keeps(stream, await self._check(stream.headers, stream.ip)):
                stream.end()
        except ApiError as error:
            if error.status < 500 and error.status != 429:
                stream.end()
        except Exception as error:  # the database is unreachable; the next round checks again
            log.warning("stream_check_failed", error=type(error).__name__)

    @abstractmethod
    async def _keeps(self, stream: Stream, actor: Actor) -> bool:
        """Return whether a stream may continue with the caller's current rights. Raises ApiError if not."""

    @abstractmethod
    def _removed(self, stream: Stream) -> None:
        """Forget a stream that has ended."""

    async def _look(self, now: float) -> None:
        """Run the further checks of this kind of stream."""

    def _resume(self, stream: Stream) -> bytes:
        """Return the line of a newer resume token, if there is one."""
        return b""
