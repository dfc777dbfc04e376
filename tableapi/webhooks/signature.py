"""The body of an event and its signature, according to the Standard Webhooks specification."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Collection
from dataclasses import dataclass

import orjson


@dataclass(frozen=True, slots=True)
class WebhookEvent:
    """One event. id: the same for each attempt. at: when the row changed (RFC 3339). key, record: JSON."""

    id: str
    type: str
    at: str
    key: str
    record: str

    def body(self) -> bytes:
        return b'{"type":%s,"timestamp":%s,"data":{"key":%s,"record":%s}}' % (
            orjson.dumps(self.type),
            orjson.dumps(self.at),
            self.key.encode(),
            self.record.encode(),
        )


def signed_headers(event: str, timestamp: int, body: bytes, keys: Collection[bytes]) -> dict[str, str]:
    """Return the headers that identify and sign an attempt; each key adds a signature."""
    content = f"{event}.{timestamp}.".encode() + body
    digests = (hmac.new(key, content, hashlib.sha256).digest() for key in keys)
    signatures = " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests)
    return {"webhook-id": event, "webhook-timestamp": str(timestamp), "webhook-signature": signatures}
