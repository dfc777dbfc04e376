"""Decoding of request bodies."""

from __future__ import annotations

from typing import Any

import pytest

from tableapi.errors import ApiError, BadRequest, TooLarge, UnsupportedMedia
from tableapi.http.body import parse_body, parse_object, records

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
