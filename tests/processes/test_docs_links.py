"""The documentation is served wherever errors and pages link to it, and no link is shown where it is not built."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx2
import pytest

from tests.helpers.support import ROOT, NewDatabase, Serve, Server

TABLE = "create table customer (id int primary key, name text)"


@pytest.fixture
def any_database(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> Server:
    """Return a server of `--dataset` that was started in an empty folder."""
    (tmp_path / "empty").mkdir()
    return serve("--dataset", f"shop={new_database(TABLE)}", "--open", cwd=tmp_path / "empty")


def _error(server: Server, path: str = "/api/v2/shop/_table/customer?fields=nme") -> dict[str, str]:
    context: dict[str, str] = httpx2.get(server.url + path).json()["error"]["context"]
    return context


def test_a_clone_serves_the_pages_that_errors_link_to_from_any_folder(any_database: Server) -> None:
    doc = _error(any_database)["doc"]
    path, _, anchor = doc.partition("#")
    page = httpx2.get(any_database.url + path)
    assert (page.status_code, anchor) == (200, "unknown_field")
    assert f'id="{anchor}"' in page.text
    assert httpx2.get(f"{any_database.url}/docs/").status_code == 200
    assert httpx2.get(f"{any_database.url}/api/v2/config").json()["docsurl"] == "/docs/"
    assert f"{any_database.url}/docs/" in any_database.told


def test_a_project_in_another_folder_serves_them_as_well(
    serve: Serve, project: Path, new_database: NewDatabase
) -> None:
    server = serve(cwd=project, DATABASE_URL=new_database(), WORKER="off")
    path = _error(server, "/api/v2/nothing")["doc"].partition("#")[0]
    assert httpx2.get(server.url + path).status_code == 200


def test_without_built_pages_nothing_links_to_them(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("docs_site", "__pycache__")
    shutil.copytree(ROOT / "tableapi", tmp_path / "engine" / "tableapi", ignore=ignored)
    engine, url = tmp_path / "engine", new_database(TABLE)
    server = serve("--dataset", f"shop={url}", "--open", cwd=engine, PYTHONPATH=str(engine))
    assert httpx2.get(f"{server.url}/docs/").status_code == 404
    assert "doc" not in _error(server)
    assert httpx2.get(f"{server.url}/api/v2/config").json()["docsurl"] == ""
    assert "/docs/" not in server.told
