"""Find the handler for a URL among the core's pages and the features."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from tableapi.app.feature import Feature, Handler, Route
from tableapi.app.pages import Pages
from tableapi.app.routes import API, ROUTES

DATASET = f"{API}{{dataset}}/"
_FOLDER = "/{file...}"


class Dispatch:
    """Look up handlers by path.

    Attributes:
        api: Handlers by the segment after /api/v2/.
        dataset: Handlers by the segment after the dataset name.
    """

    def __init__(self, pages: Pages, features: Iterable[Feature]) -> None:
        listed = [(feature, route) for feature in features for route in feature.routes]
        core = [(pages, route) for route in ROUTES]
        self.api = _by_segment(API, listed)
        self.dataset = _by_segment(DATASET, listed)
        self._pages: dict[str, Handler] = {}
        self._folders: dict[str, Handler] = {}
        self._own: dict[str, Handler] = {}
        for owner, route in (*core, *listed):
            if route.path.startswith(API):
                continue
            handler = partial(route.handler, owner)
            if isinstance(owner, Feature) and owner.checks_methods:
                self._own[route.path] = handler
            elif route.path.endswith(_FOLDER):  # the path itself and everything below it
                self._folders[route.path.removesuffix(_FOLDER)] = handler
            elif "{" not in route.path:
                self._pages[route.path] = handler
        self._slashed = {route.path for _, route in listed if route.methods == ("POST",)}

    def own(self, path: str) -> Handler | None:
        """Return the handler of a page that checks the method itself. The path of a POST may end with slashes."""
        if (bare := path.rstrip("/")) in self._slashed:
            path = bare
        return self._own.get(path)

    def page(self, path: str) -> Handler | None:
        """Return the handler of a page that is served only for GET."""
        folder = "/" + path[1:].partition("/")[0]
        return self._folders.get(folder) or self._pages.get(path)


def _by_segment(prefix: str, listed: Iterable[tuple[Feature, Route]]) -> dict[str, Handler]:
    """Return the handlers below `prefix` by the next path segment, if it is a fixed word."""
    return {segment: handler for segment, handler in _segments(prefix, listed) if "{" not in segment}


def _segments(prefix: str, listed: Iterable[tuple[Feature, Route]]) -> Iterator[tuple[str, Handler]]:
    for feature, route in reversed(list(listed)):  # the first handler for a segment wins
        if route.path.startswith(prefix):
            yield route.path.removeprefix(prefix).partition("/")[0], partial(route.handler, feature)
