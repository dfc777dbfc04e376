"""The requests of this process that are under way: how many there may be, how long, and whether anybody still waits.

One look four times a second over all of them costs nothing that a request would notice; a timer for each would.
A request past its time is ended, and so is a read whose client has gone: its task is cancelled, and asyncpg then
cancels the statement in PostgreSQL. A script that writes runs to its end whoever waits: it may be between two steps.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any, NoReturn

from tableapi.errors import BadRequest, Busy

# More come than are served when never less than so many were under way, for so long (seconds), though there is work to
# do: who comes next would only wait, and all others with them. A page that opens a hundred requests at once is no
# overload, and many that wait for a slow vendor are none either.
OVERLOAD_REQUESTS, OVERLOAD_SECONDS = 64, 1.0
OVERLOAD_MAX_REQUESTS = (
    40  # then so many are under way at most: enough to have work at hand, and each is answered the sooner
)
IDLE_CPU_SHARE = 0.3  # of a core: the loop has time left
SAMPLE_SECONDS = 0.05
CHECK_SECONDS = 0.25  # also how long a request runs before anybody looks whether its client is there
BODY_SECONDS = 10.0  # for a body to come
CLIENT_GONE, TIMED_OUT, SLOW_BODY = "gone", "late", "slow"


class AdmissionControl:
    """The requests of one worker: `most` at once, `seconds` each where the request itself does not say more."""

    def __init__(self, most: int, seconds: float, waits: Callable[[], bool]) -> None:
        """`waits`: whether requests wait for the database now."""
        self._most, self._seconds, self._waits = most, seconds, waits
        self._tasks: dict[asyncio.Task[Any], Any] = {}
        self._watches: dict[asyncio.Task[Any], asyncio.Task[None]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._glancing: asyncio.TimerHandle | None = None
        self._glanced = (0.0, 0.0)
        self._fewest = self._refused = 0  # since the last glance
        self._easy = self._hard = 0.0  # when all was well last, and when it was not
        self.busy = False
        self.idle = 0  # of them wait for the body of a slow client

    def full(self) -> bool:
        """Whether one more would be too many; it is then refused."""
        if len(self._tasks) - self.idle < (OVERLOAD_MAX_REQUESTS if self.busy else self._most):
            return False
        self._refused += 1
        return True

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self) -> None:
        """Look from now on. Once per worker, inside its event loop."""
        self._timer = asyncio.get_running_loop().call_later(CHECK_SECONDS, self._look)
        self._easy = time.perf_counter()
        self._glance()

    def stop(self) -> None:
        for timer in (self._timer, self._glancing):
            if timer is not None:
                timer.cancel()

    def _glance(self) -> None:
        """Do more come than are served?"""
        now, used = time.perf_counter(), time.thread_time()
        before, used_before = self._glanced
        standing = self._refused > 0 or self._fewest >= OVERLOAD_REQUESTS
        idle = used - used_before < IDLE_CPU_SHARE * (now - before) and not self._waits()
        if not standing or idle:
            self._easy = now
        else:
            self._hard = now
        self.busy = now - self._hard < OVERLOAD_SECONDS if self.busy else now - self._easy > OVERLOAD_SECONDS
        self._fewest, self._refused, self._glanced = len(self._tasks), 0, (now, used)
        self._glancing = asyncio.get_running_loop().call_later(SAMPLE_SECONDS, self._glance)

    def enter(self, http: Any) -> asyncio.Task[Any] | None:
        """A place for the request that the running task answers."""
        task = asyncio.current_task()
        if task is not None:
            self._tasks[task] = http
            http.meter = self
        return task

    def leave(self, task: asyncio.Task[Any] | None) -> None:
        if task is None:
            return
        self._tasks.pop(task, None)
        if (left := len(self._tasks)) < self._fewest:
            self._fewest = left
        if self._watches and (watch := self._watches.pop(task, None)) is not None:
            watch.cancel()

    def _look(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(CHECK_SECONDS, self._look)
        now = time.perf_counter()
        for task, http in list(self._tasks.items()):
            age = now - http.began
            if age > (http.seconds or self._seconds):
                _end(task, http, TIMED_OUT)
            elif http.waits and now - http.waits > BODY_SECONDS:
                _end(task, http, SLOW_BODY)
            elif age > CHECK_SECONDS and http.reads and task not in self._watches:
                self._watches[task] = asyncio.create_task(_watch(task, http))


def _end(task: asyncio.Task[Any], http: Any, why: str) -> None:
    if not http.ended:
        http.ended = why
        task.cancel()


async def _watch(task: asyncio.Task[Any], http: Any) -> None:
    """Cancel the task of a request when its client goes."""
    with contextlib.suppress(OSError, RuntimeError):
        while (await http.source())["type"] != "http.disconnect":
            pass
        _end(task, http, CLIENT_GONE)


def cancelled(http: Any, error: asyncio.CancelledError) -> NoReturn:
    """What a cancelled request is told: Busy for its own time-out or a client that went; any other cancel goes on."""
    task = asyncio.current_task()
    if not http.ended or task is None:
        raise error
    task.uncancel()
    if http.ended == CLIENT_GONE:
        raise Busy("The client has gone.", reason="client_gone", status=499) from None  # for log and metrics
    if http.ended == SLOW_BODY:
        raise BadRequest("The body came too slowly.", reason="slow_body", status=408) from None
    message = "This took too long. Try again in a moment, or ask for less."
    raise Busy(message, reason="time_limit", headers={"Retry-After": "2"}) from None
