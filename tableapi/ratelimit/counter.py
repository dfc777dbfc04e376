"""Rate limits with fixed windows: count the uses of a key in the current window.

A window opens with the first use and lasts its seconds. "300/minute" allows 300 uses and then rejects more until the
minute has passed; `X-RateLimit-Reset` is that time. A sliding window would avoid bursts around the end of a window (at
most twice the amount), but would have no single time at which the full amount is available again.

The workers of a server share counts in a mapped file (`shared_memory.py`), nodes share them through Redis (`redis.py`),
and a single worker without Redis keeps its own. Counting never waits: it takes about 3 microseconds.
"""

from __future__ import annotations

import math
import time
from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address
from typing import NamedTuple, Protocol

from tableapi.errors import TooMany


class Hit(NamedTuple):
    """The result of counting one use; `ok` is False above the limit.

    `reset_epoch` is the end of the window.
    """

    limit: int
    remaining: int
    reset_epoch: float
    ok: bool


def outcome(count: int, amount: int, reset: float) -> Hit:
    """Build the result of the `count`-th use in a window."""
    return Hit(amount, amount - count if count < amount else 0, reset, count <= amount)


def tighter(left: Hit | None, right: Hit | None) -> Hit | None:
    """Return the result with fewer remaining uses."""
    if left is None or right is None:
        return left or right
    return right if right.remaining < left.remaining else left


@lru_cache(maxsize=20_000)
def network(ip: str) -> str:
    """Return the part of an address that identifies a subscriber: for IPv6 the /64, for IPv4 all of it.

    Other texts, such as the path of a Unix socket, are returned unchanged.
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
    """Count uses of limits."""

    def hit(self, name: str, key: str, amount: int, seconds: float) -> Hit:
        """Count one use of `name` by `key`; `amount` uses are allowed in `seconds`."""

    def give_back(self, name: str, key: str, hit: Hit) -> None:
        """Remove a counted use, if its window is still open."""

    async def close(self) -> None: ...


class NoLimits:
    """Allow every use, but still report the limit in the headers: RATE_LIMITS=off."""

    def hit(self, name: str, key: str, amount: int, seconds: float) -> Hit:
        return Hit(amount, amount, time.time() + seconds, True)

    def give_back(self, name: str, key: str, hit: Hit) -> None:
        pass

    async def close(self) -> None:
        pass


class LocalCounter:
    """Keep the counts in the memory of this process."""

    def __init__(self, max_windows: int = 100_000) -> None:
        self._windows: dict[tuple[str, str], tuple[float, int]] = {}
        self._max_windows = max_windows

    def hit(self, name: str, key: str, amount: int, seconds: float) -> Hit:
        now, place = time.time(), (name, key)
        reset, count = self._windows.get(place, (0.0, 0))
        if not now < reset <= now + seconds:  # expired, or the clock was set back
            reset, count = now + seconds, 0
            if len(self._windows) >= self._max_windows:
                self._windows = {held: window for held, window in self._windows.items() if window[0] > now}
        count += 1
        self._windows[place] = reset, count
        # Every request runs this, and tuple.__new__ takes half the time of Hit(...).
        return tuple.__new__(Hit, (amount, amount - count if count < amount else 0, reset, count <= amount))

    def give_back(self, name: str, key: str, hit: Hit) -> None:
        reset, count = self._windows.get((name, key), (0.0, 0))
        if reset == hit.reset_epoch and count:
            self._windows[name, key] = reset, count - 1

    async def close(self) -> None:
        pass


_counter: Counter = LocalCounter()
hit, give_back = _counter.hit, _counter.give_back  # bound to the counter of this process


def use(counter: Counter) -> None:
    """Use `counter` from now on."""
    global _counter, hit, give_back
    _counter, hit, give_back = counter, counter.hit, counter.give_back


async def stop() -> None:
    await _counter.close()
    use(LocalCounter())


_PER = {1: "a second", 60: "a minute", 3600: "an hour", 86400: "a day"}


def count_use(name: str, key: str, amount: int, seconds: int) -> Hit:
    """Count one use of `name` by `key`. Raises TooMany, with the rate limit headers, above the limit."""
    counted = hit(name, key, amount, seconds)
    if not counted.ok:
        wait = max(1, math.ceil(counted.reset_epoch - time.time()))
        per = _PER.get(seconds, f"in {seconds} seconds")
        message = f"Too many requests: at most {amount} {per}. Try again in {wait} second{'s' if wait > 1 else ''}."
        raise TooMany(message, headers=limit_headers(counted) | {"Retry-After": str(wait)})
    return counted


def limit_headers(hit: Hit) -> dict[str, str]:
    """Return the rate limit headers of a response."""
    return {
        "X-RateLimit-Limit": str(hit.limit),
        "X-RateLimit-Remaining": str(hit.remaining),
        "X-RateLimit-Reset": str(int(hit.reset_epoch)),
    }
