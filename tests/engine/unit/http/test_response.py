"""Responses: the envelope of errors, downloads, and responses of scripts."""

from __future__ import annotations

import pytest
from starlette.responses import PlainTextResponse

from tableapi.errors import NotFound
from tableapi.http import response


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
