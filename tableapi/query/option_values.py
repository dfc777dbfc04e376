"""Convert the values of options, as text or JSON, to their types."""

from __future__ import annotations

import re
from typing import Any

import orjson

from tableapi import exact_json
from tableapi.errors import BadRequest
from tableapi.query import names
from tableapi.query.spelling import suggestion
from tableapi.schema.types import FALSE, TRUE

FORMATS = ("json", "csv", "xlsx", "xml", "ndjson")
MAX_CHARS = 8000  # per option, for those in a plan's key
MAX_IDS_CHARS = 50_000  # of a text, which is scanned on the event loop
MAX_NUMBER = 2**62
_INTEGER = re.compile(r"\s*+[+-]?\d{1,100}+\s*+\Z", re.ASCII)


def boolean(name: str, value: Any) -> bool:
    """Parse a boolean option.

    Raises:
        BadRequest: the value is not a boolean.
    """
    word = str(value).strip().lower()
    if word in TRUE:
        return True
    if word in FALSE or word == "":
        return False
    more = ", or estimated" if name == "include_count" else ""
    message = f"Option '{name[:100]}' must be true or false{more}."
    raise BadRequest(message, reason="bad_option", context={"option": name[:100]})


def integer(name: str, value: Any) -> int:
    """Parse an integer option.

    Raises:
        BadRequest: the value is not a whole number.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-MAX_NUMBER, min(value, MAX_NUMBER))
    if isinstance(value, str) and _INTEGER.match(value):
        return max(-MAX_NUMBER, min(int(value), MAX_NUMBER))
    raise BadRequest(f"Option '{name}' must be a whole number.", reason="bad_option", context={"option": name})


def check_length(name: str, value: str) -> None:
    """Reject a text that is too long for a plan's key. Raises BadRequest."""
    if len(value) > MAX_CHARS:
        raise BadRequest(
            f"Option '{name}' is longer than {MAX_CHARS} characters.", reason="bad_option", context={"option": name}
        )


def bound_text(name: str, value: Any) -> str:
    """Return the value of a text option; a list of texts becomes a comma-separated list."""
    if isinstance(value, str):
        if "\x00" in value:
            raise BadRequest(
                f"Option '{name}' contains a NUL character.", reason="bad_option", context={"option": name}
            )
        return value
    if isinstance(value, list) and name != "filter" and all(isinstance(v, str) for v in value):
        return ",".join(value)
    raise BadRequest(f"Option '{name}' must be a string.", reason="bad_option", context={"option": name})


def text(name: str, value: Any) -> str:
    """Return the value of a text option on which a plan depends."""
    result = value if type(value) is str and "\x00" not in value else bound_text(name, value)
    if len(result) > MAX_CHARS:
        check_length(name, result)
    return result


def returned(_name: str, value: Any) -> tuple[bool]:
    """Return whether option `return` asks for a response without records."""
    if (word := str(value).strip().lower()) not in ("minimal", "representation", ""):
        raise BadRequest(
            "Option 'return' must be minimal or representation.", reason="bad_option", context={"option": "return"}
        )
    return (word == "minimal",)


def params(_name: str, value: Any) -> dict[str, Any]:
    """Return the named values of option `params`, sent as an object or as its JSON."""
    if isinstance(value, str):
        try:
            value = exact_json.loads(value) if value.strip() else {}
        except orjson.JSONDecodeError:
            value = None
    if not isinstance(value, dict):
        raise BadRequest(
            'Option \'params\' must be a JSON object of named values, such as {"city": "Oslo"}.', reason="bad_option"
        )
    for name, item in value.items():
        if isinstance(item, dict) or (isinstance(item, list) and any(isinstance(v, dict | list) for v in item)):
            raise BadRequest(
                f"The named value '{name}' must be a single value or a list of values.", reason="bad_option"
            )
        if isinstance(item, list) and len(item) > 500:
            raise BadRequest(f"The named value '{name}' has more than 500 values.", reason="bad_option")
    return {name.removeprefix(":"): item for name, item in value.items()}


def ids(_name: str, value: Any) -> list[Any]:
    """Parse option `ids`, sent as a list, a single value or a comma-separated list."""
    if isinstance(value, str):
        if len(value) > MAX_IDS_CHARS:
            message = f"Option 'ids' is longer than {MAX_IDS_CHARS:,} characters. Send the identifiers as a list."
            raise BadRequest(message, reason="bad_option", context={"option": "ids"})
        return list(names.identifiers(value))
    if isinstance(value, list):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [value]
    raise BadRequest("Option 'ids' must be a list of identifiers.", reason="bad_option", context={"option": "ids"})


def at_least_zero(name: str, value: Any) -> int:
    """Return a whole number, 0 instead of a negative one."""
    return max(0, integer(name, value))


def going_on(name: str, value: Any) -> tuple[bool]:
    """Return whether a list goes on after a record that failed."""
    return (boolean(name, value),)


def accepted(name: str, value: Any) -> str:
    """Return option `accept`: a format, or a media type as in the header."""
    word = text(name, value)
    if (form := word.strip().lower()) and "/" not in form and form not in FORMATS:
        raise BadRequest(
            f"Option '{name}' must be one of {', '.join(FORMATS)}, or a media type.{suggestion(form, FORMATS)}",
            reason="bad_option",
            context={"option": name},
        )
    return word


def upsert(_name: str, value: Any) -> tuple[bool, bool, bool]:
    """Return whether an existing record is changed or left, is left, and is returned."""
    word = str(value).strip().lower()
    leaves = word in ("ignore", "get")
    if not leaves and word and word not in TRUE and word not in FALSE:
        message = "Option 'upsert' must be true, false, ignore or get."
        raise BadRequest(message, reason="bad_option", context={"option": "upsert"})
    return leaves or word in TRUE, leaves, word == "get"


def count(_name: str, value: Any) -> tuple[bool, bool]:
    """Return whether the records are counted, and whether the number may be an estimate."""
    estimated = str(value).strip().lower() == "estimated"
    return estimated or boolean("include_count", value), estimated


def numbers(_name: str, value: Any) -> tuple[bool]:
    """Return whether exact numbers are texts."""
    word = str(value).strip().lower()
    if word not in ("text", "json"):
        raise BadRequest("Option 'numbers' must be text or json.", reason="bad_option", context={"option": "numbers"})
    return (word == "text",)


def no_raw(_name: str, _value: Any) -> tuple[()]:
    """Reject option `raw` of requests that do not read one record."""
    message = "Option 'raw' applies only to reading one field of one record: GET _table/<table>/<id>?raw=<field>."
    raise BadRequest(message, reason="bad_option", context={"option": "raw"})


def handled(_name: str, _value: Any) -> tuple[()]:
    """Leave an option to the dispatch of requests."""
    return ()
