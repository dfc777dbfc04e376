"""Tokens of an issuer, and an issuer that publishes its keys over HTTP."""

from __future__ import annotations

import json
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from joserfc import jwt
from joserfc.jwk import ECKey, Key, OctKey, OKPKey, RSAKey

SECRET = "a-secret-that-is-long-enough-for-hs256"


def token(claims: dict[str, Any], key: Key | str = SECRET, algorithm: str = "HS256", **header: Any) -> str:
    """Return a signed token that expires in ten minutes unless `claims` override it."""
    claims = {"exp": int(time.time()) + 600, **claims}
    claims = {name: value for name, value in claims.items() if value is not None}
    signer = OctKey.import_key(key) if isinstance(key, str) else key
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return jwt.encode({"alg": algorithm, **header}, claims, signer, algorithms=[algorithm])


def bearer(claims: dict[str, Any], **options: Any) -> dict[str, str]:
    """Return the headers of a request with such a token."""
    return {"Authorization": f"Bearer {token(claims, **options)}"}


class Issuer:
    """A JWKS server. `requests` counts; `broken` makes it fail in one way; `extra` is added to the set."""

    def __init__(self) -> None:
        parameters: Any = [{"kid": name, "use": "sig"} for name in ("rsa", "ec", "ed")]
        self.rsa = RSAKey.generate_key(2048, parameters[0])
        self.ec = ECKey.generate_key("P-256", parameters[1])
        self.ed = OKPKey.generate_key("Ed25519", parameters[2])
        self.keys: list[Key] = [self.rsa, self.ec, self.ed]
        self.extra: list[Any] = []
        self.requests = 0
        self.broken = ""
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.requests += 1
                status, body = issuer.answer()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/.well-known/jwks.json"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self) -> tuple[int, bytes]:
        """Return the status and body of the next response."""
        if self.broken == "status":
            return 500, b"{}"
        if self.broken == "json":
            return 200, b"<html>"
        if self.broken == "large":
            return 200, b" " * 300_000
        keys = [key.as_dict(private=False) for key in self.keys] + self.extra
        return 200, json.dumps({"keys": keys}).encode()

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def issuer() -> Iterator[Issuer]:
    """Run an issuer while the block runs."""
    running = Issuer()
    try:
        yield running
    finally:
        running.close()
