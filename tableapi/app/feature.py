"""The interface of a feature: an optional part of the application.

`tableapi.app.features` lists them. The core only calls the methods below; it imports no feature.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tableapi.auth.access_file import AccessFile
from tableapi.http.response import Response
from tableapi.schema.model import Schema

Handler = Callable[..., Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Route:
    """One URL: its methods, pattern and handler, and the page in docs/ that describes it.

    `{name}` in the pattern matches one path segment, `{name...}` the rest of the path. The handler is a method of the
    feature that lists the route. Below /api/v2/ it takes a request and the segments of the path; below a dataset, a
    request, the dataset, the caller's rights, the segments, and the options; elsewhere, a request.
    """

    methods: tuple[str, ...]
    path: str
    handler: Handler
    page: str


class Feature:
    """An optional part of a worker's application, created before the application has any features.

    Attributes:
        routes: Its URLs.
        checks_methods: Whether the handlers of its pages reject other methods, and name their route, by themselves.
        table_views: Handlers for `GET _table/<table>/<name>`, by name.
        open_paths: Paths that pages of every origin may use.
    """

    routes: tuple[Route, ...] = ()
    checks_methods = False
    table_views: Mapping[str, Handler] = MappingProxyType({})
    open_paths: frozenset[str] = frozenset()

    def start(self) -> None:
        """Start the parts that need no database, before the databases are opened."""

    async def opened(self) -> None:
        """Start the parts that need the open databases. Raises BadRights or asyncpg errors."""

    def drain(self) -> None:
        """End everything that would keep the process running, because it is about to stop."""

    async def close(self) -> None:
        """End the parts that need the databases, before these are closed."""

    def stop(self) -> None:
        """End the parts that `start` started, after the databases are closed."""

    def check_access(self, access: AccessFile, schemas: Mapping[str, Schema]) -> None:
        """Check a reloaded access file. Raises BadRights or MissingExtra."""

    def use_access(self, access: AccessFile) -> None:
        """Apply a reloaded access file."""
