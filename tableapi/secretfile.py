"""Secrets that nobody gave: made once, kept in files that only their owner can read."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from pathlib import Path


def kept_secret(path: Path) -> str:
    """The text of `path`; made at random (256 bits) when there is none.

    Two processes may start at once: each writes its own file, and the first link wins, so both read the same secret and
    neither sees half of one.
    """
    with contextlib.suppress(FileNotFoundError):
        return path.read_text().strip()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.parent.chmod(0o700)
    number, draft = tempfile.mkstemp(dir=path.parent)  # for its owner alone
    with os.fdopen(number, "w") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
        file.flush()
        os.fsync(file.fileno())
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    Path(draft).unlink()
    return path.read_text().strip()
