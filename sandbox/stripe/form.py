"""Parse Stripe's form encoding, and check parameter names against the client's types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import stripe

# Fields of the client's parameter types that are options of the call, not parameters.
_OPTIONS = frozenset(
    ("api_key", "content_type", "headers", "idempotency_key", "max_network_retries", "stripe_account",
     "stripe_context", "stripe_version")
)  # fmt: skip
_KEY = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_PART = re.compile(r"\[([^\[\]]*)\]")
_LITERAL, _NAMED = re.compile(r"Literal\[([^\]]*)\]"), re.compile(r"'(\w*)'")
_TYPE = re.compile(r"\b[A-Z]\w*Params\w*\b")


class StripeRefused(Exception):
    """An error response of Stripe.

    With `keep` the transaction is committed, so a declined payment stays recorded.
    """

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
    """Return the error for an invalid request."""
    return StripeRefused(status, "invalid_request_error", message, code=code, param=param)


def missing(kind: str, ident: str, param: str = "id") -> StripeRefused:
    return invalid(f"No such {kind}: '{ident}'", param, "resource_missing", 404)


def parse(pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Convert pairs to nested dicts; dicts with the keys 0, 1, ... become lists."""
    parsed: dict[str, Any] = {}
    for name, value in pairs:
        match = _KEY.fullmatch(name)
        if match is None:
            raise invalid(f"Received unknown parameter: {name[:100]}", name[:100], "parameter_unknown")
        path = [match[1], *_PART.findall(match[2])]
        target = parsed
        for part in path[:-1]:
            inner = target.setdefault(part, {})
            if not isinstance(inner, dict):
                raise invalid(f"Invalid parameter: {name[:100]}", name[:100])
            target = inner
        key = path[-1] or str(len(target))
        target[key] = value
    return {name: _listed(value) for name, value in parsed.items()}


def _listed(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    inner = {name: _listed(item) for name, item in value.items()}
    if inner and all(name.isdigit() for name in inner):
        return [inner[name] for name in sorted(inner, key=int)]
    return inner


@cache
def _annotations(kind: str) -> Mapping[str, Any]:
    """Return the fields of a parameter type, e.g.

    `SubscriptionUpdateParams` or `checkout.SessionCreateParams`.
    """
    module: Any = stripe.params
    *inner, name = kind.split(".")
    for part in inner:
        module = getattr(module, part)
    annotations: Mapping[str, Any] = getattr(module, name).__annotations__
    return annotations


def check(data: Mapping[str, Any], kind: str, *, at: str = "") -> None:
    """Raise StripeRefused for a parameter or value, at any depth, that the client's types exclude."""
    known = _annotations(kind)
    for name, value in data.items():
        param = f"{at}[{name}]" if at else name
        if name not in known or (not at and name in _OPTIONS):
            raise invalid(f"Received unknown parameter: {param}", param, "parameter_unknown")
        annotation = repr(known[name])
        inner = _inner(kind, annotation)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) and inner:
                check(item, inner, at=param)
            elif isinstance(item, str):
                _check_value(item, annotation, param)


def _check_value(value: str, annotation: str, param: str) -> None:
    """Raise StripeRefused for a value that is none of the named ones, or not a number where one is needed.

    The client's types permit other texts, too, so that they outlive new values of the API.
    """
    named = set(_NAMED.findall(" ".join(_LITERAL.findall(annotation))))
    if value in named:
        return
    if annotation.endswith("[bool]") and value not in ("true", "false"):
        raise invalid(f"Invalid boolean: {value}", param)
    if re.search(r"\bint\b", annotation) and (named or not re.search(r"\bstr\b", annotation)):
        if not re.fullmatch(r"-?[0-9]+", value):
            raise invalid(f"Invalid integer: {value}", param, "parameter_invalid_integer")
    elif _TYPE.search(annotation) and not re.search(r"\bstr\b", annotation):
        raise invalid("Invalid object", param)
    elif named - {""} and not re.search(r"\b(float|Dict|List)\b", annotation):
        raise invalid(f"Invalid {param}: must be one of {', '.join(sorted(named - {''}))}", param)


def _inner(kind: str, annotation: str) -> str:
    """Return the type of a nested parameter; empty if any name is allowed (metadata)."""
    if "Dict[" in annotation or not (match := _TYPE.search(annotation)):
        return ""
    prefix = kind.rpartition(".")[0]
    return f"{prefix}.{match[0]}" if prefix else match[0]


def whole(data: Mapping[str, Any], name: str, default: int | None = None) -> int | None:
    """Return an integer parameter."""
    value = data.get(name)
    if value in (None, ""):
        return default
    try:
        return int(str(value))
    except ValueError:
        raise invalid(f"Invalid integer: {value}", name) from None


def flag(data: Mapping[str, Any], name: str) -> bool | None:
    """Return a boolean parameter."""
    value = data.get(name)
    if value is None:
        return None
    if value not in ("true", "false"):
        raise invalid(f"Invalid boolean: {value}", name)
    return bool(value == "true")


def needed(data: Mapping[str, Any], name: str) -> Any:
    """Return a required parameter."""
    if data.get(name) in (None, ""):
        raise invalid(f"Missing required param: {name}.", name, "parameter_missing")
    return data[name]
