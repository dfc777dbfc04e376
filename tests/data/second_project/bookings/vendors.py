"""The external service of the booking project: a pager that accepts a line of text."""

from __future__ import annotations

import httpx2
from bookings.settings import Settings


class Pager:
    """Post lines of text to `PAGER_URL`."""

    def __init__(self, url: str) -> None:
        self._url, self._client = url, httpx2.AsyncClient(timeout=5)

    async def send(self, text: str) -> None:
        """Send one line. Raises httpx2.HTTPError, so that the job is repeated."""
        (await self._client.post(self._url, content=text)).raise_for_status()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


class Vendors:
    """The vendors of the project, `ctx.vendors` in its scripts."""

    def __init__(self, settings: Settings) -> None:
        self.pager = Pager(settings.pager_url)

    async def close(self) -> None:
        """Close every vendor."""
        await self.pager.close()
