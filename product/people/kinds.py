"""The kinds of contact data, as calls take them, and the words that callers use for them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

_MEANT = (
    dict.fromkeys(("phone", "cell", "mobile", "telephone", "number"), ("phone numbers", "directdial"))
    | dict.fromkeys(("email", "mail", "work", "workemail", "business"), ("work addresses", "businessemail"))
    | dict.fromkeys(("personal", "private", "privateemail", "secondary"), ("personal addresses", "personalemail"))
)


def _explained(end: str) -> BeforeValidator:
    """Return a validator that says which kind another word for it means. end: "s" where kinds are plural."""
    names = [f"{name}{end}" for name in ("directdial", "businessemail", "personalemail")]
    listed = f"'{names[0]}', '{names[1]}' or '{names[2]}'"

    def checked(value: object) -> object:
        word = "".join(filter(str.isalpha, value[:30].lower())) if isinstance(value, str) else ""
        meant = _MEANT.get(word) or _MEANT.get(word.removesuffix("s")) or _MEANT.get(word.removesuffix("number"))
        if meant is None:
            return value
        expected = f"{listed}. For {meant[0]} send '{meant[1]}{end}'"
        raise PydanticCustomError("literal_error", "Must be {expected}", {"expected": expected})

    return BeforeValidator(checked)


Kind = Annotated[Literal["directdial", "businessemail", "personalemail"], _explained("")]
KeyKind = Annotated[Literal["personalemails", "businessemails", "directdials"], _explained("s")]
