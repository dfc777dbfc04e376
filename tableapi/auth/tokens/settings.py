"""Token settings from the JWT_* variables."""

from __future__ import annotations

from tableapi.auth.tokens import keys, verify
from tableapi.auth.tokens.verify import TokenSettings
from tableapi.config.command_error import BadSettings
from tableapi.config.settings import Settings


def token_settings(settings: Settings) -> TokenSettings | None:
    """Build the token settings; None if no keys are configured.

    Raises:
        BadSettings: the settings contradict each other.
    """
    if not settings.jwt_secret and not settings.jwt_jwks:
        return None
    if settings.jwt_secret and settings.jwt_jwks:
        raise BadSettings("Set either JWT_SECRET or JWT_JWKS.")
    if settings.jwt_secret and len(settings.jwt_secret.encode()) < 32:
        raise BadSettings("JWT_SECRET must be at least 32 bytes.")
    if error := keys.address_error(settings.jwt_jwks):
        raise BadSettings(f"JWT_JWKS: {error}.")
    algorithms = frozenset(settings.jwt_algorithms or (verify.OF_SECRET if settings.jwt_secret else verify.OF_KEYS))
    kinds = {"oct"} if settings.jwt_secret else {"RSA", "EC", "OKP"}
    if wrong := sorted(name for name in algorithms if verify.KEY_TYPES.get(name) not in kinds):
        accepted = ", ".join(name for name, kind in verify.KEY_TYPES.items() if kind in kinds)
        raise BadSettings(f"JWT_ALGORITHMS: {wrong[0]} does not match the type of the keys. Accepted: {accepted}.")
    source = keys.source(settings.jwt_secret, settings.jwt_jwks)
    return TokenSettings(
        source, algorithms, settings.jwt_issuer, frozenset(settings.jwt_audience), settings.jwt_role_claim,
        settings.jwt_default_role, settings.jwt_leeway_seconds,
    )  # fmt: skip
