"""CORS: which web pages of other origins may call the API from a browser."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tableapi.http.request import ALLOWED, HttpRequest

_NOT_IN_HEADER_NAMES = re.compile(r"[^\w, -]")
# Response headers that scripts of a page on another origin may read.
_EXPOSED = (
    "access-control-expose-headers: Accept-Query, Content-Disposition, Content-Range, Dry-Run, ETag, "
    "Idempotency-Replayed, Location, Preference-Applied, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, "
    "X-RateLimit-Reset, X-Request-Id, WWW-Authenticate\r\n"
)
_MAX_AGE = "600"  # seconds for which a browser keeps the response to a preflight request
_VARY = "vary: Origin\r\n"


class Cors:
    """Allow requests from PUBLIC_URL and the origins of CORS_ORIGINS.

    Callers send their credentials in headers and never in cookies, so `Access-Control-Allow-Credentials` is never sent,
    and "*" is safe where credentials are required.
    """

    def __init__(self, public_url: str, origins: Iterable[str]) -> None:
        named = frozenset(origins)
        self._any = "*" in named
        self._origins = named | {public_url}
        self._varies = bool(named) and not self._any
        self.always = self.headers(None)  # for requests that do not come from a page

    def allows(self, origin: str | None) -> bool:
        """Return whether pages of `origin` may call the API."""
        return origin is not None and (self._any or origin in self._origins)

    def headers(self, origin: str | None) -> str:
        """Return the header lines for a page of `origin`; None for a request without an origin."""
        if not self.allows(origin):
            return _VARY if self._varies else ""
        allowed = f"access-control-allow-origin: {'*' if self._any else origin}\r\n{_EXPOSED}"
        return allowed if self._any else allowed + _VARY

    def preflight(self, request: HttpRequest) -> dict[str, str]:
        """Return the headers that permit the request announced by a preflight."""
        if not self.allows(request.headers.get("origin")):
            return {"Allow": ALLOWED}
        names = request.headers.get("access-control-request-headers", "")
        return {
            "Access-Control-Allow-Methods": ALLOWED,
            "Access-Control-Allow-Headers": _NOT_IN_HEADER_NAMES.sub("", names[:2000])[:500],
            "Access-Control-Max-Age": _MAX_AGE,
        }
