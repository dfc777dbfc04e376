"""URLs and public keys of the stand-ins that a demo serves below /sandbox/."""

from __future__ import annotations

import hashlib

from product.settings import Settings

STRIPE_PREFIX = "/sandbox/stripe"
STRIPE_KEY = "sk_test_sandbox"
OIDC_CLIENT = "sandbox"  # client id and secret


def stripe_base(settings: Settings) -> str:
    """Return the base URL of the Stripe stand-in of this installation."""
    return f"{settings.public_url}{STRIPE_PREFIX}"


def webhook_secret(settings: Settings) -> str:
    """Return the secret that signs events: STRIPE_WEBHOOK_SECRET, or derived from SECRET_KEYS."""
    if settings.stripe_webhook_secret or not settings.secret_keys:
        return settings.stripe_webhook_secret.partition(",")[0]
    return "whsec_" + hashlib.sha256(f"sandbox-webhook:{settings.secret_keys[-1]}".encode()).hexdigest()


def oidc_issuer(settings: Settings, vendor: str) -> str:
    """Return the issuer URL of the stand-in for `google` or `linkedin`."""
    return f"{settings.public_url}/sandbox/oidc/{vendor}"
