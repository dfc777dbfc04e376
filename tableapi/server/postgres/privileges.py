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
        try:
            return subprocess.run(
                command, text=True, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                preexec_fn=self.enter, check=False, **options,
            )  # fmt: skip
        except subprocess.SubprocessError:
            raise CannotDropPrivileges(
                "When started as root, PostgreSQL needs a folder that every user may enter. Set DATA_DIR to such a "
                "folder, run as an ordinary user, or set DATABASE_URL."
            ) from None

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
    if not reachable and not _may_unshare(nobody) and all(map(_open_to_all, (folder.parent.parent, programs))):
        # Allow only that group to enter the data folder.
        os.chown(folder.parent, -1, nobody.pw_gid)
        folder.parent.chmod(0o710)
        uid, gid, reachable, fresh = nobody.pw_uid, nobody.pw_gid, True, True
    if reachable and (fresh or status.st_uid):
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
    return all(path.stat().st_mode & 0o001 for path in (folder, *folder.parents))


def _may_unshare(nobody: pwd.struct_passwd) -> bool:
    """Return whether root may create user namespaces here, which most containers forbid."""
    try:
        UnprivilegedUser(enter=_namespace(nobody)).run(["true"])
    except CannotDropPrivileges:
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
