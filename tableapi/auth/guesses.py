"""Limit look-ups of unknown credentials by client address.

A look-up is counted before it runs, and the count is reverted if the credential is valid. Guessing therefore cannot
cost the database more look-ups than the limit allows, and valid sessions behind one address do not count against each
other.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tableapi.errors import ApiError
from tableapi.ratelimit import counter
from tableapi.ratelimit.counter import count_use, limit_headers

NAME, SECONDS = "credential", 60
MAX_LOOKUPS = 16  # concurrent look-ups per worker


class Guesses:
    """Count the look-ups of one worker process, together with those of the other workers.

    All workers together run at most half of the allowed look-ups at once. With more, valid credentials that arrive at
    the same moment would be rejected before the first of them is uncounted.
    """

    def __init__(self, per_minute: int, workers: int = 1) -> None:
        self._per_minute = per_minute
        self._slots = asyncio.Semaphore(max(1, min(MAX_LOOKUPS, per_minute // (2 * workers))))

    @asynccontextmanager
    async def counted(self, ip: str) -> AsyncIterator[None]:
        """Count the look-up in the `with` block.

        The count is kept only if the block raises an error below 500.

        Raises:
            TooMany: the address has no look-ups left.
        """
        key = counter.network(ip)
        async with self._slots:
            hit = count_use(NAME, key, self._per_minute, SECONDS)
            try:
                yield
            except ApiError as error:
                if error.status >= 500:  # the credential was not checked
                    counter.give_back(NAME, key, hit)
                error.headers = limit_headers(hit) | error.headers
                raise
            except BaseException:
                counter.give_back(NAME, key, hit)
                raise
            counter.give_back(NAME, key, hit)
