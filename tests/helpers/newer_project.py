"""A newer version of the product, for tests that update running servers."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.helpers.support import ROOT


def newer_project(folder: Path) -> Path:
    """Create a copy of the product in `folder`, with one more migration than the copy before."""
    count = len(list(folder.glob("newer*")))
    before, project = folder / f"newer{count}" if count else ROOT, folder / f"newer{count + 1}"
    (project / "migrations").mkdir(parents=True)
    for entry in ("product", "scripts", "sandbox", "frontend", "policy.py", "schema.sql", "pyproject.toml"):
        (project / entry).symlink_to(ROOT / entry)
    files = list((before / "migrations").glob("*.sql"))
    for file in files:
        shutil.copy(file, project / "migrations")
    column = f"newer{len(files) + 1}"
    (project / "migrations" / f"{len(files) + 1:04}_newer.sql").write_text(
        "-- outside a transaction\n"
        f"alter table usercontact add column if not exists {column} text;\n"
        f"drop index concurrently if exists usercontact_{column};\n"
        f"create index concurrently usercontact_{column} on usercontact ({column});\n"
    )
    return project
