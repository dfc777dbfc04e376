"""Rate limits shared by all nodes through Redis, without a round trip in the request.

A use is counted in this process at once and sent to Redis right afterwards, batched with others. The reply contains the
counts of the other nodes. Across all nodes, a limit can therefore be exceeded only by the uses during one round trip.
While Redis is unreachable, each worker counts on its own.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from tableapi.config.command_error import MissingExtra
from tableapi.log import get_logger
from tableapi.ratelimit.counter import Hit, outcome

try:
    from redis.asyncio import Redis
    from redis.exceptions import RedisError
except ImportError:
    raise MissingExtra("REDIS_URL", "redis") from None

log = get_logger(__name__)
BATCH = 500
MAX_KEYS = 100_000
RETRY_SECONDS = 1.0


@dataclass(slots=True)
class _Window:
    reset: float
    total: int = 0  # the last count from Redis
    pending: int = 0  # counted here but not sent yet


class RedisCounter:
    """Count uses in this process and synchronise them with a Redis server."""

    def __init__(self, url: str, client: Redis | None = None) -> None:
        self._redis = client or Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)
        self._windows: dict[str, _Window] = {}
        self._pending: dict[str, None] = {}
        self._sending: asyncio.Task[None] | None = None

    def hit(self, name: str, key: str, amount: int, seconds: float) -> Hit:
        now, place = time.time(), f"limit:{name}:{key}"
        window = self._windows.get(place)
        if window is None or not now < window.reset <= now + seconds:  # expired, or the clock was set back
            if len(self._windows) >= MAX_KEYS:
                self._windows = {place: window for place, window in self._windows.items() if window.reset > now}
            window = self._windows[place] = _Window(now + seconds)
        window.pending += 1
        self._pending[place] = None
        self._send_soon()
        return outcome(window.total + window.pending, amount, window.reset)

    def give_back(self, name: str, key: str, hit: Hit) -> None:
        place = f"limit:{name}:{key}"
        window = self._windows.get(place)
        if window is not None and window.total + window.pending > 0 and abs(window.reset - hit.reset_epoch) < 1:
            window.pending -= 1
            self._pending[place] = None
            self._send_soon()

    def _send_soon(self) -> None:
        if self._sending is None:
            self._sending = asyncio.get_running_loop().create_task(self._send())

    async def _send(self) -> None:
        """Exchange counts with Redis until nothing is pending."""
        try:
            while self._pending:
                batch = list(self._pending)[:BATCH]
                for place in batch:
                    del self._pending[place]
                try:
                    await self._exchange([(place, self._windows[place]) for place in batch if place in self._windows])
                except (RedisError, OSError, TimeoutError) as error:
                    log.warning("redis_unreachable", error=type(error).__name__)
                    self._pending |= dict.fromkeys(batch)
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            self._sending = None

    async def _exchange(self, batch: list[tuple[str, _Window]]) -> None:
        now = time.time()
        counts = [window.pending for _, window in batch]
        pipe = self._redis.pipeline(transaction=True)
        for (place, window), count in zip(batch, counts, strict=True):
            pipe.set(place, 0, px=max(1, int((window.reset - now) * 1000)), nx=True)
            pipe.incrby(place, count)
            pipe.pttl(place)
        replies = await pipe.execute()
        for number, (_, window) in enumerate(batch):
            _, total, milliseconds = replies[number * 3 : number * 3 + 3]
            window.total, window.pending = int(total), window.pending - counts[number]
            window.reset = now + max(int(milliseconds), 0) / 1000

    async def close(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
        await self._redis.aclose()
