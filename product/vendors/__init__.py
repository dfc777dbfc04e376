"""Connections to external services: one class per vendor, opened on first use and closed together."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from product.settings import Settings
from product.vendors import stand_ins
from product.vendors.drop import Drop
from product.vendors.mail import Mailer
from product.vendors.mailbox import Mailbox
from product.vendors.oidc import Provider
from product.vendors.people import PeopleVendor
from product.vendors.storage import Storage

if TYPE_CHECKING:
    from product.vendors.payments import Payments


class Vendors:
    """The services available to scripts as `ctx.vendors`. A service that is not configured is None."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._providers: dict[str, Provider | None] = {}

    @cached_property
    def people(self) -> PeopleVendor | None:
        """The external provider of contact data (PEOPLE_URL), or None."""
        if not self._settings.people_url:
            return None
        return PeopleVendor(self._settings.people_url, self._settings.people_key)

    @cached_property
    def drop(self) -> Drop | None:
        """California's platform for deletion requests (DROP_API_KEY), or None."""
        settings = self._settings
        return Drop(settings.drop_url, settings.drop_api_key) if settings.drop_api_key else None

    @cached_property
    def mailer(self) -> Mailer:
        """Outgoing mail: SMTP, and the demo mailbox with DEMO=1."""
        settings = self._settings
        mailbox = Mailbox(settings.data_dir / "mail") if settings.demo else None
        return Mailer(settings.mail_from, settings.mail_url, mailbox)

    @cached_property
    def payments(self) -> Payments | None:
        """Stripe; with DEMO=1 and without a key, the sandbox. None when payments are not set up."""
        from product.vendors.payments import Payments  # large, and unused by many processes

        settings = self._settings
        if not settings.payments_enabled:
            return None
        if settings.stripe_secret_key:
            return Payments(settings.stripe_secret_key, settings.stripe_webhook_secret, settings.stripe_api_base)
        secret, base = stand_ins.webhook_secret(settings), settings.stripe_api_base or stand_ins.stripe_base(settings)
        return Payments(stand_ins.STRIPE_KEY, secret, base)

    def provider(self, vendor: str) -> Provider | None:
        """Return the sign-in provider of this name; with DEMO=1 the sandbox replaces one that is not set up."""
        if vendor not in self._providers:
            self._providers[vendor] = self._create_provider(vendor)
        return self._providers[vendor]

    def _create_provider(self, vendor: str) -> Provider | None:
        settings = self._settings
        issuer, name, secret = (
            getattr(settings, f"{vendor}_{part}") for part in ("issuer", "client_id", "client_secret")
        )
        needs_nonce = vendor == "google"  # LinkedIn's ID tokens have no nonce
        if name:
            return Provider(issuer, name, secret, nonce_needed=needs_nonce)
        if settings.demo:
            client = stand_ins.OIDC_CLIENT
            return Provider(stand_ins.oidc_issuer(settings, vendor), client, client, nonce_needed=needs_nonce)
        return None

    @cached_property
    def storage(self) -> Storage:
        """Storage of uploaded files."""
        return Storage(self._settings.data_dir / "uploads")

    async def close(self) -> None:
        """Close every service that was opened."""
        for vendor in [*vars(self).values(), *self._providers.values()]:
            if close := getattr(vendor, "close", None):
                await close()
