"""Settings of the product, in addition to the engine's.

A vendor's feature is off if its settings are missing.
"""

from __future__ import annotations

import re
from email.errors import MessageError
from email.headerregistry import Address
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from tableapi import EnvironmentSettings, Name, Origin

_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")


def _mail_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ValueError("must be smtp://host:port or smtps://user:password@host:port")
    return value


def _one_line(value: str) -> str:
    if not value.isprintable():
        raise ValueError("must be one line of text")
    return value


def _sender(value: str) -> str:
    """Return `Name <address>` with the name in quotes if it contains characters such as a comma."""
    name, _, address = value.removesuffix(">").rpartition("<") if value.endswith(">") else ("", "", value)
    try:
        sender = Address(name.strip().strip('"'), addr_spec=address.strip())
    except (ValueError, IndexError, MessageError):
        sender = Address()
    if not sender.username or not sender.domain:
        raise ValueError("must be an address such as Openlead <no-reply@example.com>")
    return str(sender)


def _host(value: str) -> str:
    if not _HOST.fullmatch(value.lower()):
        raise ValueError("must be a host such as linkedin.com")
    return value.lower()


def _announced(value: str) -> str:
    names = [name.strip() for name in value.split(",") if name.strip()]
    if unknown := set(names) - {"peoplesearch", "companysearch"}:
        raise ValueError(f"must be peoplesearch, companysearch or both, not {', '.join(map(ascii, sorted(unknown)))}")
    return ",".join(names)


def _companies(value: str) -> str:
    for company in filter(None, (part.strip() for part in value.split(";"))):
        name, _, purpose = company.partition(",")
        if not name.strip() or not purpose.strip():
            raise ValueError("must be `Name, purpose; Name, purpose`")
    return value


def _beginning(*prefixes: str) -> AfterValidator:
    """Require the prefix of a key, so that a secret one in the wrong place is never sent to browsers."""

    def check(value: str) -> str:
        if any(not key.strip().startswith(prefixes) for key in value.split(",") if key.strip()):
            raise ValueError(f"must begin with {' or '.join(prefixes)}")
        return value

    return AfterValidator(check)


class Settings(EnvironmentSettings):
    """One attribute per setting, named like the setting in lower case.

    An empty text turns the feature off.
    """

    dataset: Name = "leads"
    demo: bool = False
    brand_name: Annotated[str, AfterValidator(_one_line)] = Field(default="Openlead", max_length=60)
    coming_soon: Annotated[str, AfterValidator(_announced)] = ""

    query_tokens: Literal["live", "tickets"] = "live"
    keys_shown_once: bool = False
    signup_discloses: bool = True

    mail_url: Annotated[str, AfterValidator(_mail_url)] | None = Field(default=None, repr=False)
    mail_from: Annotated[str, AfterValidator(_sender)] = Field(
        default_factory=lambda data: f"{data['brand_name']} <no-reply@example.com>"
    )
    check_mx: bool = False

    stripe_secret_key: Annotated[str, _beginning("sk_", "rk_")] = Field(default="", repr=False)
    stripe_publishable_key: Annotated[str, _beginning("pk_")] = Field(default="", repr=False)
    stripe_webhook_secret: Annotated[str, _beginning("whsec_")] = Field(default="", repr=False)
    stripe_api_base: Origin | None = None

    seller_name: str = Field(default="", max_length=200)  # on invoices; BRAND_NAME by default
    seller_address: str = Field(default="", max_length=300)
    seller_taxid: str = Field(default="", max_length=50)

    google_client_id: str = ""
    google_client_secret: str = Field(default="", repr=False)
    google_issuer: Origin = "https://accounts.google.com"
    linkedin_client_id: str = ""
    linkedin_client_secret: str = Field(default="", repr=False)
    linkedin_issuer: Origin = "https://www.linkedin.com/oauth"

    people_url: Origin | None = None
    people_key: str = Field(default="", repr=False)
    profile_host: Annotated[str, AfterValidator(_host)] = "linkedin.com"

    subprocessors: Annotated[str, AfterValidator(_companies)] = ""  # `Name, purpose; ...` on the trust page
    drop_api_key: str = Field(default="", repr=False)  # California's deletion requests; off without one
    drop_url: Origin = "https://api.drop.privacy.ca.gov"

    @model_validator(mode="after")
    def _pairs(self) -> Self:
        """Require the client id and the secret of a sign-in provider together."""
        for vendor in ("google", "linkedin"):
            name, secret = f"{vendor}_client_id", f"{vendor}_client_secret"
            if bool(getattr(self, name)) != bool(getattr(self, secret)):
                raise ValueError(f"{name.upper()} and {secret.upper()} must be set together")
        return self

    @property
    def payments_simulated(self) -> bool:
        """Whether payments use the demo's own stand-in."""
        return self.demo and not self.stripe_secret_key and not self.stripe_api_base

    @property
    def payments_enabled(self) -> bool:
        """Whether anything can be bought: with both Stripe secrets, or in a demo without a key."""
        if self.stripe_secret_key:
            return bool(self.stripe_webhook_secret)
        return self.demo
