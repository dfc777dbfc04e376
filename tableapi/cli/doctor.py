"""`tableapi doctor mcp URL`: test the sign-in of agents as an assistant would, and report problems.

The steps are those of the Model Context Protocol: a message without a token, the metadata of the resource (RFC 9728),
the metadata of its authorization server (RFC 8414), and the features that it needs: PKCE, public clients, scopes.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from tableapi.config.command_error import CommandError, MissingExtra
from tableapi.config.networks import is_loopback
from tableapi.crypto.tls import tls_context
from tableapi.version import VERSION

if TYPE_CHECKING:
    import httpx2

TIMEOUT_SECONDS = 10.0
MAX_BODY_CHARS = 1_000_000
RESOURCE, SERVER = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"
OPENID = "/.well-known/openid-configuration"
_CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "doctor", "version": VERSION}}
_MESSAGE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _CLIENT}
_HEADERS = {"Accept": "application/json, text/event-stream", "User-Agent": f"tableapi-doctor/{VERSION}"}
_PARAMETER = re.compile(r'\b(\w++)=(?:"([^"]*+)"|([^\s,"]++))')


class BadAddress(CommandError):
    """Raised if the address does not belong to a server."""

    code = 2


class _Wrong(Exception):
    """A problem that an assistant does not get past. advice: the remedy."""

    def __init__(self, text: str, advice: str) -> None:
        super().__init__(text)
        self.advice = advice


def examine(url: str) -> tuple[str, bool]:
    """Test the sign-in at an address of /mcp, and return the report and whether an assistant can connect.

    Raises BadAddress, MissingExtra.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadAddress(f"'{url}' is not a URL. Pass that of the endpoint, such as https://api.example.com/mcp.")
    try:
        import httpx2
    except ImportError:
        raise MissingExtra("tableapi doctor", "mcp") from None
    with httpx2.Client(timeout=TIMEOUT_SECONDS, verify=tls_context(), headers=_HEADERS) as http:
        walk = _Walk(http, url, (httpx2.HTTPError, httpx2.InvalidURL))
        try:
            walk.run()
        except _Wrong as error:
            walk.wrong(str(error), error.advice)
    end = "An assistant can connect." if walk.passed else "An assistant cannot sign in."
    return "\n".join([*walk.lines, end]), walk.passed


