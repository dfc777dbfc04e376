"""The folder in which the processes of one server share their counters.

prometheus_client maps sparse files. On a full disk, writing to a page without a block kills the process (SIGBUS), so
the files are kept in shared memory if available, and otherwise below DATA_DIR.
"""

from __future__ import annotations

import shutil
from hashlib import blake2b
from pathlib import Path

from tableapi.config.secret_file import private_folder
from tableapi.config.settings import Settings

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - the folder is created with mode 0700 and never reused
BYTES_PER_WORKER = 4 << 20


def create(settings: Settings, shared_memory: Path = SHARED_MEMORY) -> Path:
    """Create an empty folder for the counters of one server and remove the one of an earlier run.

    Raises OSError.
    """
    name = blake2b(str(settings.data_dir).encode(), digest_size=8).hexdigest()
    in_memory = shared_memory / f"tableapi-{name}-{settings.port}"
    shutil.rmtree(in_memory, ignore_errors=True)
    try:
        if shutil.disk_usage(shared_memory).free >= BYTES_PER_WORKER * settings.workers:
            in_memory.mkdir(mode=0o700)
            return in_memory
    except OSError:
        pass  # absent, read-only, or the name belongs to another user
    on_disk = settings.run_dir / "metrics"
    shutil.rmtree(on_disk, ignore_errors=True)
    return private_folder(on_disk)
