"""The envelope of lists."""

from __future__ import annotations

import pytest

from tableapi.tables.render import listed


@pytest.mark.parametrize(
    ("array", "meta", "wrap", "expected"),
    [
        (b"[1]", None, True, b'{"resource":[1]}'),
        (b"[1]", None, False, b"[1]"),
        (None, None, True, b'{"resource":[]}'),
        (None, None, False, b"[]"),
        (b"[1]", b'{"count":1}', True, b'{"resource":[1],"meta":{"count":1}}'),
        (b"[1]", b'{"count":1}', False, b'{"resource":[1],"meta":{"count":1}}'),
    ],
)
def test_a_list_gets_its_envelope(array: bytes | None, meta: bytes | None, wrap: bool, expected: bytes) -> None:
    assert listed(array, meta, wrap=wrap) == expected