class _Walk:
    """One examination. Like an assistant, each step uses the results of the previous one."""

    def __init__(self, http: httpx2.Client, url: str, errors: tuple[type[Exception], ...]) -> None:
        self._http, self._url, self._errors = http, url, errors
        self.lines: list[str] = []
        self.passed = True

    def ok(self, text: str) -> None:
        self.lines.append(f"ok:    {text}")

    def note(self, text: str, advice: str) -> None:
        self.lines += [f"note:  {text}", f"       {advice}"]

    def wrong(self, text: str, advice: str) -> None:
        self.passed = False
        self.lines += [f"wrong: {text}", f"       {advice}"]

    def run(self) -> None:
        """Run the steps. Raises _Wrong if the next one lacks its input."""
        self._secure(self._url, "The address")
        challenge = self._challenge()
        if challenge is None:
            return
        for issuer in self._resource(challenge):
            try:
                self._server(issuer, challenge.get("scope", "").split())
            except _Wrong as error:
                self.wrong(str(error), error.advice)
            except ValueError:
                self.wrong(f"The metadata of {issuer} names something that is not a URL.", "Correct it there.")

    def _challenge(self) -> dict[str, str] | None:
        """Send a message without a token, and return the parameters of the challenge; None without a sign-in."""
        try:
            response = self._http.post(self._url, json=_MESSAGE)
        except self._errors as error:
            raise _Wrong(f"{self._url} cannot be reached: {error}.", "Check the URL, DNS and the proxy.") from None
        status = response.status_code
        if status == 200:
            self.ok("A message without a token is accepted: this server does not ask for sign-in.")
            return None
        if 300 <= status < 400:
            text = f"{self._url} redirects to {response.headers.get('location', '')}."
            raise _Wrong(text, "Give assistants the address without a redirect.")
        if status == 404:
            raise _Wrong(f"{self._url} returns 404.", "The path is /mcp, and the server needs the extra mcp.")
        if status != 401:
            text = f"A message without a token gets {status} instead of 401."
            raise _Wrong(text, "An assistant starts its sign-in only after a 401.")
        header = response.headers.get("www-authenticate", "")
        scheme, _, rest = header.partition(" ")
        if scheme.lower() != "bearer":
            text = f"The 401 has no Bearer challenge (WWW-Authenticate: {header or 'missing'})."
            self.wrong(text, "A proxy may have removed or replaced the header. Let it pass WWW-Authenticate through.")
            return {}
        self.ok("A message without a token gets 401 with a Bearer challenge.")
        return {name: quoted or bare for name, quoted, bare in _PARAMETER.findall(rest)}

    def _resource(self, challenge: dict[str, str]) -> list[str]:
        """Read the metadata of the resource (RFC 9728), and return its authorization servers."""
        if named := challenge.get("resource_metadata", ""):
            advice = "PUBLIC_URL must be the address that assistants use, and the proxy must forward /.well-known/."
            data = self._metadata([named], "The metadata of the resource cannot be read: {}.", advice)
        else:
            data = self._metadata(
                _well_known(self._url, RESOURCE),
                "The challenge has no resource_metadata, and none was found at the well-known URLs.",
                "Agents must send keys. To offer a sign-in, set JWT_ISSUER with JWT_JWKS or JWT_SECRET, or serve a "
                "project that has an authorization server.",
            )
            text = "The challenge has no resource_metadata; it was found at a well-known URL."
            self.note(text, "Clients of newer protocol revisions look there; older ones do not.")
        if (resource := data.get("resource")) != self._url:
            advice = "Set PUBLIC_URL to the origin that assistants use (scheme, host, port), or give them that URL."
            self.wrong(f"The metadata is for {resource!r}, not for {self._url}.", advice)
        servers = [server for server in data.get("authorization_servers") or [] if isinstance(server, str)]
        if not servers:
            raise _Wrong("The metadata has no authorization_servers.", "Set JWT_ISSUER to the issuer's address.")
        self.ok(f"The metadata of the resource names {', '.join(servers)}.")
        return servers

    def _server(self, issuer: str, wanted: list[str]) -> None:
        """Read the metadata of an authorization server (RFC 8414), and check what a public client needs."""
        self._secure(issuer, "The authorization server")
        own, *others = [*_well_known(issuer, SERVER), *_well_known(issuer, OPENID)]
        text = f"The metadata of {issuer} cannot be read: {{}}."
        data = self._metadata([own, *others], text, f"Publish it at {own}.")
        self.ok(f"The metadata of {issuer} can be read.")
        self._features(data, issuer, wanted)
        if isinstance(keys := data.get("jwks_uri"), str):
            text = "The keys of the issuer cannot be read: {}."
            self._metadata([keys], text, "Without them, no token can be verified.")

    def _features(self, data: dict[str, Any], issuer: str, wanted: list[str]) -> None:
        """Report what the metadata of an authorization server says of its features."""
        known = data.get("scopes_supported")
        unknown = " ".join(scope for scope in wanted if known is not None and scope not in known)
        if (named := data.get("issuer")) != issuer:
            advice = "They must be identical, including a trailing slash. Set JWT_ISSUER to the value in the metadata."
            self.wrong(f"The metadata names the issuer {named!r}, but the resource names {issuer!r}.", advice)
        for name in ("authorization_endpoint", "token_endpoint"):
            if isinstance(data.get(name), str):
                self._secure(data[name], name)
            else:
                advice = "The issuer must support the authorization code flow."
                self.wrong(f"The metadata of {issuer} has no {name}.", advice)
        if "S256" in (data.get("code_challenge_methods_supported") or []):
            self.ok("PKCE with S256 is supported.")
        else:
            advice = "Assistants need it. Turn on PKCE, so that code_challenge_methods_supported contains S256."
            self.wrong("The metadata does not say that PKCE with S256 is supported.", advice)
        if unknown:
            advice = "Add it to the authorization server, or leave the claim scope out of its tokens."
            self.wrong(f"The scope {unknown} in the challenge is unknown to the issuer.", advice)
        if "none" not in (data.get("token_endpoint_auth_methods_supported") or ["none"]):
            self.note("Clients need a secret.", "Assistants on a user's machine have none. Allow the method 'none'.")
        if data.get("client_id_metadata_document_supported") or data.get("registration_endpoint"):
            self.ok("Assistants can register themselves.")
        else:
            advice = "Register each assistant by hand and enter its client ID there, or turn on registration."
            self.note("Clients cannot register themselves.", advice)

    def _secure(self, address: str, what: str) -> None:
        parts = urlsplit(address)
        if parts.scheme != "https" and not is_loopback((parts.hostname or "").strip("[]")):
            advice = "Assistants send tokens only over https, except to this machine."
            self.wrong(f"{what} {address} is not https.", advice)

    def _metadata(self, addresses: list[str], text: str, advice: str) -> dict[str, Any]:
        """Return the first JSON object at one of the addresses. Raises _Wrong with the problem of the first."""
        problem = ""
        for address in dict.fromkeys(addresses):
            try:
                response = self._http.get(address, headers={"Accept": "application/json"})
            except self._errors as error:
                problem = problem or f"{address}: {error or type(error).__name__}"
                continue
            if response.status_code == 200 and (found := _object(response.text)):
                return found
            status = response.status_code
            problem = problem or f"{address} {'has no JSON object' if status == 200 else f'is {status}'}"
        raise _Wrong(text.format(problem), advice)


def _well_known(address: str, name: str) -> list[str]:
    """Return the addresses of metadata: `name` before the path, and the older form unless it is SERVER."""
    parts = urlsplit(address)
    path = parts.path.rstrip("/")
    older = [f"{path}{name}" if name == OPENID else name] if path and name != SERVER else []
    return [urlunsplit((parts.scheme, parts.netloc, one, "", "")) for one in (f"{name}{path}", *older)]


def _object(text: str) -> dict[str, Any]:
    """Parse a JSON object; {} for any other text."""
    try:
        data = json.loads(text[:MAX_BODY_CHARS])
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}
