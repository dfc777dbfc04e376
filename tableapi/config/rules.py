"""The rules of pydantic in plain words: for settings, the access file and the input of scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# By the type of the error.
WORDS = (
    dict.fromkeys(("int_parsing", "int_type", "int_from_float", "int_parsing_size"), "must be a whole number")
    | dict.fromkeys(("float_parsing", "float_type", "decimal_parsing", "decimal_type"), "must be a number")
    | dict.fromkeys(("bool_parsing", "bool_type"), "must be true or false")
    | dict.fromkeys(("date_parsing", "date_type", "date_from_datetime_parsing"), "must be a date such as 2026-01-31")
    | dict.fromkeys(("datetime_parsing", "datetime_type", "datetime_from_date_parsing"), "must be a date and time")
    | {"string_type": "must be text", "list_type": "must be a list", "extra_forbidden": "unknown field"}
)
_OF_FILES = (
    dict.fromkeys(("tuple_type", "frozen_set_type"), "must be a list [...]")
    | dict.fromkeys(("dict_type", "model_type"), "must be an object {...}")
    | {"missing": "is missing"}
)


def described(error: Mapping[str, Any]) -> str:
    """Return the rule that a value broke: `must be a whole number`. error: one of pydantic's."""
    if error["type"] == "literal_error":
        return f"must be {error['ctx']['expected']}"
    return WORDS.get(error["type"]) or _OF_FILES.get(error["type"]) or error["msg"].removeprefix("Value error, ")
