"""Keep pages of other sites away from endpoints that need no secret.

A server that grants rights without a secret trusts all its clients, and a browser turns every page into one: through
requests that need no preflight, and through a domain of the page's site that resolves to this machine (DNS rebinding).
Such a request identifies its page in `Host`, `Origin` or `Sec-Fetch-Site`, which a page cannot change.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from urllib.parse import urlsplit

from tableapi.config.networks import is_loopback
from tableapi.errors import Forbidden, UnsupportedMedia
from tableapi.http.request import HttpRequest

MAX_HOSTS = 100
_ROUTINE = re.compile(r"/_(?:func|proc)(?:/|\Z)", re.IGNORECASE)
# Content types that a page may send to other sites without a preflight, besides none at all.
_SIMPLE_TYPES = frozenset(("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"))


class OriginGuard:
    """Reject requests from pages of other sites.

    Args:
        bound: address that the server listens on; "" if unknown, inside another program.
        origins: origins of pages that may use the server; `*` permits every page.
    """

    def __init__(self, bound: str, origins: Collection[str]) -> None:
        self._any = "*" in origins
        self._origins = frozenset(origins)
        self._names = frozenset(urlsplit(origin).hostname or "" for origin in origins) | {bound.lower()}
        self._local = is_loopback(bound)
        self._own_hosts: set[str] = set()  # Host headers found to name this server

    def check(self, request: HttpRequest, *, host: bool = True, forms: bool = False) -> None:
        """Check a request that needed no secret; with `host`, also the host name it was sent to.

        `forms`: whether the server's own pages submit forms here.

        Raises:
            Forbidden: `bad_host` or `bad_origin`.
            UnsupportedMedia: a page sent a content type that other sites could send as well.
        """
        if host:
            self.check_host(request)
        from_page = "origin" in request.headers or "sec-fetch-site" in request.headers
        # For QUERY, a page of another site needs a preflight.
        if from_page and (request.method not in ("GET", "HEAD", "QUERY") or _ROUTINE.search(request.path)):
            self.check_origin(request)
            if not forms:
                self._check_type(request)

    def check_host(self, request: HttpRequest) -> None:
        """Check that the request names this server. Raises Forbidden."""
        host = request.headers.get("host")
        if host is None or host in self._own_hosts or self._any:
            return
        if self._is_own(_name(host)):
            if len(self._own_hosts) < MAX_HOSTS:
                self._own_hosts.add(host)
            return
        raise Forbidden(
            "The host name in the header Host is not one of this server's. Set PUBLIC_URL to the address of the "
            "server.",
            reason="bad_host",
        )

    def check_origin(self, request: HttpRequest) -> None:
        """Check that a program or a permitted page sent the request. Raises Forbidden."""
        origin = request.headers.get("origin")
        site = request.headers.get("sec-fetch-site", "none")
        # A form on a page that sends no referrer has the origin null.
        if self._any or origin in self._origins or site == "same-origin":
            return
        own = origin is None or origin.partition("://")[2].lower() == request.headers.get("host", "").lower()
        if own and site == "none":
            return
        raise Forbidden("Pages of this origin may not write here, or call routines or tools.", reason="bad_origin")

    def _is_own(self, name: str) -> bool:
        if name in self._names or name == "localhost" or name.endswith(".localhost"):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            # A name without a dot belongs to the local network, so no page of another site can have it.
            return "." not in name
        return address.is_loopback or not self._local

    def _check_type(self, request: HttpRequest) -> None:
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type in _SIMPLE_TYPES:
            raise UnsupportedMedia("Send JSON: Content-Type: application/json.")


def _name(host: str) -> str:
    """Return the host in a `Host` header, in lower case and without the port."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if host.count(":") == 1 else host
