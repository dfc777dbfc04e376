"""Limit how many connections the reads of one caller may hold while other callers are active.

The reads of a caller wait in a queue of their own before they ask for a connection. So another caller competes with the
running reads only, never with the queued ones.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from math import inf

from tableapi.db.waiting import WaitingQueue
from tableapi.errors import Busy

RECENT_SECONDS = 0.05  # a caller that holds all but one connection and released one so recently may take the last
WAIT_SECONDS = 2.0

_MESSAGE = "Too many of your requests are under way. Try again in a moment."
_Queue = WaitingQueue[asyncio.Future[None]]


class Turns:
    """Admit the reads of each caller to one connection pool. `size` returns how many connections it has."""

    def __init__(self, size: Callable[[], int]) -> None:
        self._size = size
        self._running: dict[str, int] = {}
        self._released: dict[str, float] = {}  # when a caller with further running reads last ended one
        self._queues: dict[str, _Queue] = {}

    @property
    def waiting(self) -> int:
        """The number of reads that wait for their turn."""
        return sum(map(len, self._queues.values()))

    def enter(self, caller: str) -> bool:
        """Begin a read if the caller may read now. Each True needs a `leave`."""
        running = self._running.get(caller, 0)
        if running and (caller in self._queues or not self._may_read(caller, running)):
            return False
        self._running[caller] = running + 1
        return True

    def _may_read(self, caller: str, running: int) -> bool:
        """Reserve the last connection for a caller with short reads while no other caller reads."""
        size = self._size()
        if running < size - 1:
            return True
        alone = len(self._running) == 1 and len(self._queues) - (caller in self._queues) == 0
        return running < size and alone and time.monotonic() - self._released.get(caller, 0.0) < RECENT_SECONDS

    async def wait(self, caller: str) -> None:
        """Wait until the caller may begin a read; as after `enter`, it needs a `leave`. Raises Busy."""
        queue = self._queues.get(caller)
        if queue is None:
            queue = self._queues[caller] = WaitingQueue(inf, WAIT_SECONDS, full=_MESSAGE, late=_MESSAGE)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.put(turn, turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled() and turn.exception() is None:
                self.leave(caller)  # the turn came in the moment of the cancellation
            queue.remove(turn)
            self._remove_empty(caller)
            raise
        except Busy:
            self._remove_empty(caller)
            raise

    def leave(self, caller: str) -> None:
        """End a read and begin the next queued one of the same caller."""
        running = self._running[caller] - 1
        if running:
            self._running[caller] = running
            self._released[caller] = time.monotonic()
        else:
            del self._running[caller]
            self._released.pop(caller, None)
        if self._queues and (queue := self._queues.get(caller)) is not None:
            self._begin_queued(caller, queue)

    def _begin_queued(self, caller: str, queue: _Queue) -> None:
        while (turn := queue.first()) is not None:
            running = self._running.get(caller, 0)
            if running and not self._may_read(caller, running):
                return
            queue.entries.popleft()
            self._running[caller] = running + 1
            turn.set_result(None)
        self._remove_empty(caller)

    def _remove_empty(self, caller: str) -> None:
        if (queue := self._queues.get(caller)) is not None and not queue:
            del self._queues[caller]
