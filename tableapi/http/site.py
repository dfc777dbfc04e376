"""Serve the built documentation: a folder of static pages below a path."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from pathlib import Path

from tableapi.errors import NotFound
from tableapi.http.response import Response
from tableapi.http.static import COMPRESSED, IMMUTABLE, REVALIDATE, File

_INLINE_SCRIPT = re.compile(rb"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL)

# The built documentation: inside a wheel, or built by `make setup` in a clone of the repository.
BUILT_DOCS = (Path(__file__).parents[1] / "docs_site", Path(__file__).parents[2] / "build" / "docs")


MISSING = "404.html"


def docs_folders(project: Path | None) -> tuple[Path, ...]:
    """Return the folders that may contain the built documentation, a project's own first."""
    return (project / "build" / "docs", *BUILT_DOCS) if project else BUILT_DOCS


class Site:
    """The files of a documentation site, indexed when it is created and read on first use.

    Requests select from the index instead of building file names, so no path can leave the folder. Files below `hashed`
    have a hash in their name, so browsers cache them indefinitely.
    """

    def __init__(self, folder: Path, prefix: str, headers: Mapping[str, str], hashed: str | None = None) -> None:
        self._prefix, self._headers, self._hashed = prefix, headers, hashed
        self._paths = {
            path.relative_to(folder).as_posix(): path
            for path in folder.rglob("*")
            if path.is_file() and not path.is_symlink() and path.suffix not in COMPRESSED
        }
        self._files: dict[str, tuple[File, Mapping[str, str]]] = {}

    @classmethod
    def find(
        cls, folders: tuple[Path, ...], prefix: str, headers: Mapping[str, str], hashed: str | None = None
    ) -> Site | None:
        """Return the site in the first folder with an index.html, or None."""
        for folder in folders:
            if (folder / "index.html").is_file():
                return cls(folder, prefix, headers, hashed)
        return None

    def respond(self, path: str, mount: str, request_headers: Mapping[str, str]) -> Response:
        """Return the page or file at `path`, which begins with the prefix.

        For an unknown path, browsers get the site's 404.html. Raises NotFound for other clients, or if the site has no
        404.html.
        """
        name = path.removeprefix(self._prefix)
        if (not name or name[-1] != "/") and f"{name}/index.html".lstrip("/") in self._paths:
            return Response(b"", 307, headers={"Location": f"{mount}{path}/"})
        name = name.removeprefix("/")
        if not name or name[-1] == "/":
            name += "index.html"
        if name not in self._paths:
            if MISSING in self._paths and "text/html" in request_headers.get("accept", ""):
                return self._missing(mount)
            raise NotFound("There is no such page.")
        if name not in self._files:
            self._files[name] = self._read(self._paths[name])
        file, headers = self._files[name]
        is_hashed = self._hashed is not None and name.startswith(self._hashed)
        return file.respond(request_headers, headers, IMMUTABLE if is_hashed else REVALIDATE)

    def _missing(self, mount: str) -> Response:
        """Return 404.html with status 404. Its links begin with `/`, because it may be served for any path."""
        root = html.escape(f"{mount}{self._prefix}/").encode()
        page = self._paths[MISSING].read_bytes().replace(b'="/', b'="' + root)
        return Response(page, 404, "text/html; charset=utf-8", {**self._headers, "Cache-Control": REVALIDATE})

    def _read(self, path: Path) -> tuple[File, Mapping[str, str]]:
        """Read a file. The policy header of a page allows exactly the inline scripts of the build."""
        file = File.read(path)
        hashes = {_source(script) for script in _INLINE_SCRIPT.findall(file.plain)} if path.suffix == ".html" else ()
        if not hashes:
            return file, self._headers
        policy = self._headers["Content-Security-Policy"]
        allowed = policy.replace("script-src 'self'", f"script-src 'self' {' '.join(sorted(hashes))}")
        return file, {**self._headers, "Content-Security-Policy": allowed}


def _source(script: bytes) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
