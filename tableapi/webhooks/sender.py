"""Send events to a webhook's URL: one attempt, or a round of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar
from urllib.parse import urlsplit

from tableapi.auth.webhook import secrets
from tableapi.crypto.tls import tls_context
from tableapi.version import VERSION
from tableapi.webhooks.address import BlockedAddress, Resolver
from tableapi.webhooks.signature import WebhookEvent, signed_headers

if TYPE_CHECKING:
    import httpx2

    from tableapi.config.settings import Settings

MAX_RESPONSE_BYTES = 65_536  # read so that the connection can be reused; the rest is discarded
MAX_ERROR_CHARS = 300
MAX_RETRY_AFTER_SECONDS = 4 * 3600.0
AT_ONCE = 16  # events in flight
ROUND_SECONDS = 0.5  # after which a round begins no more attempts, so that the results of a slow receiver are stored
Failure = Literal["redirected", "rejected", "late", "blocked", "bad_host", "unreachable"]


@dataclass(frozen=True, slots=True)
class WebhookAttempt:
    """The result of one attempt to deliver an event.

    status: of the response. reason: why it failed; None if it was delivered. message: the reason in words, or None.
    advice: for the operator. retry_after: seconds that the receiver asks to wait, at most MAX_RETRY_AFTER_SECONDS.
    """

    status: int | None
    milliseconds: int
    reason: Failure | None = None
    message: str | None = None
    advice: str = ""
    retry_after: float = 0.0

    @property
    def gone(self) -> bool:
        """Whether the receiver asks never to be sent events again (410)."""
        return self.status == HTTPStatus.GONE

    @property
    def delivered(self) -> bool:
        return self.reason is None

    @property
    def error(self) -> str | None:
        """The message with the advice, for the operator; None if it was delivered."""
        return f"{self.message} ({self.advice})" if self.advice else self.message


def _wait_of(asked: str) -> float:
    """Return the seconds that a Retry-After header asks to wait; 0 for an invalid one."""
    try:
        seconds = float(asked) if asked.isdecimal() else parsedate_to_datetime(asked).timestamp() - time.time()
    except (ValueError, OverflowError):
        return 0.0
    return min(max(0.0, seconds), MAX_RETRY_AFTER_SECONDS)


@asynccontextmanager
async def sending(url: str, secret: str, settings: Settings, connections: int = 1) -> AsyncIterator[WebhookSender]:
    """Yield a sender with the limits of the settings. Raises ValueError if the secret is invalid."""
    sender = WebhookSender(
        url, secret, private=settings.webhooks_private, seconds=settings.webhooks_timeout_seconds,
        connections=connections,
    )  # fmt: skip
    try:
        yield sender
    finally:
        await sender.close()


async def send_event(url: str, secret: str, event: WebhookEvent, settings: Settings) -> WebhookAttempt:
    """Send one event now, and return the result. Raises ValueError if the secret is invalid."""
    async with sending(url, secret, settings) as sender:
        return await sender.send(event)


class WebhookSender:
    """The connections to the receiver of one webhook.

    Args:
        secret: `whsec_` and base64; several are separated by spaces. Raises ValueError if one is invalid.
        private: whether the receiver may have a private address, and be reached without TLS.
        seconds: the time limit of an attempt.
    """

    def __init__(self, url: str, secret: str, *, private: bool, seconds: float, connections: int = 1) -> None:
        import httpx2

        self._httpx2, self._private, self._seconds = httpx2, private, seconds
        parts = urlsplit(url)
        self._secure, self._host = parts.scheme == "https", parts.hostname or ""
        self._netloc = parts.netloc
        self._port = parts.port or (443 if self._secure else 80)
        self._target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._resolver = Resolver(self._host, self._port, private=private)
        self._keys = secrets(secret)
        self._transport = httpx2.AsyncHTTPTransport(
            verify=tls_context(), trust_env=False, limits=httpx2.Limits(max_connections=connections)
        )

    async def close(self) -> None:
        self._resolver.close()
        await self._transport.aclose()

    async def send(self, event: WebhookEvent) -> WebhookAttempt:
        """Send an event. The result includes any error of the receiver, the name look-up or the network."""
        began = time.monotonic()
        status: int | None = None
        retry_after = 0.0
        reason: Failure | None = None
        message: str | None = None
        advice = ""
        try:
            async with asyncio.timeout(self._seconds):
                status, asked = await self._post(event)
            retry_after = 0.0 if 200 <= status < 300 else _wait_of(asked)
            if 300 <= status < 400:
                reason = "redirected"
                message = f"the receiver responded with {status}, and redirects are not followed"
            elif not 200 <= status < 300:
                reason, message = "rejected", f"the receiver responded with {status}"
        except (TimeoutError, self._httpx2.TimeoutException):
            reason, message = "late", f"the receiver did not respond within {self._seconds:g} s"
        except BlockedAddress as blocked:
            reason, message, advice = "blocked", str(blocked), blocked.advice
        except UnicodeError:
            reason, message = "bad_host", "the host is not a valid name"
        except (OSError, self._httpx2.HTTPError, self._httpx2.InvalidURL) as failed:
            reason, message = "unreachable", f"{type(failed).__name__}: {failed}"[:MAX_ERROR_CHARS]
        milliseconds = round(1000 * (time.monotonic() - began))
        return WebhookAttempt(status, milliseconds, reason, message, advice, retry_after)

    async def _post(self, event: WebhookEvent) -> tuple[int, str]:
        """Send to the first address that accepts a connection; return status and Retry-After."""
        if not self._secure and not self._private:
            raise BlockedAddress("the URL must begin with https://", "set WEBHOOKS_PRIVATE=on to allow http")
        addresses = await self._resolver.addresses()
        for left, address in zip(reversed(range(len(addresses))), addresses, strict=True):
            try:
                return await self._post_to(address, event)
            except (self._httpx2.ConnectError, self._httpx2.ConnectTimeout):
                if not left:
                    raise
        raise OSError("the host has no address")

    async def _post_to(self, address: str, event: WebhookEvent) -> tuple[int, str]:
        """Send to a verified address; the Host header and the TLS handshake use the host name."""
        body = event.body()
        headers = {
            "Host": self._netloc,
            "Content-Type": "application/json",
            "User-Agent": f"tableapi/{VERSION}",
            **signed_headers(event.id, int(time.time()), body, self._keys),
        }
        response = await self._transport.handle_async_request(self._request(address, body, headers))
        try:
            size = 0
            async for chunk in response.aiter_raw():
                size += len(chunk)
                if size > MAX_RESPONSE_BYTES:
                    break
        finally:
            await response.aclose()
        return int(response.status_code), response.headers.get("retry-after", "")

    def _request(self, address: str, body: bytes, headers: dict[str, str]) -> httpx2.Request:
        host = f"[{address}]" if ":" in address else address
        url = f"{'https' if self._secure else 'http'}://{host}:{self._port}{self._target}"
        waits = dict.fromkeys(("connect", "read", "write", "pool"), self._seconds)
        extensions = {"timeout": waits} | ({"sni_hostname": self._host} if self._secure else {})
        return self._httpx2.Request("POST", url, content=body, headers=headers, extensions=extensions)


class _Queued(Protocol):
    @property
    def event(self) -> WebhookEvent: ...


QueuedT = TypeVar("QueuedT", bound=_Queued)


async def send_round(
    sender: WebhookSender, taken: Sequence[QueuedT], stopped: Callable[[], bool]
) -> tuple[list[QueuedT], list[WebhookAttempt]]:
    """Send events until one fails or the round has lasted, and return the sent events and their results."""
    sent: list[tuple[QueuedT, WebhookAttempt]] = []
    rest, failed, until = iter(taken), False, time.monotonic() + ROUND_SECONDS

    async def send() -> None:
        nonlocal failed
        for queued in rest:
            attempt = await sender.send(queued.event)
            sent.append((queued, attempt))
            failed = failed or not attempt.delivered
            if failed or stopped() or time.monotonic() > until:
                return

    await asyncio.gather(*(send() for _ in range(min(AT_ONCE, len(taken)))))
    return [queued for queued, _ in sent], [attempt for _, attempt in sent]


def doubled(base: float, failures: int, most: float) -> float:
    """Return the seconds until the next attempt: after each failure twice as many, at most `most`."""
    return min(most, base * 2.0 ** min(failures, 30))
