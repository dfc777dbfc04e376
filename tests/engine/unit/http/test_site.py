"""The built documentation below /docs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tableapi.errors import NotFound
from tableapi.http.site import Site
from tableapi.http.static import page_headers

HEADERS = page_headers({}, (), secure=False)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    folder = tmp_path / "build" / "docs"
    (folder / "guides" / "jobs").mkdir(parents=True)
    (folder / "index.html").write_text("<title>Docs</title><script>start()</script><script src='a.js'></script>")
    (folder / "guides" / "jobs" / "index.html").write_text("<title>Jobs</title>")
    (folder / "style.css").write_text("p{}")
    (folder / "font.woff2").write_bytes(b"font")
    (folder.parent / "secret.txt").write_text("secret")
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    documentation = Site.find((tmp_path / "none", folder), "/docs", HEADERS)
    assert documentation is not None
    return documentation


@pytest.mark.parametrize(
    ("path", "content_type", "part"),
    [
        ("/docs/", "text/html; charset=utf-8", b"Docs"),
        ("/docs/index.html", "text/html; charset=utf-8", b"Docs"),
        ("/docs/guides/jobs/", "text/html; charset=utf-8", b"Jobs"),
        ("/docs/style.css", "text/css; charset=utf-8", b"p{}"),
        ("/docs/font.woff2", "font/woff2", b"font"),
    ],
)
def test_files_have_their_types(site: Site, path: str, content_type: str, part: bytes) -> None:
    reply = site.respond(path, "", {})
    assert (reply.status, reply.content_type) == (200, content_type)
    assert part in reply.body
    assert HEADERS.items() - {("Content-Security-Policy", HEADERS["Content-Security-Policy"])} <= reply.headers.items()
    assert site.respond(path, "", {"if-none-match": reply.headers["ETag"]}).status == 304


def test_files_with_a_hash_in_their_name_are_kept_by_browsers(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    for name in ("index.html", "assets.js", "assets/a.1f.js"):
        (tmp_path / name).write_text("x")
    site = Site.find((tmp_path,), "/studio", HEADERS, hashed="assets/")
    assert site is not None
    kept = {name: "immutable" in site.respond(f"/studio/{name}", "", {}).headers["Cache-Control"]
            for name in ("index.html", "assets.js", "assets/a.1f.js")}  # fmt: skip
    assert kept == {"index.html": False, "assets.js": False, "assets/a.1f.js": True}


@pytest.mark.parametrize("path", ["/docs", "/docs/guides/jobs"])
def test_a_folder_without_its_slash_is_redirected(site: Site, path: str) -> None:
    reply = site.respond(path, "/mount", {})
    assert (reply.status, reply.headers["Location"]) == (307, f"/mount{path}/")


@pytest.mark.parametrize(
    "path", ["none", "guides/", "../secret.txt", "guides/../../secret.txt", "/etc/passwd", "link.txt"]
)
def test_nothing_else_is_served(site: Site, path: str) -> None:
    with pytest.raises(NotFound):
        site.respond(f"/docs/{path}", "", {})


def test_only_the_inline_scripts_of_a_page_may_run(site: Site) -> None:
    policy = site.respond("/docs/", "", {}).headers["Content-Security-Policy"]
    assert policy.count("'sha256-") == 1
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    assert "sha256" not in site.respond("/docs/guides/jobs/", "", {}).headers["Content-Security-Policy"]


def test_without_an_index_there_is_no_site(tmp_path: Path) -> None:
    assert Site.find((tmp_path,), "/docs", HEADERS) is None


def test_browsers_get_a_page_for_an_unknown_url_and_programs_an_error(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "build" / "docs"
    with pytest.raises(NotFound):  # a site without such a page
        site.respond("/docs/none/", "", {"accept": "text/html"})
    (folder / "404.html").write_text('<link href="/assets/docs.css"><a href="/">Start</a>')
    documentation = Site.find((folder,), "/docs", HEADERS)
    assert documentation is not None
    reply = documentation.respond("/docs/deep/below/none/", '/m"t', {"accept": "text/html,*/*"})
    assert (reply.status, reply.content_type) == (404, "text/html; charset=utf-8")
    assert reply.body == b'<link href="/m&quot;t/docs/assets/docs.css"><a href="/m&quot;t/docs/">Start</a>'
    assert "Content-Security-Policy" in reply.headers
    with pytest.raises(NotFound):
        documentation.respond("/docs/deep/below/none/", "", {"accept": "application/json"})
