"""Admission control: how many requests one worker process handles at once, and for how long.

A single timer checks all requests four times a second, which is cheaper than a timer for each. A request past its time
limit is cancelled, and so is a read after its client has disconnected; asyncpg then cancels the statement in
PostgreSQL. A script that writes is never cancelled because its client disconnected: it may be between two transactions.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any, NoReturn

from tableapi.errors import BadRequest, Busy
from tableapi.http.request import HttpRequest

# Overload: for OVERLOAD_SECONDS there was a backlog, or in REJECTING_SAMPLES consecutive samples the limit was
# exceeded, and the process was busy. A backlog is more than BACKLOG_REQUESTS in flight that would take longer than
# BACKLOG_SECONDS at the current rate. Many callers that each wait for a response are therefore not an overload as long
# as they are served soon. Neither are requests that wait for a slow vendor, because they leave the CPU idle.
BACKLOG_REQUESTS, BACKLOG_SECONDS = 64, 0.5
OVERLOAD_SECONDS = 0.5
REJECTING_SAMPLES = 3  # a burst of requests is rejected in one or two
OVERLOAD_MAX_REQUESTS = 16  # in flight during overload: enough to keep the CPU busy while each is served sooner
# An overload ends when at most REJECTED_SHARE of the requests were rejected within REVIEW_SECONDS: with so few in
# flight, part of a sustainable load is rejected, too. For the next RECOVERY_SECONDS the limit is RECOVERY_MAX_REQUESTS,
# in case the overload is not over; after that the limit is as before.
REVIEW_SECONDS, REJECTED_SHARE = 1.0, 0.25
RECOVERY_SECONDS, RECOVERY_MAX_REQUESTS = 2.0, 128
IDLE_CPU_SHARE = 0.3  # share of one core; below it the event loop is not the bottleneck
SAMPLE_SECONDS = 0.05
CHECK_SECONDS = 0.25  # between checks; also the age from which a request is watched for a disconnected client
BODY_SECONDS = 10.0  # to receive a body
CLIENT_GONE, TIMED_OUT, SLOW_BODY = "gone", "late", "slow"


class AdmissionControl:
    """The requests in flight in one worker process.

    Args:
        limit: maximum number of requests, except during overload.
        seconds: time limit of a request that has none of its own.
        waits: returns whether requests are waiting for the database.
    """

    def __init__(self, limit: int, seconds: float, waits: Callable[[], bool]) -> None:
        self._limit = self._present_limit = limit
        self._seconds, self._waits = seconds, waits
        self._tasks: dict[asyncio.Task[Any], HttpRequest] = {}
        self._watches: dict[asyncio.Task[Any], asyncio.Task[None]] = {}
        self._check_timer: asyncio.TimerHandle | None = None
        self._sample_timer: asyncio.TimerHandle | None = None
        self._last_sample = (0.0, 0.0)  # wall clock, CPU time
        self._fewest = self._rejected = self._ended = 0  # since the last sample
        self._rejecting = 0  # consecutive samples in which a request was rejected
        self._review_rejected = self._review_ended = 0  # since the overload began or was reviewed
        self._calm_at = self._review_at = self._recovery_ends = 0.0
        self.overloaded = False
        self.idle = 0  # requests in flight that are blocked on their client

    def __len__(self) -> int:
        return len(self._tasks)

    def full(self) -> bool:
        """Return whether the next request must be rejected; if so, count it as rejected."""
        if len(self._tasks) - self.idle < self._present_limit:
            return False
        self._rejected += 1
        return True

    def start(self) -> None:
        """Start the timers. Called once per process, inside its event loop."""
        self._check_timer = asyncio.get_running_loop().call_later(CHECK_SECONDS, self._check)
        self._calm_at = time.perf_counter()
        self._sample()

    def stop(self) -> None:
        for timer in (self._check_timer, self._sample_timer):
            if timer is not None:
                timer.cancel()

    def enter(self, request: HttpRequest) -> asyncio.Task[Any] | None:
        """Count the request handled by the current task; return the task for `leave`."""
        task = request.task or asyncio.current_task()
        if task is not None:
            self._tasks[task] = request
            request.in_flight = self
        return task

    def leave(self, task: asyncio.Task[Any] | None) -> None:
        """Stop counting the request of `task`."""
        if task is None:
            return
        self._tasks.pop(task, None)
        self._ended += 1
        if (count := len(self._tasks)) < self._fewest:
            self._fewest = count
        if self._watches and (watch := self._watches.pop(task, None)) is not None:
            watch.cancel()

    def _sample(self) -> None:
        """Update `overloaded` and the limit."""
        now, cpu = time.perf_counter(), time.thread_time()
        last, last_cpu = self._last_sample
        elapsed = now - last
        idle = cpu - last_cpu < IDLE_CPU_SHARE * elapsed and not self._waits()
        rejected = 0 if idle else self._rejected
        if self.overloaded:
            self._review(now, rejected)
        else:
            served_soon = max(BACKLOG_REQUESTS, self._ended * BACKLOG_SECONDS / elapsed)
            if idle or not (rejected or self._fewest > served_soon):
                self._calm_at = now
            self._rejecting = self._rejecting + 1 if rejected else 0
            self.overloaded = self._rejecting >= REJECTING_SAMPLES or now - self._calm_at > OVERLOAD_SECONDS
            if self.overloaded:
                self._begin_review(now)
        if self.overloaded:
            self._present_limit = min(self._limit, OVERLOAD_MAX_REQUESTS)
        else:
            self._present_limit = min(self._limit, RECOVERY_MAX_REQUESTS) if now < self._recovery_ends else self._limit
        self._fewest, self._last_sample = len(self._tasks), (now, cpu)
        self._rejected = self._ended = 0
        self._sample_timer = asyncio.get_running_loop().call_later(SAMPLE_SECONDS, self._sample)

    def _review(self, now: float, rejected: int) -> None:
        """End an overload once few requests are rejected."""
        self._review_rejected += rejected
        self._review_ended += self._ended
        if now < self._review_at:
            return
        if self._review_rejected <= REJECTED_SHARE * (self._review_rejected + self._review_ended):
            self.overloaded, self._rejecting = False, 0
            self._calm_at, self._recovery_ends = now, now + RECOVERY_SECONDS
        self._begin_review(now)

    def _begin_review(self, now: float) -> None:
        self._review_at, self._review_rejected, self._review_ended = now + REVIEW_SECONDS, 0, 0

    def _check(self) -> None:
        """Cancel requests past their time limit, and watch the clients of slow reads."""
        self._check_timer = asyncio.get_running_loop().call_later(CHECK_SECONDS, self._check)
        now = time.perf_counter()
        for task, request in list(self._tasks.items()):
            age = now - request.started_at
            if age > (request.time_limit or self._seconds):
                _cancel(task, request, TIMED_OUT)
            elif request.body_wait_since and now - request.body_wait_since > BODY_SECONDS:
                _cancel(task, request, SLOW_BODY)
            elif age > CHECK_SECONDS and request.cancellable and task not in self._watches:
                self._watches[task] = asyncio.create_task(_watch(task, request))


def _cancel(task: asyncio.Task[Any], request: HttpRequest, reason: str) -> None:
    if not request.cancelled_for:
        request.cancelled_for = reason
        task.cancel()


async def _watch(task: asyncio.Task[Any], request: HttpRequest) -> None:
    """Cancel the task of a request when its client disconnects."""
    with contextlib.suppress(OSError, RuntimeError):
        while (await request.source())["type"] != "http.disconnect":
            pass
        _cancel(task, request, CLIENT_GONE)


def raise_for_cancellation(request: HttpRequest, error: asyncio.CancelledError) -> NoReturn:
    """Raise the reason for which admission control cancelled the request; re-raise other cancellations."""
    task = asyncio.current_task()
    if not request.cancelled_for or task is None:
        raise error
    task.uncancel()
    if request.cancelled_for == CLIENT_GONE:
        raise Busy(
            "The client closed the connection.", reason="client_gone", status=499
        ) from None  # for the log and metrics
    if request.cancelled_for == SLOW_BODY:
        raise BadRequest(
            "The body was sent too slowly. Send the request again.", reason="slow_body", status=408
        ) from None
    message = "This took too long. Try again in a moment, or request less."
    raise Busy(message, reason="time_limit", headers={"Retry-After": "2"}) from None
