"""The documentation site in a browser, served together with the shop of the tutorial."""

from __future__ import annotations

from pathlib import Path

from tests.helpers.journeys import run_journey
from tests.helpers.support import ROOT, NewDatabase, Serve


def test_the_documentation_works_in_a_browser(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    url = new_database((ROOT / "docs" / "tutorial" / "shop.sql").read_text())
    server = serve("--dataset", f"shop={url}", "--open", cwd=tmp_path)
    run_journey("docs", server.url)
