"""Turns: reads of one caller never hold every connection while another caller comes.

A caller's reads wait here, in a queue of their own, before they ask for a connection; so another caller finds at most
the reads that are running before its own, never those that wait.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

from tableapi.errors import RETRY, Busy

QUICK = 0.05  # seconds within which a caller that may have the last connection has given one back
WAIT, SOME, SOON = 2.0, 64, 0.5  # as of lanes.py


class Turns:
    """The reads under way on one set of connections. `size`: how many connections there are."""

    def __init__(self, size: Callable[[], int]) -> None:
        self._size = size
        self._running: dict[str, int] = {}
        self._left: dict[str, float] = {}  # when a caller gave back a connection last, while it has others
        self._queues: dict[str, deque[tuple[float, asyncio.Future[None]]]] = {}
        self._alarm: asyncio.TimerHandle | None = None
        self.waiting = 0

    def enter(self, caller: str) -> bool:
        """Whether the caller may read now. Each True needs a `leave`."""
        running = self._running.get(caller, 0)
        if running and (caller in self._queues or not self._may(caller, running)):
            return False
        self._running[caller] = running + 1
        return True

    def _may(self, caller: str, running: int) -> bool:
        """The last connection is for a caller that is alone and gives connections back soon."""
        size = self._size()
        if running < size - 1:
            return True
        alone = len(self._running) == 1 and len(self._queues) - (caller in self._queues) == 0
        return running < size and alone and time.monotonic() - self._left.get(caller, 0.0) < QUICK

    async def wait(self, caller: str) -> None:
        """Wait for a turn, as `enter` gives one. Raises Busy."""
        now = asyncio.get_running_loop().time()
        queue = self._queues.setdefault(caller, deque())
        if len(queue) > SOME and queue[0][0] - WAIT + SOON < now:
            raise Busy("Too many of your requests are under way. Try again in a moment.", headers=RETRY)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        place = (now + WAIT, turn)
        queue.append(place)
        self.waiting += 1
        if self._alarm is None:
            self._alarm = asyncio.get_running_loop().call_at(place[0], self._late)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.leave(caller)  # the turn came in the moment in which the request was given up
            elif place in queue:
                queue.remove(place)
                self.waiting -= 1
                self._tidy(caller)
            raise

    def leave(self, caller: str) -> None:
        """End a turn; the next of the caller's reads may begin."""
        running = self._running[caller] - 1
        if running:
            self._running[caller] = running
            self._left[caller] = time.monotonic()
        else:
            del self._running[caller]
            self._left.pop(caller, None)
        if self._queues and (queue := self._queues.get(caller)) is not None:
            self._next(caller, queue)

    def _next(self, caller: str, queue: deque[tuple[float, asyncio.Future[None]]]) -> None:
        while queue:
            running = self._running.get(caller, 0)
            if running and not self._may(caller, running):
                return
            _, turn = queue.popleft()
            self.waiting -= 1
            if not turn.done():
                self._running[caller] = running + 1
                turn.set_result(None)
        self._tidy(caller)

    def _tidy(self, caller: str) -> None:
        if not self._queues.get(caller, True):
            del self._queues[caller]

    def _late(self) -> None:
        """Refuse those that waited too long; the alarm rings again for the next."""
        now = asyncio.get_running_loop().time()
        first = 0.0
        for caller, queue in list(self._queues.items()):
            while queue and (queue[0][0] <= now or queue[0][1].done()):
                _, turn = queue.popleft()
                self.waiting -= 1
                if not turn.done():
                    message = "Too many of your requests are under way. Try again in a moment."
                    turn.set_exception(Busy(message, headers=RETRY))
            if queue:
                first = min(first or queue[0][0], queue[0][0])
            self._tidy(caller)
        self._alarm = asyncio.get_running_loop().call_at(first, self._late) if first else None
