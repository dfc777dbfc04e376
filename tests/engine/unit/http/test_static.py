"""Files of a built front end, and edits of their content."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tableapi.http.static import Static, with_members


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
