"""Resolve host names in a test as some name server would."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import pytest


def resolve(monkeypatch: pytest.MonkeyPatch, addresses: Callable[[str], list[str]]) -> list[str]:
    """Resolve names that end in .example to `addresses` of the name; none means that it is unknown.

    Returns:
        The names that are looked up from now on.
    """
    real, asked = socket.getaddrinfo, list[str]()

    def look_up(host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if not str(host).endswith(".example"):
            return real(host, port, *args, **options)
        asked.append(host)
        found = addresses(host)
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked
