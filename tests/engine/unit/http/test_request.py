"""Requests: their addresses, headers and bodies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from tableapi import is_public_address
from tableapi.config.networks import Networks
from tableapi.errors import ApiError, BadRequest, TooLarge, UnsupportedMedia
from tableapi.http.body import parse_body, parse_object, records
from tableapi.http.multipart import UploadedFile, uploaded_files
from tableapi.http.request import MAX_HEADER_BYTES, MAX_QUERY_BYTES, HttpRequest, effective_verb, no_request, unquoted
from tests.helpers.support import ROOT


def request(
    method: str = "GET", path: str = "/", headers: tuple[tuple[str, str], ...] = (), parts: tuple[bytes, ...] = (b"",),
    proxies: tuple[str, ...] = (), **scope: Any,
) -> HttpRequest:  # fmt: skip
    """Return a request with a body that arrives in `parts`; after them the client disconnects."""
    messages = [{"type": "http.request", "body": part, "more_body": n < len(parts)} for n, part in enumerate(parts, 1)]

    async def receive() -> Any:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    base = {"method": method, "path": unquoted(path), "raw_path": path.encode("latin-1"), "headers": pairs}
    return HttpRequest(base | {"client": ("10.0.0.9", 1)} | scope, receive, Networks(proxies))


@pytest.mark.parametrize(
    ("headers", "scope", "reason"),
    [
        ((("x-api-key", "a"), ("x-api-key", "b")), {}, "duplicate_header"),
        ((("x", "a" * (MAX_HEADER_BYTES + 1)),), {}, "header_too_long"),
        ((), {"query_string": b"a" * (MAX_QUERY_BYTES + 1)}, "query_too_long"),
    ],
)
def test_invalid_headers_are_rejected(headers: tuple[tuple[str, str], ...], scope: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadRequest) as refused:
        request(headers=headers, **scope).read()
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("headers", "request_id"),
    [((("x-request-id", "a-B_9"),), "a-B_9"), ((("x-request-id", "a b"),), ""), ((("x-request-id", "a" * 65),), "")],
)
def test_a_plain_request_id_is_accepted(headers: tuple[tuple[str, str], ...], request_id: str) -> None:
    sent = request(headers=headers)
    generated = sent.request_id
    sent.read()
    assert sent.request_id == (request_id or generated)


@pytest.mark.parametrize(
    ("forwarded", "proxies", "address"),
    [
        ("1.2.3.4", (), "10.0.0.9"),
        ("1.2.3.4", ("10.0.0.8",), "10.0.0.9"),
        ("1.2.3.4", ("10.0.0.9",), "1.2.3.4"),
        ("6.6.6.6, 1.2.3.4, 10.0.0.8", ("10.0.0.9", "10.0.0.8"), "1.2.3.4"),
        ("10.0.0.8", ("10.0.0.9", "10.0.0.8"), "10.0.0.9"),
        ("6.6.6.6, 1.2.3.4, ::ffff:10.0.0.8", ("10.0.0.0/24",), "1.2.3.4"),
        ("6.6.6.6, unknown", ("10.0.0.0/24",), "unknown"),
        ("1.2.3.4", ("0.0.0.0/0",), "10.0.0.9"),
        ("2001:db8::1, 10.0.0.8", ("10.0.0.0/24", "fd00::/8"), "2001:db8::1"),
    ],
)
def test_the_client_address_is_forwarded_only_by_trusted_proxies(
    forwarded: str, proxies: tuple[str, ...], address: str
) -> None:
    sent = request(headers=(("x-forwarded-for", forwarded),), proxies=proxies)
    sent.read()
    assert sent.ip == address


@pytest.mark.parametrize(
    ("path", "root", "read", "mount"),
    [
        ("/api/v2/x", "", "/api/v2/x", ""),
        ("/a%20b/c", "", "/a b/c", ""),
        ("/m%20n/api", "/m n", "/api", "/m%20n"),
        ("/data/x%2Fy", "/data", "/x/y", "/data"),
    ],
)
def test_paths_are_relative_to_the_mount(path: str, root: str, read: str, mount: str) -> None:
    sent = request(path=path, root_path=root)
    sent.read()
    assert (sent.path, sent.root_path) == (read, mount)


@pytest.mark.parametrize(("text", "reason"), [("/%ff", "bad_encoding"), ("/a%00", "bad_path")])
def test_invalid_paths_are_rejected(text: str, reason: str) -> None:
    with pytest.raises(BadRequest) as refused:
        unquoted(text)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("method", "headers", "query", "verb"),
    [
        ("GET", {}, {}, "GET"),
        ("HEAD", {}, {}, "GET"),
        ("MERGE", {}, {}, "PATCH"),
        ("GET", {"x-http-method": "DELETE"}, {"method": "DELETE"}, "GET"),  # only a POST may override the verb
        ("POST", {}, {}, "POST"),
        ("POST", {"x-http-method": "get"}, {}, "GET"),
        ("POST", {"x-http-method-override": " Merge "}, {}, "PATCH"),
        ("POST", {"x-method-override": "PUT"}, {"method": "DELETE"}, "PUT"),
        ("POST", {}, {"method": "DELETE"}, "DELETE"),
        ("POST", {}, {"_method": "patch"}, "PATCH"),
        ("POST", {"x-http-method": ""}, {"method": "DELETE"}, "POST"),
        ("TRACE", {}, {}, None),
        ("POST", {"x-http-method": "TRACE"}, {}, None),
    ],
)
def test_a_header_or_option_overrides_the_verb(
    method: str, headers: dict[str, str], query: Mapping[str, str], verb: str | None
) -> None:
    sent = request(method, headers=tuple(headers.items()))
    sent.read()
    if verb is not None:
        assert effective_verb(sent, query) == verb
        return
    with pytest.raises(ApiError) as refused:
        effective_verb(sent, query)
    assert refused.value.status == 405


@pytest.mark.parametrize("parts", [(b"",), (b"abc",), (b"a", b"b", b"c")])
async def test_a_body_is_read_whole_and_can_be_read_again(parts: tuple[bytes, ...]) -> None:
    sent = request("POST", parts=parts)
    assert await sent.peek_body(3) == b"".join(parts)
    assert await sent.body(3) == b"".join(parts)
    assert not sent.unread


@pytest.mark.parametrize("length", ["3", "5", "", "x", "\u0663", "\u00b3"])  # Arabic and superscript three
async def test_a_body_ends_at_its_length_or_with_the_last_part(length: str) -> None:
    sent = request("POST", parts=(b"abc", b""))
    sent.headers["content-length"] = length
    assert await sent.body(9) == b"abc"
    assert not sent.unread
    # The last part is read only if the body could go on.
    assert (await sent.receive())["type"] == ("http.request" if length in ("3", "\u0663") else "http.disconnect")


@pytest.mark.parametrize(
    ("headers", "parts"), [((("content-length", "4"),), (b"abcd",)), ((), (b"abcd",)), ((), (b"ab", b"cd"))]
)
async def test_a_body_that_is_too_large(headers: tuple[tuple[str, str], ...], parts: tuple[bytes, ...]) -> None:
    sent = request("POST", headers=headers, parts=parts)
    sent.read()
    with pytest.raises(TooLarge) as refused:
        await sent.body(3)
    assert refused.value.headers == {"Connection": "close"}


async def test_a_body_that_ends_early() -> None:
    sent = request("POST")
    sent.source = request("POST", parts=()).source
    with pytest.raises(BadRequest) as refused:
        await sent.body(3)
    assert refused.value.reason == "no_body"


FORKING = """
import os
from tableapi.http.request import new_request_id
new_request_id()
if child := os.fork():
    os.waitpid(child, 0)
