"""A receiver of webhooks: an HTTP server that checks every signature and responds as a test decides."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import os
import ssl
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import standardwebhooks
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.helpers.support import ROOT, free_port, until

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER_SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


@dataclass
class Received:
    """One request to the receiver. `answered` is the response status, `arrived` a time of `time.monotonic`."""

    path: str
    headers: dict[str, str]
    body: bytes
    answered: int = 0
    arrived: float = field(default_factory=time.monotonic)

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def data(self) -> Any:
        return self.json["data"]

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    def signed_by(self, *secrets: str) -> bool:
        """Return whether there is one signature for each secret, which Standard Webhooks' own library accepts."""
        for secret in secrets:
            standardwebhooks.Webhook(secret).verify(self.body, self.headers)
        content = b".".join((self.id.encode(), self.headers["webhook-timestamp"].encode(), self.body))
        signatures = []
        for secret in secrets:
            digest = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), content, hashlib.sha256).digest()
            signatures.append("v1," + base64.b64encode(digest).decode())
        return self.headers["webhook-signature"].split(" ") == signatures


VERIFY = """
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const { Webhook } = createRequire(process.argv[1])("standardwebhooks");
const { secret, body, headers } = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(new Webhook(secret).verify(body, headers)));
"""


def verified_by_node(request: Received, secret: str) -> Any:
    """Return the event that the library for Node verifies; raise CalledProcessError for a bad signature."""
    node = subprocess.run([ROOT / "tools/node"], capture_output=True, text=True, check=True).stdout.strip()
    asked = {"secret": secret, "body": request.body.decode(), "headers": request.headers}
    words: list[str | Path] = ["node", "--input-type=module", "--eval", VERIFY, ROOT / "frontend/package.json"]
    path = f"{node}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        words, input=json.dumps(asked), capture_output=True, text=True, check=True, env=os.environ | {"PATH": path}
    )
    return json.loads(done.stdout)


Respond = Callable[[Received], Awaitable[tuple[int, dict[str, str]]]]


def always(status: int, **headers: str) -> Respond:
    """Return a receiver's function that gives each request one response; `_` in names of headers stands for `-`."""

    async def respond(_: Received) -> tuple[int, dict[str, str]]:
        return status, {name.replace("_", "-"): value for name, value in headers.items()}

    return respond


accept = always(204)


@dataclass
class Receiver:
    """The requests that arrived, and the function that responds to them."""

    port: int
    respond: Respond = accept
    received: list[Received] = field(default_factory=list)
    secrets: Sequence[str] = (SECRET,)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?a=1"

    @property
    def delivered(self) -> list[Received]:
        """The requests that were accepted."""
        return [request for request in self.received if 200 <= request.answered < 300]

    @property
    def told(self) -> list[tuple[str, Any]]:
        """The type and record of each accepted event."""
        return [(request.json["type"], request.data["record"]) for request in self.delivered]

    async def gets(self, count: int, seconds: float = 30.0) -> None:
        """Wait until so many requests were accepted."""
        await until(lambda: len(self.delivered) >= count, seconds)

    def accept_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode("latin-1").split("\r\n")
                headers = {n.lower(): v for n, _, v in (line.partition(": ") for line in lines) if n}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                request = Received(first.split(" ")[1], headers, body)
                assert request.signed_by(*self.secrets), headers
                self.received.append(request)
                status, more = await self.respond(request)
                lines = [f"{n}: {v}" for n, v in ({"content-length": "0"} | more).items()]
                writer.write("\r\n".join([f"HTTP/1.1 {status} x", *lines, "", ""]).encode())
                await writer.drain()
                request.answered = status
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def certificate(folder: Path, host: str) -> Path:
    """Write a self-signed certificate with its key, and return the file."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    file = folder / f"{host}.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


@asynccontextmanager
async def receiver(
    port: int = 0, *, secrets: Sequence[str] = (SECRET,), tls: ssl.SSLContext | None = None
) -> AsyncIterator[Receiver]:
    """Run a receiver."""
    made = Receiver(port or free_port(), secrets=secrets)
    server = await asyncio.start_server(made.accept_connection, "127.0.0.1", made.port, ssl=tls)
    try:
        yield made
    finally:
        server.close()
        made.closing.set()
        for task in made.tasks:
            task.cancel()
        await asyncio.gather(*made.tasks, return_exceptions=True)
