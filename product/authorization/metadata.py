"""URLs and scopes of the authorization server (RFC 8414)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit, urlunsplit

from product.settings import Settings

CONSENT = "/dashboard/authorize"
REVEAL = "reveal"
DEFAULT_SCOPES = ("read",)
MAX_SCOPES = 20
_SCOPE = re.compile(r"reveal|(?:read|write|delete|grant)(?::[A-Za-z_][A-Za-z0-9_]{0,62})?")


def metadata(settings: Settings) -> Mapping[str, object]:
    """Return the metadata of the server. The engine adds the scopes."""
    issuer = settings.public_url
    return {
        "issuer": issuer,
        "authorization_endpoint": f"{issuer}{CONSENT}",
        "token_endpoint": f"{issuer}/api/v2/oauth/token",
        "registration_endpoint": f"{issuer}/api/v2/oauth/register",
        "revocation_endpoint": f"{issuer}/api/v2/oauth/revoke",
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
    }


def resource(settings: Settings) -> str:
    """Return the URL for which tokens are issued."""
    return f"{settings.public_url}/mcp"


def is_resource(settings: Settings, named: str) -> bool:
    """Whether a client names /mcp or no resource at all (RFC 8707)."""
    return not named or named.rstrip("/") == resource(settings)


def known_scopes(requested: str) -> list[str]:
    """Return the known scopes among those requested, by default `read`; others are ignored."""
    known = dict.fromkeys(scope for scope in requested.split() if _SCOPE.fullmatch(scope))
    return list(known)[:MAX_SCOPES] or list(DEFAULT_SCOPES)


def redirect(settings: Settings, uri: str, **values: str) -> str:
    """Return a redirect URI with the parameters of an authorization response, including `iss` (RFC 9207)."""
    parts = urlsplit(uri)
    added = urlencode({name: value for name, value in values.items() if value} | {"iss": settings.public_url})
    return urlunsplit(parts._replace(query=f"{parts.query}&{added}" if parts.query else added))
