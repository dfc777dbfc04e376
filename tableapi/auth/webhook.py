"""Declaration of a webhook in an access file or a policy."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

SECRET_PREFIX = "whsec_"  # noqa: S105 - defined by the specification
MIN_SECRET_BYTES, MAX_SECRET_BYTES = 16, 128
MAX_WEBHOOKS = 100
Verb = Literal["created", "updated", "deleted"]
VERBS: tuple[Verb, ...] = ("created", "updated", "deleted")


def secrets(text: str) -> list[bytes]:
    """Return the keys in a secret; during rotation there are several, separated by spaces.

    Raises ValueError.
    """
    keys = []
    for part in text.split():
        try:
            key = base64.b64decode(part.removeprefix(SECRET_PREFIX), validate=True)
        except binascii.Error:
            key = b""
        if not part.startswith(SECRET_PREFIX) or not MIN_SECRET_BYTES <= len(key) <= MAX_SECRET_BYTES:
            raise ValueError(f"must be {SECRET_PREFIX} followed by 24 to 64 random bytes in base64")
        keys.append(key)
    if not keys:
        raise ValueError("must not be empty")
    return keys


def _secret(text: str) -> str:
    secrets(text)
    return text


def webhook_url(text: str) -> str:
    """Return an address to which events may be sent. Raises ValueError for any other text."""
    try:
        parts = urlsplit(text)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if (
        not valid
        or parts.username is not None
        or parts.fragment
        or not (text.isascii() and text.isprintable())
        or set(text) & set(" \\")
    ):
        raise ValueError("must be a URL such as https://hooks.example.com/orders, without a user or a fragment")
    return text


def _verbs(verbs: tuple[Verb, ...]) -> tuple[Verb, ...]:
    if not verbs:
        raise ValueError(f"must name at least one of {', '.join(VERBS)}")
    return verbs


def _listed(value: Any) -> Any:
    return tuple(value) if isinstance(value, list | set | frozenset) else value


class Webhook(BaseModel):
    """Send the changes of a table to a URL; see docs/guides/webhooks.md.

    Attributes:
        name: identifies the webhook within its dataset.
        dataset: the database; optional if only one is served.
        on: the changes to send: created, updated, deleted.
        filter: selects rows like option `filter` of a read. It tests a row after the change, and a deleted row as it
            was before.
        fields: the columns of `record`; None for all unsealed ones.
        secret: `whsec_` and base64; several are separated by spaces, and each one signs.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
    comment: Any = None  # for human readers
    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$")]
    dataset: str = ""
    table: str
    on: Annotated[tuple[Verb, ...], BeforeValidator(_listed), AfterValidator(_verbs)] = VERBS
    filter: str = ""
    fields: Annotated[tuple[str, ...], BeforeValidator(_listed), Field(min_length=1)] | None = None
    url: Annotated[str, AfterValidator(webhook_url)]
    secret: Annotated[str, AfterValidator(_secret), Field(repr=False)]
