"""Read the credentials of a request from its headers."""

from __future__ import annotations

from collections.abc import Mapping


def app_key(headers: Mapping[str, str]) -> str:
    return headers.get("x-api-key") or headers.get("x-dreamfactory-api-key") or ""


def session_token(headers: Mapping[str, str]) -> str:
    """The session token of a request; `Authorization` wins over the session headers (table-api §2)."""
    bearer = headers.get("authorization", "")
    if bearer[:7].lower() == "bearer ":
        return bearer[7:].strip()
    return headers.get("x-session-token") or headers.get("x-dreamfactory-session-token") or ""
