"""Card numbers have no business here: whoever sends one is refused before anything else looks at the request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tableapi.errors import BadRequest

_NO_DIGIT = re.compile(r"\D")
_DIGITS = re.compile(r"(?<!\d)\d(?:[ -]?\d){11,18}(?!\d)")


class CardNumber(BadRequest):
    """The request holds what looks like a card number."""

    reason = "card_number"


def refuse(value: Any) -> None:
    """400 when there is a card number anywhere in the value."""
    if _holds_one(value):
        raise CardNumber("Never send card numbers here: use the card form, which gives a token.")


def _holds_one(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_one(key) or _holds_one(one) for key, one in value.items())
    if isinstance(value, list):
        return any(map(_holds_one, value))
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return False
    return any(_luhn(_NO_DIGIT.sub("", found)) for found in _DIGITS.findall(str(value)))


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
        total += number - 9 if number > 9 else number
    return 12 <= len(digits) <= 19 and total % 10 == 0
