"""Studio in a browser, on the sample shop of `tableapi demo`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from tableapi.server import demo
from tests.helpers.journeys import run_journey
from tests.helpers.support import NewDatabase, Serve


def test_studio_on_the_sample_shop(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    # What an interrupted load left behind is removed.
    url = new_database("create schema shop_being_loaded; create table shop_being_loaded.visit (id integer)")
    assert asyncio.run(demo.load(url, lambda done, steps, name: None))
    assert not asyncio.run(demo.load(url, lambda done, steps, name: None))
    server = serve("--dataset", f"shop={url}", "--open", cwd=tmp_path)
    assert f"{server.url}/studio/" in server.told
    run_journey("studio|studiohome|studioedit", server.url)


def test_studio_shows_what_a_key_permits(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    url = new_database(
        "create table item (id integer primary key, name text); create table hidden (id integer primary key);"
        "insert into item values (1, 'seen')"
    )
    rights = {
        "keys": {"clerk": {"role": "clerk"}},
        "roles": {"clerk": {"access": [{"component": "_table/item/*", "verb_mask": 1}]}},
    }
    (access := tmp_path / "access.json").write_text(json.dumps(rights))
    server = serve("--dataset", f"shop={url}", "--access", str(access), cwd=tmp_path)
    run_journey("studiosignin", server.url)
