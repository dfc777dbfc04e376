"""Refusals of fields that may not be written. One that says whose a record is, as `clientid`, and names somebody else
than the session, is an attempt at another account (safe-contract G4): it has a reason of its own, and is kept for the
audit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tableapi.errors import Forbidden
from tableapi.reading import Call


def refused(call: Call, fields: Mapping[str, Any]) -> Forbidden:
    """The refusal of these fields, with the values that were sent."""
    crossed = [name for name in fields if name in call.dataset.identity and differs(call, name, fields[name])]
    if crossed:
        return mismatch(call, crossed[0], fields[crossed[0]])
    names = ", ".join(fields)
    return Forbidden(f"You cannot change: {names}.", reason="field_not_writable", context={"field": names})


def differs(call: Call, name: str, value: Any) -> bool:
    """Whether a value is another than the session's."""
    return str(value) != str(call.actor.values.get(name))


def mismatch(call: Call, name: str, value: Any) -> Forbidden:
    """The refusal of a field that names another account. Kept once per request and field."""
    call.crossed[name] = value
    return Forbidden(f"Field '{name}' is not yours to choose.", reason="tenant_mismatch")
