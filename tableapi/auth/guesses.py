"""Credentials that are not known yet are counted by address before they are looked up, and given back when good.

So guessing costs the database no more than the limit allows, however many requests come at once, while sessions behind
one address do not count against each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tableapi.errors import ApiError
from tableapi.ratelimit import counter
from tableapi.ratelimit.enforce import count_use, limit_headers

NAME, SECONDS = "credential", 60
AT_ONCE = 16  # look-ups of one worker; the database has fewer lanes


class Guesses:
    """The count of one worker process, shared with the other workers as all limits are.

    All workers together look up at most half of what is allowed at once. More would refuse good credentials that are
    looked up at the same moment, before any of them is given back.
    """

    def __init__(self, per_minute: int, workers: int = 1) -> None:
        self._per_minute = per_minute
        self._place = asyncio.Semaphore(max(1, min(AT_ONCE, per_minute // (2 * workers))))

    @asynccontextmanager
    async def counted(self, ip: str) -> AsyncIterator[None]:
        """Count the look-up inside. It is given back unless the look-up raises. Raises TooMany."""
        key = counter.network(ip)
        async with self._place:
            hit = count_use(NAME, key, self._per_minute, SECONDS)
            try:
                yield
            except ApiError as error:
                if error.status >= 500:  # the credential was not looked at
                    counter.give_back(NAME, key, hit)
                error.headers = limit_headers(hit) | error.headers
                raise
            except BaseException:
                counter.give_back(NAME, key, hit)
                raise
            counter.give_back(NAME, key, hit)