print(*[new_request_id() for _ in range(10_000)], flush=True)
"""


def test_request_ids_differ_within_a_process_and_between_forks() -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    told = subprocess.run([sys.executable, "-c", FORKING], env=environment, capture_output=True, text=True, check=True)
    of_child, of_parent = map(str.split, told.stdout.splitlines())
    assert len({*of_child, *of_parent}) == 20_000
    assert of_child[0][:10] != of_parent[0][:10]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1",
        "255.255.255.255", "168.63.129.16", "192.0.0.192", "::", "::1", "fe80::1%eth0", "fc00::1", "ff02::1",
        "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::1",
        "not an address", "",
    ],
)  # fmt: skip
def test_internal_addresses_are_not_public(address: str) -> None:
    assert not is_public_address(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700:4700::1111", "64:ff9b::808:808"])
def test_public_addresses_are_recognised(address: str) -> None:
    assert is_public_address(address)


JSON = "application/json"


@pytest.mark.parametrize(
    ("content_type", "raw", "value"),
    [
        (JSON, b"", None),
        (JSON, b" \n", None),
        (JSON, b'{"a": [1]}', {"a": [1]}),
        ("", b"[]", []),
        ("text/plain; charset=utf-8", b"1", 1),
        ("application/merge-patch+json", b"{}", {}),
        ("text/csv", b"a, b\n1,\n\n", [{"a": "1", "b": None}]),
        ("application/csv", b'\xef\xbb\xbfa\n"x\ny"\n', [{"a": "x\ny"}]),
        ("text/csv", b"a,b\n1,2,\n3\n", [{"a": "1", "b": "2"}, {"a": "3"}]),
    ],
)
def test_bodies_of_table_requests_are_parsed(content_type: str, raw: bytes, value: Any) -> None:
    assert parse_body(content_type, raw) == value


@pytest.mark.parametrize(
    ("content_type", "raw", "status", "reason"),
    [
        (JSON, b"{", 400, "bad_json"),
        (JSON, b"x" * 11, 413, "too_large"),
        ("application/xml", b"<a/>", 415, "unsupported_media_type"),
        ("text/csv", b"\xff", 400, "bad_encoding"),
        ("text/csv", b"a\n\0", 400, "bad_csv"),
        ("text/csv", b'a\n"', 400, "bad_csv"),
        ("text/csv", b"a\nDoe,J\n", 400, "bad_csv"),
        ("text/csv", b"a,a\n1,2", 400, "duplicate_field"),
    ],
)
def test_invalid_bodies_are_rejected(content_type: str, raw: bytes, status: int, reason: str) -> None:
    with pytest.raises(ApiError) as refused:
        parse_body(content_type, raw, 10)
    assert (refused.value.status, refused.value.reason) == (status, reason)


def test_only_valid_json_objects_are_accepted() -> None:
    assert parse_object("", b"") == {}
    assert parse_object("application/json; charset=utf-8", b'{"a": 1}') == {"a": 1}
    assert parse_object("application/json", b'{"a": "\\\\u0000"}') == {"a": "\\u0000"}
    with pytest.raises(UnsupportedMedia):
        parse_object("application/x-www-form-urlencoded", b"a=1")
    for bad in (b"{", b"[1]", b"\xff", b'{"a": ["\\u0000"]}', b'{"\\u0000": 1}'):
        with pytest.raises(BadRequest):
            parse_object("application/json", bad)


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ({"resource": [{"a": 1}]}, [{"a": 1}]),
        ({"resource": {"a": 1}}, [{"a": 1}]),
        ([{"a": 1}], [{"a": 1}]),
        ({"resource": []}, None),
        ({}, None),
        (None, None),
    ],
)
def test_records_are_read_from_any_body_shape(body: Any, rows: Any) -> None:
    assert records(body, 1) == rows


def test_invalid_records_are_rejected() -> None:
    with pytest.raises(BadRequest):
        records({"resource": [1]}, 1)
    with pytest.raises(TooLarge):
        records([{}, {}], 1)


TYPE = "multipart/form-data; boundary=b"


def part(name: str, content: str, file: str | None = None) -> bytes:
    """Return one part of a body; with `file` it is a file of that name."""
    named = f'; filename="{file}"' if file is not None else ""
    return f'--b\r\nContent-Disposition: form-data; name="{name}"{named}\r\n\r\n{content}\r\n'.encode()


END = b"--b--\r\n"


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        (part("files", "x", "a.csv") + END, [UploadedFile("a.csv", b"x")]),
        (part("note", "n") + part("files", "x", "a.csv") + END, [UploadedFile("a.csv", b"x")]),
        (part("files", "x", "../../etc/a.csv") + END, [UploadedFile("a.csv", b"x")]),
        (part("files", "x", "C:\\dir\\a.csv") + END, [UploadedFile("a.csv", b"x")]),
        (part("files", "x", "a\x1b.csv") + END, [UploadedFile("a.csv", b"x")]),
        (part("files", "x", "a" * 300) + END, [UploadedFile("a" * 200, b"x")]),
        (part("files", "", "a") + END, [UploadedFile("a", b"")]),
        (part("files", "x", "a") + part("files", "y", "b") + END, [UploadedFile("a", b"x"), UploadedFile("b", b"y")]),
    ],
)
async def test_uploaded_files_are_parsed(body: bytes, sent: list[UploadedFile]) -> None:
    request = no_request()
    request.headers["content-type"] = TYPE
    assert await uploaded_files(request, body, most=2) == sent


@pytest.mark.parametrize(
    ("content_type", "body", "status", "reason"),
    [
        ("", b"", 415, "unsupported_media_type"),
        ("application/json", b"{}", 415, "unsupported_media_type"),
        (TYPE, END, 400, "no_file"),
        (TYPE, part("files", "text") + END, 400, "no_file"),
        (TYPE, part("other", "x", "a") + END, 400, "no_file"),
        (TYPE, part("files", "x", "a") + part("files", "x", "b") + END, 400, "no_file"),
        (TYPE, b"--c\r\n\r\nx", 400, "bad_multipart"),
        ("multipart/form-data", part("files", "x", "a") + END, 400, "bad_multipart"),
        (TYPE, b"".join(part(f"f{n}", "x") for n in range(21)) + END, 400, "bad_multipart"),
    ],
)
async def test_invalid_uploads_are_rejected(content_type: str, body: bytes, status: int, reason: str) -> None:
    request = no_request()
    request.headers["content-type"] = content_type
    with pytest.raises(ApiError) as refused:
        await uploaded_files(request, body)
    assert (refused.value.status, refused.value.reason) == (status, reason)
