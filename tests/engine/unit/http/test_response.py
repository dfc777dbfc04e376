"""Responses: errors, ETags, XML, and files of a site."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from starlette.responses import PlainTextResponse

from tableapi import exact_json
from tableapi.errors import NotFound
from tableapi.http import etag, response, xml
from tableapi.http.site import Site
from tableapi.http.static import Static, page_headers, with_members


@pytest.mark.parametrize(
    ("name", "plain", "encoded"),
    [
        ("people.csv", "people.csv", ""),
        ('a"b\r\nc/d.csv', "a_b_c_d.csv", ""),
        ("", "download", ""),
        ("x" * 200, "x" * 100, ""),
        ("x" * 200 + ".xlsx", "x" * 95 + ".xlsx", ""),
        ("Übersicht.csv", "_bersicht.csv", "%C3%9Cbersicht.csv"),
        ("U\u0308bersicht.csv", "_bersicht.csv", "%C3%9Cbersicht.csv"),  # as macOS writes it
        ("отчёт.xlsx", "_.xlsx", "%D0%BE%D1%82%D1%87%D1%91%D1%82.xlsx"),
        ("रिपोर्ट.csv", "_.csv", "%E0%A4%B0%E0%A4%BF%E0%A4%AA%E0%A5%8B%E0%A4%B0%E0%A5%8D%E0%A4%9F.csv"),
        ("100 % & 'more'.csv", "100 _ _ _more_.csv", "100%20%25%20%26%20%27more%27.csv"),
        ("a\u202efdp.exe", "a_fdp.exe", ""),  # would be shown as aexe.pdf
        ("\ud800.csv", "_.csv", "%3F.csv"),
    ],
)
def test_a_download_has_a_safe_file_name(name: str, plain: str, encoded: str) -> None:
    """RFC 6266, section 4.3: `filename*` for what the plain name cannot hold, encoded by RFC 8187."""
    extended = f"; filename*=UTF-8''{encoded}" if encoded else ""
    assert response.attachment(name) == {"Content-Disposition": f'attachment; filename="{plain}"{extended}'}


def test_a_starlette_response_of_a_script_is_converted() -> None:
    reply = response.of_starlette(PlainTextResponse("hi", 201, {"x-note": "a"}))
    assert (reply.body, reply.status, reply.content_type) == (b"hi", 201, "text/plain; charset=utf-8")
    assert reply.headers == {"X-Note": "a"}


def test_an_error_has_its_envelope_and_headers() -> None:
    reply = response.error_response(NotFound("Gone.", headers={"Retry-After": "1"}, extra={"success": 0}), "r1")
    context = b'{"reason":"not_found","scope":"resource","request_id":"r1","doc":"/docs/reference/errors/#not_found"}'
    error = b'{"code":404,"context":' + context + b',"message":"Gone.","status_code":404}'
    assert reply.body == b'{"error":' + error + b',"success":0}'
    assert (reply.status, reply.headers) == (404, {"Retry-After": "1"})


@pytest.mark.parametrize(("mark", "body", "tag"), [("7", b"", '"7"'), ("7", b"{}", '"7.a3a6bf43"'), ("", b"", '""')])
def test_the_tag_of_a_record(mark: str, body: bytes, tag: str) -> None:
    assert etag.etag(mark, body) == tag


def test_a_written_row_has_an_etag() -> None:
    assert etag.headers("7") == {"ETag": '"7"'}
    assert etag.headers("") == {}


def test_the_tag_of_a_list() -> None:
    tag = etag.of_list(b"[]", {})
    assert tag.startswith('W/"')
    assert tag == etag.of_list(b"[]", {})
    assert len({tag, etag.of_list(b"[1]", {}), etag.of_list(b"[]", {"count": 1})}) == 3
    assert etag.of_list(b" " * (etag.MAX_LIST_BYTES + 1), {}) == ""


@pytest.mark.parametrize(
    ("header", "expected"),
    [(None, False), ("", False), ("*", True), (" * ", True), ('"7"', True), ('"6"', False), ('"6", "7"', True),
     ('W/"7"', True), ('"77"', False)],
)  # fmt: skip
def test_if_none_match_is_compared_with_the_tag(header: str | None, expected: bool) -> None:
    assert etag.matches({} if header is None else {"if-none-match": header}, '"7"') is expected


@pytest.mark.parametrize(
    ("header", "versions"),
    [(None, ""), ("", ""), ("*", ""), ('"7"', "7"), ('"7.a3a6bf43"', "7"), ('W/"7"', "7"), ('"7" , "8"', "7 8"),
     ('""', "-"), ("7", "7"), ('"7",', "7 -"), ('*, "7"', "* 7")],
)  # fmt: skip
def test_if_match_names_versions(header: str | None, versions: str) -> None:
    assert etag.if_match({} if header is None else {"if-match": header}) == versions


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"resource":[{"id":1,"name":"a"},{"id":2,"name":null}]}',
         "<resource><id>1</id><name>a</name></resource><resource><id>2</id><name/></resource>"),
        ('[{"id":1}]', "<resource><id>1</id></resource>"),
        ('{"resource":[]}', ""),
        ('{"id":1,"tags":["a","b"],"none":[]}', "<id>1</id><tags>a</tags><tags>b</tags>"),
        ('{"m":[[1,2],[3]]}', "<m><item>1</item><item>2</item></m><m><item>3</item></m>"),
        ('{"a":{"b":{"c":true}}}', "<a><b><c>true</c></b></a>"),
        ('{"a":1.10,"b":12345678901234567890.123,"c":-0.0,"d":""}',
         "<a>1.10</a><b>12345678901234567890.123</b><c>-0.0</c><d></d>"),
        ('{"t":"<a href=\\"x\\"> & ]]> \\r\\n\\u0001"}', '<t>&lt;a href="x"&gt; &amp; ]]&gt; &#13;\n\ufffd</t>'),
        ('{"a b":1,"1a":2,"-":3,"":4,"ä":5,"a:b":6,"_x0020_":7,"_xyz":8}',
         "<a_x0020_b>1</a_x0020_b><_x0031_a>2</_x0031_a><_x002D_>3</_x002D_><_x0000_>4</_x0000_><ä>5</ä>"
         "<a_x003A_b>6</a_x003A_b><_x005F_x0020_>7</_x005F_x0020_><_xyz>8</_xyz>"),
        ('{"</resource><x>":1}', "<_x003C__x002F_resource_x003E__x003C_x_x003E_>1"
         "</_x003C__x002F_resource_x003E__x003C_x_x003E_>"),
        ("5", "5"),
    ],
)  # fmt: skip
def test_json_becomes_xml(body: str, expected: str) -> None:
    text = xml.of_json(body.encode()).decode()
    assert text == f'<?xml version="1.0" encoding="UTF-8"?>\n<dfapi>{expected}</dfapi>'
    ElementTree.fromstring(text)


@pytest.mark.parametrize("code", [*range(256), 0x2028, 0x3000, 0xFFFE, 0x1F600])
def test_every_character_in_names_and_values_gives_well_formed_xml(code: int) -> None:
    for name in (chr(code), f"a{chr(code)}"):
        root = ElementTree.fromstring(f"<{xml.escaped_name(name)}/>")
        assert root.tag
    ElementTree.fromstring(xml.of_json(exact_json.dumps({"a": chr(code)})))


@pytest.mark.parametrize(
    ("accept", "query", "expected"),
    [
        ("application/xml", b"", True),
        ("text/xml;q=0.9, application/json", b"", False),
        ("application/json;q=0.1, text/xml;q=0.9", b"", True),
        ("application/json, application/xml", b"", False),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", b"", False),
        ("*/*", b"", False),
        ("*/*", b"format=xml", True),
        ("*/*", b"limit=5&format=xml&x", True),
        ("*/*", b"accept=xml", True),
        ("*/*", b"accept=application%2Fxml", True),
        ("*/*", b"filter=format%3Dxml", False),
        ("*/*", b"myformat=xml", False),
        ("*/*", b"format=xmlx", False),
    ],
)
def test_xml_is_requested_by_header_or_parameter(accept: str, query: bytes, expected: bool) -> None:
    assert xml.wanted(accept, query) is expected


def test_an_edited_file_is_never_served_from_its_compressed_original(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>page</p>")
    (tmp_path / "manifest.json").write_text('{"name": "built", "scope": "/"}')
    (tmp_path / "manifest.json.br").write_bytes(b"compressed before the edit")
    plain = Static(tmp_path, {})
    edited = Static(tmp_path, {}, {"/manifest.json": with_members({"name": "Acme"}), "/missing.json": with_members({})})

    replies = [static.respond("/manifest.json", {"accept-encoding": "br"}) for static in (plain, edited)]
    assert replies[0]
    assert replies[1]
    assert replies[0].headers["Content-Encoding"] == "br"
    assert "Content-Encoding" not in replies[1].headers
    assert json.loads(replies[1].body) == {"name": "Acme", "scope": "/"}
    assert replies[0].headers["ETag"] != replies[1].headers["ETag"]
    assert edited.respond("/missing.json", {}) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff"])
def test_content_other_than_a_json_object_is_unchanged(content: bytes) -> None:
    assert with_members({"name": "Acme"})(content) == content


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
