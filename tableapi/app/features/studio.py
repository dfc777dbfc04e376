"""`/studio`: the web interface for tables. `make setup` builds its files; a wheel contains them."""

from __future__ import annotations

from pathlib import Path

from tableapi.app.application import App
from tableapi.app.feature import Feature, Route
from tableapi.app.routes import GET
from tableapi.errors import NotFound
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response
from tableapi.http.site import Site
from tableapi.http.static import page_headers

PREFIX = "/studio"
BUILT = Path(__file__).parents[2] / "studio_site"


class Studio(Feature):
    """The files of Studio.

    It belongs to the engine and gets the app's policy without a project's additions. Values may contain image URLs on
    any host, which the page loads only on request.
    """

    def __init__(self, app: App) -> None:
        secure = app.settings.public_url.startswith("https")
        headers = page_headers({"img-src": ("https:", "http:")}, (), secure=secure)
        self._site = Site.find((BUILT,), PREFIX, headers, hashed="assets/")

    async def file(self, request: HttpRequest) -> Response:
        """Return a file of Studio. Raises NotFound if it was not built."""
        if self._site is None:
            raise NotFound("Studio has not been built. Run: make setup", reason="not_found")
        return self._site.respond(request.path, request.root_path, request.headers)

    routes = (
        Route(GET, PREFIX, file, "guides/studio.md"),
        Route(GET, f"{PREFIX}/{{file...}}", file, "guides/studio.md"),
    )
