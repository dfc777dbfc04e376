"""The trusted root certificates for outgoing connections, loaded once because that takes 50 ms."""

from __future__ import annotations

import ssl
from functools import cache


@cache
def tls_context() -> ssl.SSLContext:
    """Return the TLS context shared by all clients."""
    import httpx2  # from the extras with clients

    return httpx2.create_ssl_context()
