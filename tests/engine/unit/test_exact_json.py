"""Numbers of JSON keep their digits on the way in and out; everything else is decoded as by orjson."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest

from tableapi.exact_json import Number, dumps, loads, plain


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1", int),
        ("-9223372036854775808", int),
        ("18446744073709551615", int),
        ("18446744073709551616", Number),
        ("100000000000000000000000000000", Number),
        ("0.5", float),
        ("0.10", Number),
        ("1e3", Number),
        ("1E400", Number),
        ("-0.0", float),
        ("12345678901234567.8", Number),
    ],
)
def test_numbers_round_trip(text: str, kind: type) -> None:
    value = loads(f'{{"a":[{text}]}}')["a"][0]

    assert type(value) is kind
    assert str(value) == text
    assert dumps([value]) == f"[{text}]".encode()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"1.10"', "1.10"),
        ('"2024-01-31T09:00:00"', "2024-01-31T09:00:00"),
        ("[true, null, {}]", [True, None, {}]),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('"\\ud83d\\ude00"', "\U0001f600"),
    ],
)
def test_other_values_are_loaded_exactly(text: str, value: Any) -> None:
    assert loads(text) == loads(text.encode()) == value


@pytest.mark.parametrize(
    "text", ["", "{", "NaN", "Infinity", "[1e400, NaN]", "1e400 x", "01", "'a'", '"\\ud83d"', "[1e400,]", "[" * 2000]
)
def test_invalid_json_is_rejected(text: str) -> None:
    with pytest.raises(orjson.JSONDecodeError):
        loads(text)


def test_a_number_compares_as_a_float() -> None:
    assert Number("0.10") == 0.1
    assert Number("1e400") > 1e308


def test_values_without_a_json_form_are_rejected() -> None:
    assert orjson.dumps({"a": Number("0.10"), "b": complex(1)}, default=plain) == b'{"a":0.10,"b":"(1+0j)"}'
    with pytest.raises(TypeError):
        dumps({"a": complex(1)})


def _integer(text: str) -> int | Number:
    return Number(text) if text == "-0" or not -(2**63) <= int(text) < 2**64 else int(text)


def _float(text: str) -> float:
    return float(text) if repr(float(text)) == text and "e" not in text else Number(text)


_REFERENCE = json.JSONDecoder(parse_int=_integer, parse_float=_float)
_NUMBERS = ("0.1", "0.10", "-0", "-0.0", "0", "1e5", "1E5", "1.5e3", "1.0", "123456789012345678", "1234567890123456789",
            "-9223372036854775808", "-9223372036854775809", "18446744073709551616", "0.30000000000000004", "4.99",
            "100000000000000000000", "1e16", "1e400", "12345678901234567890.5")  # fmt: skip
_FORMS = ('{{"a":{},"b":4.99}}', '{{ "a": [{}, 1.5] }}', '{{"a":1,"a":{},"b":0.5,"c":"1e5"}}', '[{},"\\u00e9",-0.0]')


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("number", _NUMBERS)
def test_every_way_to_decode_gives_the_same_values(form: str, number: str) -> None:
    text = form.format(number)
    assert _typed(loads(text.encode())) == _typed(_REFERENCE.decode(text))


def _typed(value: object) -> object:
    if isinstance(value, dict):
        return {name: _typed(part) for name, part in value.items()}
    return [_typed(part) for part in value] if isinstance(value, list) else (type(value), str(value))
