"""Studio in a browser, on the sample shop of `tableapi demo`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tableapi.server import demo
from tests.helpers.journeys import run_journey
from tests.helpers.support import NewDatabase, Serve


def test_studio_on_the_sample_shop(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    url = new_database()
    assert asyncio.run(demo.load(url, lambda done, steps, name: None))
    assert not asyncio.run(demo.load(url, lambda done, steps, name: None))
    server = serve("--dataset", f"shop={url}", "--open", cwd=tmp_path)
    assert f"{server.url}/studio/" in server.told
    run_journey("studio", server.url)
