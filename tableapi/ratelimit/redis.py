"""Rate limits shared by all nodes, through Redis, without waiting for it.

A use is counted here at once and told to Redis right after, together with all others of that moment; the answer brings
what the other nodes counted. So a request never waits for a round trip, and over all nodes a limit can be passed only
by what happens during one. While Redis is away each worker counts alone.
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
    total: int = 0  # what Redis last said
    untold: int = 0  # counted here since


class RedisCounter:
    """The counter over one Redis."""

    def __init__(self, url: str, client: Redis | None = None) -> None:
        self._redis = client or Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)
        self._windows: dict[str, _Window] = {}
        self._untold: dict[str, None] = {}
        self._telling: asyncio.Task[None] | None = None

    def hit(self, name: str, key: str, amount: int, seconds: float) -> Hit:
        now, place = time.time(), f"limit:{name}:{key}"
        window = self._windows.get(place)
        if window is None or not now < window.reset <= now + seconds:  # over, or the clock was set back
            if len(self._windows) >= MAX_KEYS:
                self._windows = {place: window for place, window in self._windows.items() if window.reset > now}
            window = self._windows[place] = _Window(now + seconds)
        window.untold += 1
        self._untold[place] = None
        self._tell_soon()
        return outcome(window.total + window.untold, amount, window.reset)

    def give_back(self, name: str, key: str, hit: Hit) -> None:
        place = f"limit:{name}:{key}"
        window = self._windows.get(place)
        if window is not None and window.total + window.untold > 0 and abs(window.reset - hit.reset_epoch) < 1:
            window.untold -= 1
            self._untold[place] = None
            self._tell_soon()

    def _tell_soon(self) -> None:
        if self._telling is None:
            self._telling = asyncio.get_running_loop().create_task(self._tell())

    async def _tell(self) -> None:
        """Exchange with Redis until there is nothing untold."""
        try:
            while self._untold:
                batch = list(self._untold)[:BATCH]
                for place in batch:
                    del self._untold[place]
                try:
                    await self._exchange([(place, self._windows[place]) for place in batch if place in self._windows])
                except (RedisError, OSError, TimeoutError) as error:
                    log.warning("redis_unreachable", error=type(error).__name__)
                    self._untold |= dict.fromkeys(batch)
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            self._telling = None

    async def _exchange(self, batch: list[tuple[str, _Window]]) -> None:
        now = time.time()
        told = [window.untold for _, window in batch]
        pipe = self._redis.pipeline(transaction=True)
        for (place, window), count in zip(batch, told, strict=True):
            pipe.set(place, 0, px=max(1, int((window.reset - now) * 1000)), nx=True)
            pipe.incrby(place, count)
            pipe.pttl(place)
        answers = await pipe.execute()
        for number, (_, window) in enumerate(batch):
            _, total, left = answers[number * 3 : number * 3 + 3]
            window.total, window.untold = int(total), window.untold - told[number]
            window.reset = now + max(int(left), 0) / 1000

    async def close(self) -> None:
        if self._telling is not None:
            self._telling.cancel()
        await self._redis.aclose()
