"""The certificates that the clients of vendors trust, loaded once: that takes 50 ms."""

from __future__ import annotations

import ssl
from functools import cache

import httpx2


@cache
def context() -> ssl.SSLContext:
    """Return the TLS context of every client."""
    return httpx2.create_ssl_context()
