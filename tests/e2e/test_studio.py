"""Studio in a browser, on the sample shop of `tableapi demo`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from tableapi.server import demo
from tests.helpers.journeys import run_journey
from tests.helpers.support import NewDatabase, Serve
from tests.helpers.webhooks import SECRET, receiver

KEYS = """
create table text (key text primary key, note text);
create table pair (a text, b text, note text, primary key (a, b));
create table document (key jsonb primary key, note text);
create table list (key text[] primary key, note text);
create table price (id integer, valid daterange, note text, primary key (id, valid));
create table child (id integer primary key, key text references text, note text);
insert into text select key, 'note ' || row_number() over () from (select key from unnest(array[
    '', ' a ', '"b"', '''c''', '(d)', '.', '..', '[e]', 'a,b', 'a/b?c#d%2F', 'it''s', 'plain', 'ä'
]) key order by key) keys;
insert into pair values ('', 'a,b', 'note 1'), ('''a''', '"b"', 'note 2'), ('(a', 'b)', 'note 3'), ('a', 'b', 'note 4');
insert into document values ('5', 'note 1'), ('"5"', 'note 2'), ('{"a": [1, 2]}', 'note 3'), ('""', 'note 4');
insert into list values ('{}', 'note 1'), ('{"a,b"}', 'note 2'), ('{NULL,"c\\"d"}', 'note 3');
insert into price values (1, '[2024-01-01,2025-01-01)', 'note 1'), (1, '[2025-01-01,)', 'note 2');
insert into child values (1, '..', 'note 1'), (2, '', 'note 2');
"""


def test_studio_works_on_the_sample_shop(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
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
    seen = {"name": "name", "operator": "=", "value": "seen"}
    own = {"component": "_table/item/*", "verb_mask": 31, "filters": [seen]}
    rights = {
        "keys": {"clerk": {"role": "clerk"}, "writer": {"role": "writer"}, "admin": {"role": "*"}},
        "roles": {
            "clerk": {"access": [{"component": "_table/item/*", "verb_mask": 1}]},
            "writer": {"access": [own], "explain": True},
        },
    }
    server = serve("--dataset", f"shop={url}", access=rights, cwd=tmp_path)
    run_journey("studiosignin", server.url)


def test_studio_names_records_by_keys_of_every_kind(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    server = serve("--dataset", f"x={new_database(KEYS)}", "--open", cwd=tmp_path)
    run_journey("studiokeys", server.url)


def test_studio_shows_the_webhooks_of_a_database(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    url = new_database(
        "create table orders (id integer primary key, status text); insert into orders values (1, 'new')"
    )
    access = tmp_path / "access.json"

    async def used() -> None:
        async with receiver() as target:
            hook = {"name": "orders", "dataset": "shop", "table": "orders", "url": target.url, "secret": SECRET}
            access.write_text(json.dumps({"keys": {"admin": {"role": "*"}}, "webhooks": [hook]}))
            words = ("--dataset", f"shop={url}", "--access", str(access))
            server = await asyncio.to_thread(serve, *words, cwd=tmp_path, WEBHOOKS_PRIVATE="on")
            await asyncio.to_thread(run_journey, "studiowebhooks", server.url)
            await target.gets(3)
            types = [request.json["type"] for request in target.delivered]
            assert types == ["orders.test", "orders.updated", "orders.updated"]

    asyncio.run(used())
