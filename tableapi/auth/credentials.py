"""Read the credentials of a request from its headers."""

from __future__ import annotations

from collections.abc import Mapping


def app_key(headers: Mapping[str, str]) -> str:
    """Return the application key, or ""."""
    return headers.get("x-api-key") or headers.get("x-dreamfactory-api-key") or ""


def session_token(headers: Mapping[str, str]) -> str:
    """Return the session token, or "".

    `Authorization` takes precedence over the session headers.
    """
    bearer = headers.get("authorization", "")
    if bearer[:7].lower() == "bearer ":
        return bearer[7:].strip()
    return headers.get("x-session-token") or headers.get("x-dreamfactory-session-token") or ""
