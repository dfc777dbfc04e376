"""The API documentation page in a browser, with several databases."""

from __future__ import annotations

from pathlib import Path

from tests.helpers.journeys import run_journey
from tests.helpers.support import NewDatabase, Serve, execute

TABLE = "create table item (id serial primary key, only{} text)"
MANY = """
do $$ begin for n in 1..400 loop
    execute format('create table many_%s (id serial primary key, name text)', n);
end loop; end $$
"""


def test_one_database_is_loaded_at_a_time(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    urls = {name: new_database() for name in ("one", "two", "many")}
    for name in ("one", "two"):
        execute(urls[name], TABLE.format(name))
    execute(urls["many"], MANY)
    words = [word for name, url in urls.items() for word in ("--dataset", f"{name}={url}")]
    server = serve(*words, "--open", cwd=tmp_path)
    run_journey("apidocs", server.url)
