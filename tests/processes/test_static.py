"""Pages and files of a built front end, and a new build under a running server."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import httpx2
import pytest

from tests.helpers.support import NewDatabase, Serve


def build(dist: Path, name: str) -> None:
    """Replace the folder as `npm run build` does: a page, its script, and a compressed copy of each."""
    shutil.rmtree(dist, ignore_errors=True)
    (dist / "assets").mkdir(parents=True)
    page = f'<script type="module" src="/assets/{name}.js"></script>'.encode()
    for path, content in ((f"assets/{name}.js", name.encode()), ("index.html", page)):
        (dist / path).write_bytes(content)
        (dist / f"{path}.gz").write_bytes(gzip.compress(content))


@pytest.fixture
def dist(project: Path) -> Path:
    return project / "frontend" / "dist"


def test_unknown_paths_serve_the_page_or_404(dist: Path, serve: Serve, new_database: NewDatabase) -> None:
    build(dist, "one")
    (dist.parent / "secret.txt").write_text("not built")
    url = serve(cwd=dist.parent.parent, DATABASE_URL=new_database(), WORKERS="1", WORKER="off").url
    for path in ("/assets/none.js", "/assets/../../secret.txt", "/assets/%2e%2e/%2e%2e/secret.txt", "/secret.txt"):
        assert httpx2.get(url + path, timeout=20).status_code == 404, path
    page = httpx2.get(f"{url}/any/route", headers={"Accept-Encoding": "gzip"}, timeout=20)
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-cache")
    assert (page.headers["content-encoding"], page.headers["vary"]) == ("gzip", "Accept-Encoding")
    again = httpx2.get(f"{url}/any/route", headers={"If-None-Match": page.headers["etag"]}, timeout=20)
    assert (again.status_code, again.content) == (304, b"")
    assert "immutable" in httpx2.get(f"{url}/assets/one.js", timeout=20).headers["cache-control"]


def test_a_new_build_is_served_without_a_restart(dist: Path, serve: Serve, new_database: NewDatabase) -> None:
    build(dist, "one")
    url = serve(cwd=dist.parent.parent, DATABASE_URL=new_database(), WORKERS="2", WORKER="off").url
    assert "one.js" in httpx2.get(url, timeout=20).text
    shutil.rmtree(dist)
    assert "one.js" in httpx2.get(url, timeout=20).text, "the old page until there is a new one"
    build(dist, "two")
    for _ in range(8):  # from either worker
        assert httpx2.get(f"{url}/assets/two.js", timeout=20).text == "two"
        assert "two.js" in httpx2.get(url, timeout=20).text
    assert httpx2.get(url, headers={"Accept-Encoding": "gzip"}, timeout=20).headers["content-encoding"] == "gzip"
    assert httpx2.get(f"{url}/assets/one.js", timeout=20).text == "one", "an open tab finds its files"
