"""The site of `make docs` builds without a warning and loads nothing from other hosts."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.helpers.support import ROOT

ZENSICAL = Path(sys.executable).with_name("zensical")
# Addresses that a browser would load by itself; links are free.
_LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=\"?(?:https?:)?//|<link\b[^>]*\bhref=\"?(?:https?:)?//"
)
_STYLE = re.compile(r"url\([\"']?(?:https?:)?//|@import [\"'](?:https?:)?//")


def test_the_site_loads_nothing_from_other_hosts(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    site = tmp_path / "build" / "docs"
    built = subprocess.run(
        [str(ZENSICAL), "build", "--strict"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    assert (site / "index.html").exists()
    loading = [str(file.relative_to(site)) for file in site.rglob("*.html") if _LOADED.search(file.read_text())]
    loading += [str(file.relative_to(site)) for file in site.rglob("*.css") if _STYLE.search(file.read_text())]
    assert loading == []
