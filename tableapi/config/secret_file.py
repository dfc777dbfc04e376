"""Folders and generated secrets that only their owner can read."""

from __future__ import annotations

import contextlib
import errno
import os
import pwd
import secrets
import stat
import tempfile
from pathlib import Path

# Files by which a data folder is recognized; a copy by `cp DATA_DIR/*` lacks the first one.
_MARK = ".tableapi"
_MARKS = (
    _MARK, "secrets/secret_key", "secrets/app_key", "secrets/postgres_password", "secrets/database_password",
    "postgres/data/PG_VERSION",
)  # fmt: skip


def private_folder(folder: Path) -> Path:
    """Create `folder` and its missing parents, accessible to its owner only. Return it. Raises OSError."""
    for missing in reversed([folder, *folder.parents]):
        if not missing.exists():
            missing.mkdir(mode=0o700, exist_ok=True)  # another process may create it at the same time
    return folder


def is_ours(folder: Path) -> bool:
    """Return whether a folder is empty, or one that this program made."""
    return not any(folder.iterdir()) or any((folder / name).exists() for name in _MARKS)


def close_folder(folder: Path) -> int:
    """Create `folder`, or restrict it to its owner. Return the old mode if it was less strict, else 0.

    A folder of others is left as it is.

    A folder of root with mode 0710 and the group of the unprivileged system user is left alone: an embedded PostgreSQL
    started by root runs as that user and has to enter it if user namespaces are not available. The mode of a folder
    with a running PostgreSQL is kept until the next start.

    Raises:
        OSError: it is not a folder, or one of others.
    """
    if not folder.exists():
        (private_folder(folder) / _MARK).touch()
        return 0
    status = folder.stat()
    if not is_ours(folder) or status.st_mode & stat.S_ISVTX:
        raise OSError(errno.EEXIST, "it has files of other programs. Name a new folder, or an empty one")
    if os.access(folder, os.W_OK):
        (folder / _MARK).touch()
    mode = stat.S_IMODE(status.st_mode)
    shared = mode == 0o710 and status.st_uid == 0 and status.st_gid == pwd.getpwnam("nobody").pw_gid
    if not mode & 0o077 or shared or status.st_uid != os.geteuid():
        return 0
    if (folder / "postgres" / "data" / "postmaster.pid").exists():
        return 0
    folder.chmod(0o700)
    return mode


def unusable(data_dir: Path, error: OSError) -> str:
    """Say which user may not use DATA_DIR, and what to do."""
    if error.errno == errno.EEXIST:  # of `close_folder`, with its own remedy
        return f"DATA_DIR {data_dir} cannot be used: {error.strerror}."
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # of a container
        user = str(os.geteuid())
    return (
        f"DATA_DIR {data_dir} cannot be used: the user {user} cannot write to {error.filename or data_dir} "
        f"({error.strerror}). Name a folder of this user."
    )


def kept_secret(path: Path) -> str:
    """Return the secret in `path`; generate one of 256 bits if the file does not exist.

    If two processes start at the same time, each writes its own file and links it to `path`. Only the first link
    succeeds, so both read the same complete secret.
    """
    with contextlib.suppress(FileNotFoundError):
        return path.read_text().strip()
    private_folder(path.parent)
    number, draft = tempfile.mkstemp(dir=path.parent)  # mode 0600
    with os.fdopen(number, "w") as file:
        file.write(secrets.token_urlsafe(32) + "\n")
        file.flush()
        os.fsync(file.fileno())
    with contextlib.suppress(FileExistsError):
        os.link(draft, path)
    Path(draft).unlink()
    return path.read_text().strip()
