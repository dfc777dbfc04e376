"""Entity tags, and how If-None-Match and If-Match use them."""

from __future__ import annotations

import pytest

from tableapi.http import etag


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
