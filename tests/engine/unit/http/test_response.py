"""Responses: the envelope of errors, downloads, and responses of scripts."""

from __future__ import annotations

import pytest
from starlette.responses import PlainTextResponse

from tableapi.errors import NotFound
from tableapi.http import response


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("people.csv", "people.csv"),
        ('a"b\r\nc/d.csv', "a_b_c_d.csv"),
        ("Größe.xlsx", "Gr__e.xlsx"),
        ("", "download"),
        ("x" * 200, "x" * 100),
    ],
)
def test_a_download_has_a_safe_file_name(name: str, expected: str) -> None:
    assert response.attachment(name) == {"Content-Disposition": f'attachment; filename="{expected}"'}


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
