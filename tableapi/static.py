"""The built front end, held in memory: hashed files for ever, everything else asked for each time."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tableapi.reply import Reply

FOR_EVER = "public, max-age=31536000, immutable"
EACH_TIME = "no-cache"
# Inline styles are allowed: the component library sets sizes by them. Scripts never are.
CSP = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' https://js.stripe.com",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' https://api.stripe.com",
        "frame-src 'self' https://js.stripe.com https://hooks.stripe.com",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
PAGE = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Permissions-Policy": 'camera=(), geolocation=(), microphone=(), payment=(self "https://js.stripe.com")',
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
}


@dataclass(slots=True)
class File:
    plain: bytes
    kind: str
    tag: str
    encoded: dict[str, bytes] = field(default_factory=dict)


class Static:
    """Files below a folder; any path that is no file is the app's, which has its own routes."""

    def __init__(self, folder: Path, *, secure: bool) -> None:
        self._files: dict[str, File] = {}
        self._headers = PAGE | ({"Strict-Transport-Security": "max-age=31536000; includeSubDomains"} if secure else {})
        for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
            if path.is_file() and path.suffix not in (".br", ".gz", ".map"):
                self._files["/" + path.relative_to(folder).as_posix()] = _file(path)

    @property
    def there(self) -> bool:
        return "/index.html" in self._files

    def reply(self, path: str, headers: Mapping[str, str]) -> Reply | None:
        """The file, the app's page for a path without a suffix, or None."""
        file = self._files.get(path)
        if file is None:
            if "." in path.rpartition("/")[2]:
                return None
            path = "/index.html"
            file = self._files.get(path)
            if file is None:
                return None
        made = dict(self._headers)
        made["ETag"] = file.tag
        made["Cache-Control"] = FOR_EVER if path.startswith("/assets/") else EACH_TIME
        if file.encoded:
            made["Vary"] = "Accept-Encoding"
        if headers.get("if-none-match") == file.tag:
            return Reply(b"", 304, file.kind, made)
        accepted = headers.get("accept-encoding", "")
        for name in ("br", "gzip"):
            if name in accepted and name in file.encoded:
                made["Content-Encoding"] = name
                return Reply(file.encoded[name], 200, file.kind, made)
        return Reply(file.plain, 200, file.kind, made)


def _file(path: Path) -> File:
    plain = path.read_bytes()
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if kind.startswith("text/") or kind in ("application/javascript", "application/json", "image/svg+xml"):
        kind += "; charset=utf-8"
    file = File(plain, kind, f'"{hashlib.blake2b(plain, digest_size=10).hexdigest()}"')
    for name, suffix in (("br", ".br"), ("gzip", ".gz")):
        encoded = path.with_name(path.name + suffix)
        if encoded.is_file():
            file.encoded[name] = encoded.read_bytes()
    return file
