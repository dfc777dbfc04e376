"""The base class for a project's settings, vendors, pages and checks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from starlette.responses import Response as StarletteResponse

if TYPE_CHECKING:
    from tableapi.config.environment import EnvironmentSettings

Message = MutableMapping[str, Any]


class Vendors(Protocol):
    """Clients of external services, `ctx.vendors` in scripts. They connect on first use."""

    async def close(self) -> None:
        """Close every connection that was opened."""


class NoVendors:
    """The vendors of a project that uses no external services."""

    async def close(self) -> None:
        return None


class ProjectPages(Protocol):
    """The pages of a project below the path `prefix`."""

    prefix: str

    def start(self) -> None:
        """Start background tasks, when the application starts."""

    async def close(self) -> None:
        """Stop background tasks and close connections."""

    async def respond(self, scope: Message, receive: Callable[[], Awaitable[Message]]) -> StarletteResponse | None:
        """Handle one ASGI request below `prefix`; None for a page that does not exist (404)."""


class Project:
    """The defaults of a project.

    A project overrides them in a subclass and names an instance in `pyproject.toml` under [tool.tableapi]: `project =
    "shop.project:PROJECT"`. The methods' argument `settings` is an instance of the class in the attribute `settings`.

    Attributes:
        settings: a subclass of EnvironmentSettings with the settings of the project; None if it has none of its own.
        content_sources: sources to add to the Content-Security-Policy of pages, by directive:
            {"script-src": ("https://js.example.com",)}.
        look: a folder with theme.css, logo.svg and fonts for the page /api/docs, in place of the engine's own.
        payment_origins: origins that may use the Payment Request API.
    """

    settings: type[EnvironmentSettings] | None = None
    content_sources: Mapping[str, tuple[str, ...]] = {}
    look: Path | None = None
    payment_origins: tuple[str, ...] = ()

    def settings_class(self) -> type[EnvironmentSettings]:
        """Return `settings`, or the class of the engine's own settings."""
        from tableapi.config.environment import EnvironmentSettings  # a host program may not have its packages

        return self.settings or EnvironmentSettings

    def title(self, settings: Any) -> str:
        """Return the title of the API description."""
        return "tableapi"

    def introduction(self, settings: Any, root: str) -> str:
        """Return Markdown about the project for /llms.txt, before what every server offers. root: its address."""
        return ""

    def vendors(self, settings: Any) -> Vendors:
        """Return the clients of outside services, available to scripts as `ctx.vendors`."""
        return NoVendors()

    def webhooks(self) -> Any:
        """Return a `WebhookQueue` of events that the project stores itself and the worker delivers, or None."""
        return None

    async def check_input(self, ctx: Any, unknown: Mapping[str, Any]) -> None:
        """Check call fields that the input model does not declare and therefore ignores.

        Raises ApiError to reject the call.
        """

    def pages(self, settings: Any) -> ProjectPages | None:
        """Return the pages to serve besides the front end, or None."""
        return None

    def config(self, settings: Any) -> Mapping[str, Any]:
        """Return values for the front end, which `GET /api/v2/config` adds to the engine's own."""
        return {}

    def manifest(self, settings: Any) -> Mapping[str, Any]:
        """Return web app manifest members that override `manifest.json` of the built front end."""
        return {}

    def authorization_server(self, settings: Any) -> Mapping[str, Any]:
        """Return the metadata of the project's authorization server (RFC 8414), used by agents to sign in.

        Its `issuer` is PUBLIC_URL. The engine serves it, and names the issuer in the description of /mcp. Pages of
        every origin may call its endpoints, except the authorization endpoint. Empty if there is no such server.
        """
        return {}

    def checks(self, settings: Any) -> Iterator[tuple[bool, str]]:
        """Yield (fatal, line) for each missing or unsafe setting; a fatal one fails `tableapi check`."""
        yield from ()

    def local_only(self, settings: Any) -> str:
        """Return the reason why `tableapi serve` must bind to a loopback address; empty if there is none."""
        return ""

    def announcement(self, settings: Any, address: str) -> list[str]:
        """Return the lines that `tableapi serve` prints below its addresses."""
        return []
