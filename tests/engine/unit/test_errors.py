"""Errors, logged lines, exact numbers in JSON, and threads."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest

from tableapi import threads
from tableapi.errors import (
    ApiError,
    BadFilter,
    Busy,
    Conflict,
    DuplicateField,
    FieldError,
    Internal,
    Invalid,
    NotFound,
    Stale,
    TooLarge,
    TooMany,
    Unauthorized,
    UnknownField,
)
from tableapi.exact_json import Number, dumps, loads, plain
from tableapi.log import emit_with, get_logger


@pytest.mark.parametrize(
    ("error", "status", "reason", "scope", "message"),
    [
        (ApiError(), 400, "bad_request", "resource", "Bad request."),
        (ApiError("No.", status=402, reason="no_credit"), 402, "no_credit", "resource", "No."),
        (BadFilter("A value is missing", 4), 400, "bad_filter", "resource",
         "A value is missing (at position 4 of the filter)"),
        (UnknownField("x" * 200, "t"), 400, "unknown_field", "resource", f"Table 't' has no field '{'x' * 100}'."),
        (DuplicateField("A"), 400, "duplicate_field", "resource", "Field 'A' is in the record twice. Send it once."),
        (Unauthorized(), 401, "no_session", "account", "No session."),
        (Unauthorized("Send a key.", reason="no_key"), 401, "no_key", "account", "Send a key."),
        (NotFound(), 404, "not_found", "resource", "Not found."),
        (Conflict("Taken.", scope="account"), 409, "conflict", "account", "Taken."),
        (Stale(), 412, "stale", "resource", "Stale."),
        (TooLarge.of(1 << 20), 413, "too_large", "resource", "The body is larger than 1 MB."),
        (TooLarge.of(2500), 413, "too_large", "resource", "The body is larger than 2,500 bytes."),
        (Invalid({"email": "Enter an address."}), 422, "invalid", "resource", "Enter an address."),
        (Invalid({}), 422, "invalid", "resource", "Invalid input."),
        (TooMany(), 429, "rate_limit", "resource", "Rate limit."),
    ],
)  # fmt: skip
def test_errors_become_envelopes(error: ApiError, status: int, reason: str, scope: str, message: str) -> None:
    assert (error.status, error.reason, error.scope, error.message) == (status, reason, scope, message)
    body = error.body("r1")
    assert (body["code"], body["status_code"], body["message"]) == (status, status, message)
    assert body["context"].items() >= {
        "reason": reason, "scope": scope, "request_id": "r1", "doc": f"/docs/reference/errors/#{reason}",
    }.items()  # fmt: skip


def test_the_case_distinguishes_messages_of_one_reason() -> None:
    error = NotFound("There is no such job.", case="no_such_job")
    assert error.body()["context"] == {"reason": "not_found", "case": "no_such_job", "scope": "resource"}
    assert "case" not in NotFound().body()["context"]


def test_the_case_of_a_field_becomes_that_of_the_error() -> None:
    long = FieldError("too_long", "At most 9 signs", {"limit": 9})
    error = Invalid({"name": long, "note": "Must be text"})
    assert (error.message, error.case, error.context["limit"]) == ("At most 9 signs", "too_long", 9)
    assert error.context["fields"] == {"name": "At most 9 signs", "note": "Must be text"}
    assert error.context["field_errors"] == {"name": {"case": "too_long", "limit": 9}}


def test_the_case_of_the_error_overrides_that_of_a_field() -> None:
    error = Invalid({"name": FieldError("too_long", "At most 9 signs", {"limit": 9})}, "It does not fit.", case="unfit")
    assert (error.message, error.case) == ("It does not fit.", "unfit")
    assert error.context == {
        "fields": {"name": "At most 9 signs"}, "field_errors": {"name": {"case": "too_long", "limit": 9}},
    }  # fmt: skip


def test_an_instance_does_not_change_its_class() -> None:
    assert ApiError("x", status=418, reason="teapot", scope="account").reason == "teapot"
    assert (ApiError.status, ApiError.reason, ApiError.scope) == (400, "bad_request", "resource")


def test_an_error_inside_a_batch_has_no_request() -> None:
    assert NotFound(context={"id": 7}).body()["context"] == {"reason": "not_found", "scope": "resource", "id": 7}


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        (Busy(), True),
        (Internal(), True),
        (TooMany(), True),
        (Unauthorized(), True),
        (NotFound(reason="schema_changed"), True),
        (NotFound(), False),
        (Conflict(), False),
        (ApiError(code=1000), False),
    ],
)
def test_only_temporary_errors_are_retryable(error: Any, retryable: bool) -> None:
    assert error.retryable is retryable


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


def test_lines_go_to_the_standard_library(caplog: pytest.LogCaptureFixture) -> None:
    emit_with(None)
    caplog.set_level(logging.INFO, "tableapi.x")
    log = get_logger("tableapi.x")
    log.debug("not this")
    log.info("opened", rows=3, name="a")
    try:
        raise ValueError("broken")
    except ValueError:
        log.error("failed", exc_info=True)

    assert caplog.record_tuples == [
        ("tableapi.x", logging.INFO, "opened rows=3 name=a"),
        ("tableapi.x", logging.ERROR, "failed"),
    ]
    assert "ValueError: broken" in caplog.text


def test_lines_can_be_sent_elsewhere() -> None:
    lines: list[tuple[str, str, str, dict[str, object]]] = []
    emit_with(lambda *line: lines.append(line))
    try:
        get_logger("tableapi.x").warning("late", seconds=2)
    finally:
        emit_with(None)

    assert lines == [("warning", "tableapi.x", "late", {"seconds": 2})]


@pytest.fixture
async def usual(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[float]:
    usual = sys.getswitchinterval()
    monkeypatch.setattr(threads._Threads, "usual", None)
    threads.switch_sooner()
    yield usual
    sys.setswitchinterval(usual)


async def test_the_switch_interval_is_short_while_a_thread_computes(usual: float) -> None:
    inside = [
        await threads.plan(sys.getswitchinterval),
        await threads.body(threads.MIN_BYTES, sys.getswitchinterval),
        await asyncio.to_thread(sys.getswitchinterval),
    ]
    assert inside == [pytest.approx(threads.SWITCH_SECONDS)] * 3
    assert sys.getswitchinterval() == usual


async def test_an_error_of_a_thread_restores_the_switch_interval(usual: float) -> None:
    with pytest.raises(ZeroDivisionError):
        await threads.plan(lambda: 1 // 0)
    assert sys.getswitchinterval() == usual


async def test_a_host_program_keeps_its_switch_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads._Threads, "usual", None)
    assert await threads.plan(sys.getswitchinterval) == sys.getswitchinterval()
