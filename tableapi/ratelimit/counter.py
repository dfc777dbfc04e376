"""Rate limits: how often something was used in the present window, and whether once more is allowed.

A window is fixed: it opens with the first use and lasts its seconds. So "300/minute" means 300 uses and then the rest
of that minute closed, `X-RateLimit-Reset` is the moment at which everything is open again, and "five failures, then
wait 15 minutes" is what happens. A sliding window would smooth the edge between two windows (at most twice the amount
around it), but could never name such a moment.

Counts are shared by the workers of a server through a mapped file (`limits_file.py`), or by all nodes through Redis
(`limits_redis.py`). A single worker without Redis keeps its own. Nothing
here waits for another: the hot path pays about three microseconds.
"""

from __future__ import annotations

import time
from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address
from typing import NamedTuple, Protocol

from tableapi.config.settings import Settings
from tableapi.log import get_logger

log = get_logger(__name__)


class Hit(NamedTuple):
    """One use counted: `ok` is False when it was one too many."""

    limit: int
    remaining: int
    reset_epoch: float
    ok: bool


def outcome(count: int, amount: int, reset: float) -> Hit:
    """What the `count`-th use of a window means."""
    # tuple.__new__ is half the cost of Hit(...), and this is paid by every request.
    return tuple.__new__(Hit, (amount, amount - count if count < amount else 0, reset, count <= amount))


def tighter(one: Hit | None, other: Hit | None) -> Hit | None:
    """Return the count that will refuse first."""
    if one is None or other is None:
        return one or other
    return other if other.remaining < one.remaining else one


@lru_cache(maxsize=20_000)
def network(ip: str) -> str:
    """Return the part of an address that one subscriber has: the /64 of IPv6, the whole of IPv4.

    Anything else, such as the name of a socket, stays as it is.
    """
    if ":" not in ip:
        return ip
    try:
        address = IPv6Address(ip.partition("%")[0])
    except AddressValueError:
        return ip
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return f"{IPv6Address(int(address) >> 64 << 64)}/64"


class Counter(Protocol):
    def hit(self, name: str, key: str, amount: int, seconds: float) -> Hit:
        """Count one use of `name` by `key`, of which `amount` are allowed in `seconds`."""

    def give_back(self, name: str, key: str, hit: Hit) -> None:
        """Take back a use that turned out not to count, if its window is still open."""

    async def close(self) -> None: ...


class NoLimits:
    """RATE_LIMITS=off: everything is allowed, and the headers still say so."""

    def hit(self, name: str, key: str, amount: int, seconds: float) -> Hit:
        return Hit(amount, amount, time.time() + seconds, True)

    def give_back(self, name: str, key: str, hit: Hit) -> None:
        pass

    async def close(self) -> None:
        pass


class LocalCounter:
    """Counts of this process alone: the clock of its windows, and how many there are of each."""

    def __init__(self, most: int = 100_000) -> None:
        self._windows: dict[tuple[str, str], tuple[float, int]] = {}
        self._most = most

    def hit(self, name: str, key: str, amount: int, seconds: float) -> Hit:
        now = time.time()
        reset, count = self._windows.get((name, key), (0.0, 0))
        if not now < reset <= now + seconds:  # over, or the clock was set back
            reset, count = now + seconds, 0
            if len(self._windows) >= self._most:
                self._windows = {place: window for place, window in self._windows.items() if window[0] > now}
        self._windows[name, key] = reset, count + 1
        return outcome(count + 1, amount, reset)

    def give_back(self, name: str, key: str, hit: Hit) -> None:
        reset, count = self._windows.get((name, key), (0.0, 0))
        if reset == hit.reset_epoch and count:
            self._windows[name, key] = reset, count - 1

    async def close(self) -> None:
        pass


_counter: Counter = LocalCounter()


def hit(name: str, key: str, amount: int, seconds: float) -> Hit:
    """Count one use by the counter of this process."""
    return _counter.hit(name, key, amount, seconds)


def give_back(name: str, key: str, hit: Hit) -> None:
    """Take back a use that turned out not to count."""
    _counter.give_back(name, key, hit)


def start(settings: Settings) -> None:
    """Choose the counter that the settings ask for. Once per process, inside its event loop."""
    if settings.rate_limits is False:
        use(NoLimits())
    elif settings.redis_url is not None:
        from tableapi.ratelimit.redis import RedisCounter

        use(RedisCounter(settings.redis_url))
    elif settings.workers > 1:
        from tableapi.ratelimit.shared_memory import SharedMemoryCounter

        try:
            use(SharedMemoryCounter(settings.run_dir / "limits"))
        except OSError as error:  # the disk is full; a worker that counts alone is better than none
            log.error("limits_alone", error=str(error.strerror))


def use(counter: Counter) -> None:
    """Count with `counter` from now on."""
    global _counter
    _counter = counter


async def stop() -> None:
    """Let go of the counter."""
    await _counter.close()
    use(LocalCounter())
