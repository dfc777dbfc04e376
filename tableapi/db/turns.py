"""Limit how many connections the reads of one caller may hold while other callers are active.

The reads of a caller wait in a queue of their own before they ask for a connection. So another caller competes with the
running reads only, never with the queued ones.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

from tableapi.errors import RETRY, Busy

RECENT_SECONDS = 0.05  # a caller that holds all but one connection and released one so recently may take the last
WAIT_SECONDS = 2.0
# As in connections.py: more queued requests of one caller, with the first of them waiting so long, are refused.
OVERLOAD_WAITERS, OVERLOAD_WAIT_SECONDS = 64, 0.5

_MESSAGE = "Too many of your requests are under way. Try again in a moment."
_Queue = deque[tuple[float, asyncio.Future[None]]]  # (deadline, future), the oldest first


class Turns:
    """Admit the reads of each caller to one connection pool. `size` returns how many connections it has."""

    def __init__(self, size: Callable[[], int]) -> None:
        self._size = size
        self._running: dict[str, int] = {}
        self._released: dict[str, float] = {}  # when a caller with further running reads last ended one
        self._queues: dict[str, _Queue] = {}
        self._timer: asyncio.TimerHandle | None = None
        self.waiting = 0

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
        loop = asyncio.get_running_loop()
        now = loop.time()
        queue = self._queues.setdefault(caller, deque())
        if len(queue) > OVERLOAD_WAITERS and queue[0][0] - WAIT_SECONDS + OVERLOAD_WAIT_SECONDS < now:
            raise Busy(_MESSAGE, headers=RETRY)
        turn: asyncio.Future[None] = loop.create_future()
        entry = (now + WAIT_SECONDS, turn)
        queue.append(entry)
        self.waiting += 1
        if self._timer is None:
            self._timer = loop.call_at(entry[0], self._refuse_late)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.leave(caller)  # the turn came in the moment of the cancellation
            elif entry in queue:
                queue.remove(entry)
                self.waiting -= 1
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
        while queue:
            running = self._running.get(caller, 0)
            if running and not self._may_read(caller, running):
                return
            _, turn = queue.popleft()
            self.waiting -= 1
            if not turn.done():
                self._running[caller] = running + 1
                turn.set_result(None)
        self._remove_empty(caller)

    def _remove_empty(self, caller: str) -> None:
        if not self._queues.get(caller, True):
            del self._queues[caller]

    def _refuse_late(self) -> None:
        """Refuse the reads past their deadline and set the timer for the next one."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        next_deadline = 0.0
        for caller, queue in list(self._queues.items()):
            while queue and (queue[0][0] <= now or queue[0][1].done()):
                _, turn = queue.popleft()
                self.waiting -= 1
                if not turn.done():
                    turn.set_exception(Busy(_MESSAGE, headers=RETRY))
            if queue:
                next_deadline = min(next_deadline or queue[0][0], queue[0][0])
            self._remove_empty(caller)
        self._timer = loop.call_at(next_deadline, self._refuse_late) if next_deadline else None
