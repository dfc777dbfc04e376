"""Drop root privileges before starting PostgreSQL, which refuses to run as root.

A normal user runs it directly. Root runs it as the owner of the data folder. New data belongs to the system user with
the fewest rights, if that user can traverse the parent folders. Otherwise (a 0700 home, a folder of mkdtemp) it runs in
a user namespace that maps root to that user: its files still belong to root, but outside it has none of root's rights.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CLONE_NEWUSER = 0x10000000


class CannotDropPrivileges(OSError):
    """Root cannot run PostgreSQL here. The message is one line that says what to do."""


@dataclass(frozen=True, slots=True)
class UnprivilegedUser:
    """Run programs as `uid` (None: the current user); the child calls `enter` first."""

    uid: int | None = None
    gid: int = -1
    enter: Callable[[], None] | None = None

    def run(self, command: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[str]:
        if self.uid is not None:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return subprocess.run(
            command, text=True, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
            preexec_fn=self.enter, check=False, **options,
        )  # fmt: skip

    def own(self, path: Path) -> None:
        """Make this user the owner of `path`."""
        if self.uid is not None:
            os.chown(path, self.uid, self.gid)


def runner_for(folder: Path, programs: Path) -> UnprivilegedUser:
    """Create `folder` and return the user that owns it and runs PostgreSQL on it."""
    folder.mkdir(parents=True, exist_ok=True)
    if os.geteuid() != 0:
        folder.chmod(0o700)
        return UnprivilegedUser()
    nobody = pwd.getpwnam("nobody")
    status = folder.stat()
    uid, gid = (status.st_uid, status.st_gid) if status.st_uid else (nobody.pw_uid, nobody.pw_gid)
    fresh = not (folder / "data").exists()
    reachable = _open_to_all(folder.parent) and _open_to_all(programs)
    may_unshare = _may_unshare(nobody)
    if not reachable and not may_unshare:
        # Allow only that group to enter the data folder.
        if closed := _closed(programs) or _closed(folder.parent.parent):
            raise CannotDropPrivileges(_advice(closed, programs))
        os.chown(folder.parent, -1, nobody.pw_gid)
        folder.parent.chmod(0o710)
        uid, gid, reachable = nobody.pw_uid, nobody.pw_gid, True
    if reachable and (fresh or status.st_uid or not may_unshare):
        runner = UnprivilegedUser(uid, gid)
    else:
        uid, gid = 0, 0
        runner = UnprivilegedUser(enter=_namespace(nobody))
    if status.st_uid != uid:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, uid, gid, follow_symlinks=False)
    folder.chmod(0o700)
    return runner


def _open_to_all(folder: Path) -> bool:
    """Return whether every user may enter `folder` and its parents."""
    return _closed(folder) is None


def _closed(folder: Path) -> Path | None:
    """Return the topmost of `folder` and its parents that not every user may enter, if any."""
    return next((path for path in reversed((folder, *folder.parents)) if not path.stat().st_mode & 0o001), None)


def _advice(closed: Path, programs: Path) -> str:
    """Explain that PostgreSQL cannot run here because of the folder `closed`."""
    held = "its programs" if closed in (programs, *programs.parents) else "its data"
    move = "Move the installation" if held == "its programs" else "Set DATA_DIR"
    return (
        f"PostgreSQL does not run as root, and other users may not enter {closed}, which contains {held}. {move} to a "
        f"folder that every user may enter, such as below /opt or /srv, run as an ordinary user, or set DATABASE_URL."
    )


def _may_unshare(nobody: pwd.struct_passwd) -> bool:
    """Return whether root may create user namespaces here, which most containers forbid."""
    try:
        UnprivilegedUser(enter=_namespace(nobody)).run(["true"])
    except subprocess.SubprocessError:
        return False
    return True


def _namespace(nobody: pwd.struct_passwd) -> Callable[[], None]:
    libc = ctypes.CDLL(None, use_errno=True)

    def enter() -> None:
        if libc.unshare(CLONE_NEWUSER):
            raise OSError(ctypes.get_errno(), "unshare")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{nobody.pw_uid} 0 1")
        Path("/proc/self/gid_map").write_text(f"{nobody.pw_gid} 0 1")

    return enter


def main() -> None:
    """Exit with advice if root could not run PostgreSQL's programs when installed in this folder."""
    folder = Path.cwd()
    closed = _closed(folder)
    if os.geteuid() == 0 and closed is not None and not _may_unshare(pwd.getpwnam("nobody")):
        sys.exit(_advice(closed, folder))


if __name__ == "__main__":
    main()
