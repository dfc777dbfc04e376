"""Stripe's form encoding, and the check that every name in a request exists in the official client's own types.

In: `items[0][price]=p` pairs. Out: nested values, or StripeRefused with the unknown parameter's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import stripe

# What the client's types hold beside parameters: options of the call itself.
_OPTIONS = frozenset(
    ("api_key", "content_type", "headers", "idempotency_key", "max_network_retries", "stripe_account",
     "stripe_context", "stripe_version")
)  # fmt: skip
_KEY = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_PART = re.compile(r"\[([^\[\]]*)\]")
_TYPE = re.compile(r"\b[A-Z]\w*Params\w*\b")


class StripeRefused(Exception):
    """An error answer of Stripe. `keep`: what was done before it stays done (a declined payment leaves its trace)."""

    def __init__(
        self, status: int, kind: str, message: str, *, code: str = "", param: str = "", keep: bool = False, **more: Any
    ) -> None:
        super().__init__(message)
        self.status, self.keep = status, keep
        self.error: dict[str, Any] = {"type": kind, "message": message} | more
        if code:
            self.error["code"] = code
        if param:
            self.error["param"] = param


def invalid(message: str, param: str = "", code: str = "", status: int = 400) -> StripeRefused:
    """The refusal of a request that makes no sense."""
    return StripeRefused(status, "invalid_request_error", message, code=code, param=param)


def missing(kind: str, ident: str, param: str = "id") -> StripeRefused:
    return invalid(f"No such {kind}: '{ident}'", param, "resource_missing", 404)


def parse(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Pairs -> nested dicts; dicts whose keys count from 0 become lists."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        match = _KEY.fullmatch(name)
        if match is None:
            raise invalid(f"Received unknown parameter: {name[:100]}", name[:100], "parameter_unknown")
        path = [match[1], *_PART.findall(match[2])]
        here = found
        for part in path[:-1]:
            inner = here.setdefault(part, {})
            if not isinstance(inner, dict):
                raise invalid(f"Invalid parameter: {name[:100]}", name[:100])
            here = inner
        key = path[-1] or str(len(here))
        here[key] = value
    return {name: _listed(value) for name, value in found.items()}


def _listed(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    inner = {name: _listed(one) for name, one in value.items()}
    if inner and all(name.isdigit() for name in inner):
        return [inner[name] for name in sorted(inner, key=int)]
    return inner


@cache
def _annotations(kind: str) -> Mapping[str, Any]:
    """The parameters of one of the client's types, e.g. `SubscriptionUpdateParams` or `checkout.SessionCreateParams`."""
    module: Any = stripe.params
    *inner, name = kind.split(".")
    for part in inner:
        module = getattr(module, part)
    found: Mapping[str, Any] = getattr(module, name).__annotations__
    return found


def check(data: Mapping[str, Any], kind: str, *, at: str = "") -> None:
    """Refuse a parameter that the official client does not know, at any depth."""
    known = _annotations(kind)
    for name, value in data.items():
        where = f"{at}[{name}]" if at else name
        if name not in known or (not at and name in _OPTIONS):
            raise invalid(f"Received unknown parameter: {where}", where, "parameter_unknown")
        inner = _inner(kind, repr(known[name]))
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict) and inner:
                check(one, inner, at=where)


def _inner(kind: str, annotation: str) -> str:
    """The type of a nested parameter; "" where any name goes (metadata)."""
    if "Dict[" in annotation or not (found := _TYPE.search(annotation)):
        return ""
    prefix = kind.rpartition(".")[0]
    return f"{prefix}.{found[0]}" if prefix else found[0]


def whole(data: Mapping[str, Any], name: str, default: int | None = None) -> int | None:
    """An integer parameter."""
    value = data.get(name)
    if value in (None, ""):
        return default
    try:
        return int(str(value))
    except ValueError:
        raise invalid(f"Invalid integer: {value}", name) from None


def flag(data: Mapping[str, Any], name: str) -> bool | None:
    """A boolean parameter."""
    value = data.get(name)
    if value is None:
        return None
    if value not in ("true", "false"):
        raise invalid(f"Invalid boolean: {value}", name)
    return bool(value == "true")


def needed(data: Mapping[str, Any], name: str) -> Any:
    """A parameter that must be there."""
    if data.get(name) in (None, ""):
        raise invalid(f"Missing required param: {name}.", name, "parameter_missing")
    return data[name]
