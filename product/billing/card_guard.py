"""Reject requests that contain a card number before any part of them is processed or logged."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tableapi import BadRequest

_NO_DIGIT = re.compile(r"\D")
_DIGITS = re.compile(r"(?<!\d)\d(?:[ -]?\d){11,18}(?!\d)")


def reject(value: object) -> None:
    """Raise BadRequest (400) if the JSON value contains a card number at any depth."""
    if _contains_card(value):
        raise BadRequest(
            "Do not send card numbers here. Use the card form, which returns a token.", reason="card_number"
        )


def _contains_card(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(_contains_card(key) or _contains_card(item) for key, item in value.items())
    if isinstance(value, list):
        return any(map(_contains_card, value))
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return False
    return any(_luhn(_NO_DIGIT.sub("", match)) for match in _DIGITS.findall(str(value)))


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
        total += number - 9 if number > 9 else number
    return 12 <= len(digits) <= 19 and total % 10 == 0
