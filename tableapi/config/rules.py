"""The rules of pydantic in plain words: for settings, the access file and the input of scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TIME = "2026-01-31T12:00:00Z"
# By the type of the error.
WORDS = (
    dict.fromkeys(("int_parsing", "int_type", "int_from_float", "int_parsing_size"), "must be a whole number")
    | dict.fromkeys(("float_parsing", "float_type", "decimal_parsing", "decimal_type"), "must be a number")
    | dict.fromkeys(("bool_parsing", "bool_type"), "must be true or false")
    | dict.fromkeys(("date_parsing", "date_type", "date_from_datetime_parsing"), "must be a date such as 2026-01-31")
    | dict.fromkeys(
        ("datetime_parsing", "datetime_type", "datetime_from_date_parsing"), f"must be a date and time such as {_TIME}"
    )
    | {"timezone_aware": f"must have a time zone, such as {_TIME}"}
    | dict.fromkeys(("dict_type", "model_type"), "must be an object")
    | {"string_type": "must be text", "list_type": "must be a list", "extra_forbidden": "unknown field"}
    | {"too_short": "must have at least {min_length}; you sent {actual_length}"}
    | {"too_long": "must have at most {max_length}; you sent {actual_length}"}
    | {"missing": "missing", "base64_decode": "must be Base64"}
    | {"literal_error": "must be {expected}"}
    | {"greater_than_equal": "must be at least {ge}", "less_than_equal": "must be at most {le}"}
    | {
        "string_too_short": "must have a length of at least {min_length}",
        "string_too_long": "must have a length of at most {max_length}",
    }
)
_NOT_EMPTY = {("string_too_short", 1): "must not be empty"}
_OF_FILES = (
    dict.fromkeys(("tuple_type", "frozen_set_type"), "must be a list [...]")
    | dict.fromkeys(("dict_type", "model_type"), "must be an object {...}")
    | {"missing": "is missing"}
)


def plain(error: Mapping[str, Any]) -> str:
    """Return the rule that a value broke, in words. error: one of pydantic's."""
    words = _NOT_EMPTY.get((error["type"], error.get("ctx", {}).get("min_length"))) or WORDS.get(error["type"])
    return words.format(**error.get("ctx", {})) if words else str(error["msg"]).removeprefix("Value error, ")


def described(error: Mapping[str, Any]) -> str:
    """Return the rule that a value in a file or a setting broke: `must be a whole number`."""
    return _OF_FILES.get(error["type"]) or plain(error)
