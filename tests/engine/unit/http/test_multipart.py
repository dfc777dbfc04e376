"""Files of multipart bodies."""

from __future__ import annotations

import pytest

from tableapi.errors import ApiError
from tableapi.http.multipart import UploadedFile, uploaded_files
from tableapi.http.request import no_request

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
