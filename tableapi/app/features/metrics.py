"""`/metrics`: counts and times for Prometheus (docs/reference/metrics.md)."""

from __future__ import annotations

import hmac
import ipaddress

from tableapi.app.application import App
from tableapi.app.feature import Feature, Route
from tableapi.app.options import is_loopback
from tableapi.app.routes import GET
from tableapi.errors import NotFound
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response
from tableapi.project import queue_metrics
from tableapi.version import install_command

try:
    from tableapi.observability import prometheus
except ImportError:  # a host program without the extra `server`
    prometheus = None  # type: ignore[assignment]

# Headers added by proxies.
_FORWARDED = frozenset(("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"))


class Metrics(Feature):
    """The metrics of all workers of this server."""

    def __init__(self, app: App) -> None:
        self._settings, self._served, self._state = app.settings, app.served, app.state
        self._project = app.project

    def start(self) -> None:
        if prometheus is not None:
            prometheus.start()

    def stop(self) -> None:
        if prometheus is not None:
            prometheus.stop()

    async def metrics(self, request: HttpRequest) -> Response:
        """Return the metrics in Prometheus text format.

        Raises NotFound for clients that may not see them.
        """
        if not self._may_see_metrics(request):
            raise NotFound("There is no such page.")
        if prometheus is None:
            raise NotFound(f"Metrics need packages that are not installed: {install_command('server')}.")
        counted = prometheus.text()
        return Response(counted + await queue_metrics.text(self._state.scripts), content_type=prometheus.MEDIA_TYPE)

    routes = (Route(GET, "/metrics", metrics, "reference/metrics.md"),)

    def _may_see_metrics(self, request: HttpRequest) -> bool:
        """Return whether the request has the token from METRICS_TOKEN.

        Without that setting metrics are off, except on a server that only this machine can reach and that has full
        rights or well-known passwords anyway. The client address alone proves nothing, because behind a proxy on the
        same machine every client has a local address. Inside a host program, the address of the server is unknown.
        """
        if token := self._settings.metrics_token:
            sent = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
            return hmac.compare_digest(sent.encode(), token.encode())
        if self._served.embedded:
            return False
        harmless = bool(self._project.local_only(self._settings)) or (self._served.open and not self._served.key)
        if harmless:
            self._state.guard.check_host(request)
        direct = _FORWARDED.isdisjoint(request.headers) and _is_loopback_address(request.peer)
        return harmless and is_loopback(self._settings.host) and direct


def _is_loopback_address(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).is_loopback
    except ValueError:
        return False
