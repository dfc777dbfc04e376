"""The certificates that the clients of other servers trust, loaded once: that takes 50 ms."""

from __future__ import annotations

import ssl
from functools import cache


@cache
def tls_context() -> ssl.SSLContext:
    """Return the TLS context of every client."""
    import httpx2  # of the extras that have clients

    return httpx2.create_ssl_context()
