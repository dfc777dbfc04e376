"""OAuth 2.1 sign-in of clients at /mcp: metadata, and the challenge in errors.

/mcp is a resource server (RFC 9728). Tokens come from the issuer in JWT_ISSUER, or from a project's authorization
server. See docs/guides/agents.md.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from tableapi.app.state import AppState
from tableapi.auth.scopes import BASIC, READ
from tableapi.config.settings import Settings
from tableapi.errors import DOC, MethodNotAllowed, NotFound
from tableapi.http.request import HttpRequest
from tableapi.http.response import Response, dumps
from tableapi.project.project import Project

PATH = "/mcp"
RESOURCE, SERVER = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"
_CACHED = {"Cache-Control": "public, max-age=300"}


class SignIn:
    """The metadata of /mcp, and the challenge in its errors.

    Attributes:
        paths: open to pages of every origin, because they use neither cookies nor server keys.
    """

    def __init__(self, settings: Settings, state: AppState, project: Project, *, has_docs: bool) -> None:
        self._public_url, self._has_docs = settings.public_url, has_docs
        self._title = project.title(settings)
        self._server = project.authorization_server(settings)
        tokens = bool(settings.jwt_secret or settings.jwt_jwks)
        by_token = [settings.jwt_issuer] if tokens and urlsplit(settings.jwt_issuer).scheme in ("https", "http") else []
        self._issuers = by_token or ([self._server["issuer"]] if self._server else [])
        own = {
            script.scope for script in state.scripts or () if (script.agents or script.tool) and script.has_own_scope
        }
        # Clients ask for all that is listed here. `grant` is named by the error of a call that needs it.
        self._scopes = [*BASIC, *sorted(own)]
        ends = [name for name in self._server if name.endswith("_endpoint") and name != "authorization_endpoint"]
        called = (urlsplit(self._server[name]).path for name in ends)
        self.paths = frozenset((RESOURCE, RESOURCE + PATH, SERVER, *called))

    @property
    def is_needed(self) -> bool:
        """Whether a message without credentials is an error, because the project has a sign-in."""
        return bool(self._server)

    def challenge(self, request: HttpRequest, error: str = "", scope: str = READ) -> str:
        """Return the `WWW-Authenticate` header of an error.

        error: `invalid_token`, `insufficient_scope`, or "" for a message without credentials.
        """
        if not self._issuers:
            return f'Bearer error="{error}"' if error else "Bearer"
        metadata = f"{self._public_url}{request.root_path}{RESOURCE}{PATH}"
        parts = [f'error="{error}"'] if error else []
        return "Bearer " + ", ".join([*parts, f'scope="{scope}"', f'resource_metadata="{metadata}"'])

    async def resource(self, request: HttpRequest) -> Response:
        """Return the metadata of /mcp (RFC 9728). Raises NotFound if no issuer is configured."""
        _only_get(request)
        if not self._issuers:
            raise NotFound("Agents cannot sign in here, because JWT_ISSUER is not set.")
        metadata: dict[str, Any] = {
            "resource": f"{self._public_url}{request.root_path}{PATH}",
            "authorization_servers": self._issuers,
            "scopes_supported": self._scopes,
            "bearer_methods_supported": ["header"],
            "resource_name": self._title,
        }
        if self._has_docs:
            guide = DOC.partition("reference/")[0] + "guides/agents/"
            metadata["resource_documentation"] = f"{self._public_url}{request.root_path}{guide}"
        return Response(dumps(metadata), headers=dict(_CACHED))

    async def server(self, request: HttpRequest) -> Response:
        """Return the metadata of the project's authorization server (RFC 8414). Raises NotFound if absent."""
        _only_get(request)
        if not self._server:
            raise NotFound("There is no authorization server here.")
        return Response(dumps({**self._server, "scopes_supported": self._scopes}), headers=dict(_CACHED))


def _only_get(request: HttpRequest) -> None:
    request.route = "mcp"
    if request.method not in ("GET", "HEAD"):
        raise MethodNotAllowed("Only GET is supported here.", headers={"Allow": "GET"})
