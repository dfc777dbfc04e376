"""Secrets that nobody gave: made once, kept in files that only their owner can read."""

from __future__ import annotations

import contextlib
import os
import pwd
import secrets
import stat
import tempfile
from pathlib import Path


def close_folder(folder: Path) -> int:
    """Make `folder` for its owner alone; the mode that it had when that was wider, else 0.

    One whose group is that of `nobody` may be entered by it: an embedded PostgreSQL of root needs that where there are
    no user namespaces. Under a running one the mode stays until the next start.
    """
    if not folder.exists():
        folder.mkdir(mode=0o700, parents=True)
        return 0
    found = folder.stat()
    mode = stat.S_IMODE(found.st_mode)
    lent = mode == 0o710 and found.st_uid == 0 and found.st_gid == pwd.getpwnam("nobody").pw_gid
    if not mode & 0o077 or lent or found.st_uid != os.geteuid():
        return 0
    if (folder / "postgres" / "data" / "postmaster.pid").exists():
        return 0
    folder.chmod(0o700)
    return mode


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
