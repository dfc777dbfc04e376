"""What a project adds to the engine: settings, vendors, pages, checks. `docs/guides/scripts.md` shows one."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any, Protocol

from starlette.responses import Response

from tableapi.config.settings import Settings

Message = MutableMapping[str, Any]


class Pages(Protocol):
    """Pages that a project serves beside its front end, below `prefix`."""

    prefix: str

    def start(self) -> None:
        """Resume what an earlier process left unfinished."""

    async def close(self) -> None:
        """Release connections and stop background tasks."""

    async def answer(self, scope: Message, receive: Callable[[], Awaitable[Message]]) -> Response | None:
        """Answer one request; None when there is no such page."""


class Vendors(Protocol):
    """The connections to outside services that scripts use. Opened on first use, closed with the process."""

    async def close(self) -> None:
        """Close every connection that was opened."""


class NoVendors:
    """The vendors of a project that uses none."""

    async def close(self) -> None:
        return None


class Project:
    """The defaults of a project.

    A project overrides them in a subclass in `scripts/_shared/project.py` and names an instance of it `PROJECT`.
    """

    settings: type[Settings] = Settings
    # Sources added to the Content-Security-Policy of pages: {"script-src": ("https://js.example.com",)}.
    content_sources: Mapping[str, tuple[str, ...]] = {}
    # A folder with theme.css, logo.svg and fonts for the page /api/docs, in place of the engine's own.
    look: Path | None = None
    # Origins that may use the Payment Request API.
    payment_origins: tuple[str, ...] = ()

    def title(self, settings: Any) -> str:
        """Return the title of the API description."""
        return "tableapi"

    def vendors(self, settings: Any) -> Vendors:
        """Return the outside services that scripts reach as `ctx.vendors`."""
        return NoVendors()

    def pages(self, settings: Any) -> Pages | None:
        """Return pages to serve beside the front end, or None."""
        return None

    def local_only(self, settings: Any) -> str:
        """Return a reason to serve this machine only; empty without one."""
        return ""

    def config(self, settings: Any) -> Mapping[str, Any]:
        """Return what `GET /api/v2/config` tells the front end in addition to the engine's own values."""
        return {}

    def checks(self, settings: Any) -> Iterator[tuple[bool, str]]:
        """Yield (fatal, line) for each setting that is missing or unsafe; fatal ones make `tableapi check` fail."""
        yield from ()

    def announcement(self, settings: Any, address: str) -> list[str]:
        """Return lines that `tableapi serve` prints below the addresses."""
        return []


def load_project(folder: Path | None) -> Project:
    """Return the PROJECT of `scripts/_shared/project.py` in `folder`, or the defaults where there is none."""
    if folder is None or not (folder / "scripts" / "_shared" / "project.py").is_file():
        return Project()
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    project: Project = importlib.import_module("scripts._shared.project").PROJECT
    return project
