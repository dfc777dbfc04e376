"""A page of another origin sends QUERY in a browser."""

from __future__ import annotations

from pathlib import Path

from tests.helpers.journeys import run_journey
from tests.helpers.support import NewDatabase, Serve, free_port

TABLE = """
create table customer (id int primary key, name text);
insert into customer select n, 'Name ' || n from generate_series(1, 5000) n
"""


def test_query_passes_the_preflight_of_a_listed_origin_only(
    serve: Serve, new_database: NewDatabase, tmp_path: Path
) -> None:
    port = free_port()
    origin = f"http://127.0.0.1:{port}"
    server = serve("--dataset", f"shop={new_database(TABLE)}", "--open", cwd=tmp_path, CORS_ORIGINS=origin)
    run_journey("otherorigin", server.url, PORT=str(port))
