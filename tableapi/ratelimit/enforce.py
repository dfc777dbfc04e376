"""Count a use against a rate limit and reject uses above the limit."""

from __future__ import annotations

import math
import time

from tableapi.errors import TooMany
from tableapi.ratelimit import counter
from tableapi.ratelimit.counter import Hit


def count_use(name: str, key: str, amount: int, seconds: int) -> Hit:
    """Count one use of `name` by `key`. Raises TooMany, with the rate limit headers, above the limit."""
    hit = counter.hit(name, key, amount, seconds)
    if not hit.ok:
        wait = max(1, math.ceil(hit.reset_epoch - time.time()))
        raise TooMany("Too many requests. Try again later.", headers=limit_headers(hit) | {"Retry-After": str(wait)})
    return hit


def limit_headers(hit: Hit) -> dict[str, str]:
    """Return the rate limit headers of a response."""
    return {
        "X-RateLimit-Limit": str(hit.limit),
        "X-RateLimit-Remaining": str(hit.remaining),
        "X-RateLimit-Reset": str(int(hit.reset_epoch)),
    }
