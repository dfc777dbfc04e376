"""`tableapi doctor mcp URL`: test the sign-in of agents as an assistant would, and report problems.

The steps are those of the Model Context Protocol: a message without a token, the metadata of the resource (RFC 9728),
the metadata of its authorization server (RFC 8414), and the features that it needs: PKCE, public clients, scopes.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from tableapi.config.command_error import CommandError, MissingExtra
from tableapi.config.interpreter import is_optimized
from tableapi.config.networks import is_loopback
from tableapi.crypto.tls import tls_context
from tableapi.version import VERSION

if TYPE_CHECKING:
    import httpx2

TIMEOUT_SECONDS = 10.0
MAX_BODY_CHARS = 1_000_000
OK, NOTE, WRONG = "ok", "note", "wrong"
RESOURCE, SERVER, OPENID = (
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
)
_MESSAGE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "doctor", "version": VERSION},
    },
}
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
_HEADERS = {"Accept": "application/json, text/event-stream", "User-Agent": f"tableapi-doctor/{VERSION}"}
_PARAMETER = re.compile(r'\b(\w++)=(?:"([^"]*+)"|([^\s,"]++))')


class BadAddress(CommandError):
    """Raised if the address does not belong to a server."""

    code = 2


@dataclass
class Findings:
    """The findings, one line each: a state, a text, and a remedy."""

    lines: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, state: str, text: str, advice: str = "") -> None:
        self.lines.append((state, text, advice))

    @property
    def is_bad(self) -> bool:
        """Whether an assistant cannot sign in."""
        return any(state == WRONG for state, _, _ in self.lines)


@dataclass(frozen=True)
class Metadata:
    """The result of a metadata request: `data` if it is a JSON object, otherwise `error`."""

    data: dict[str, Any]
    error: str = ""


def examine(url: str, token: str = "") -> Findings:
    """Test the sign-in at an address of /mcp. `token`: an access token to test as well.

    Raises BadAddress, MissingExtra.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadAddress(f"'{url}' is not a URL. Pass that of the endpoint, such as https://api.example.com/mcp.")
    try:
        import httpx2
    except ImportError:
        raise MissingExtra("tableapi doctor", "mcp") from None
    findings = Findings()
    with httpx2.Client(timeout=TIMEOUT_SECONDS, verify=tls_context(), headers=_HEADERS) as http:
        _Walk(http, url, findings, httpx2.HTTPError).run(token)
    return findings


def examine_python() -> tuple[str, bool]:
    """Describe the running Python, and return whether its build makes it slow."""
    name = f"Python {sys.version.split()[0]} in {sys.base_prefix}"
    if is_optimized():
        return f"{OK + ':':<7}{name} was built with optimizations.", False
    return (
        f"{WRONG + ':':<7}{name} was built without --enable-optimizations, so requests take a seventh more time.\n"
        "       Use Debian's, Docker's or uv's, or build it again; see docs/guides/deployment.md."
    ), True


class _Walk:
    """One examination. Like an assistant, each step uses the results of the previous one."""

    def __init__(self, http: httpx2.Client, url: str, findings: Findings, errors: type[Exception]) -> None:
        self._http, self._url, self._add, self._errors = http, url, findings.add, errors

    def run(self, token: str) -> None:
        """Run the steps, stopping when the next one lacks its input."""
        challenge = self._challenge()
        if challenge is None:
            return
        resource = self._resource(challenge)
        if resource is None:
            return
        servers = [server for server in resource.get("authorization_servers") or [] if isinstance(server, str)]
        wanted = challenge.get("scope", "").split()
        for issuer in servers:
            self._server(issuer, wanted)
        if token:
            self._token(token, servers)

    def _challenge(self) -> dict[str, str] | None:
        """Send a message without a token, and return the parameters of the challenge.

        None if there is no sign-in.
        """
        self._secure(self._url, "The address")
        try:
            response = self._http.post(self._url, json=_MESSAGE)
        except self._errors as error:
            self._add(WRONG, f"{self._url} cannot be reached: {_reason(error)}.", "Check the URL, DNS and the proxy.")
            return None
        if 300 <= response.status_code < 400:
            target = response.headers.get("location", "")
            self._add(WRONG, f"{self._url} redirects to {target}.", "Give assistants the address without a redirect.")
            return None
        if response.status_code == 200:
            self._add(OK, "A message without a token is accepted: this server does not ask for sign-in.")
            return None
        if response.status_code == 404:
            reason = _reason_of(response.text)
            advice = (
                "Install the extra mcp on the server." if reason == "no_mcp" else "The path of the endpoint is /mcp."
            )
            self._add(WRONG, f"{self._url} returns 404{f' ({reason})' if reason else ''}.", advice)
            return None
        if response.status_code != 401:
            advice = "An assistant starts its sign-in only after a 401."
            self._add(WRONG, f"A message without a token gets {response.status_code} instead of 401.", advice)
            return None
        header = response.headers.get("www-authenticate", "")
        scheme, _, rest = header.partition(" ")
        if scheme.lower() != "bearer":
            advice = "A proxy may have removed or replaced the header. Let it pass WWW-Authenticate through."
            self._add(WRONG, f"The 401 has no Bearer challenge (WWW-Authenticate: {header or 'missing'}).", advice)
            return {}
        self._add(OK, "A message without a token gets 401 with a Bearer challenge.")
        return {name: quoted or bare for name, quoted, bare in _PARAMETER.findall(rest)}

    def _resource(self, challenge: dict[str, str]) -> dict[str, Any] | None:
        """Read the metadata of the resource (RFC 9728)."""
        named = challenge.get("resource_metadata", "")
        places = [named] if named else list(_well_known(self._url, RESOURCE, inserted_only=False))
        document = self._first(places)
        if document.error and not named:
            self._add(
                WRONG,
                "The challenge has no resource_metadata, and none was found at the well-known URLs.",
                "The server does not offer sign-in for agents, so they must send keys. To offer it, set JWT_ISSUER "
                "with JWT_JWKS or JWT_SECRET, or serve a project that has an authorization server.",
            )
            return None
        if document.error:
            self._add(
                WRONG,
                f"The metadata of the resource cannot be read: {document.error}.",
                "The URL comes from PUBLIC_URL. It must be the one that assistants use, and the proxy must forward "
                "/.well-known/.",
            )
            return None
        if not named:
            self._add(
                NOTE,
                "The challenge has no resource_metadata; it was found at a well-known URL.",
                "Clients of newer protocol revisions look there; older ones do not.",
            )
        data = document.data
        if data.get("resource") != self._url:
            self._add(
                WRONG,
                f"The metadata is for {data.get('resource')!r}, not for {self._url}.",
                "Tokens would be issued for that URL, so assistants reject it. "
                + _same_address(self._url, str(data.get("resource"))),
            )
        if not data.get("authorization_servers"):
            self._add(WRONG, "The metadata has no authorization_servers.", "Set JWT_ISSUER to the issuer's address.")
            return None
        self._add(OK, f"The metadata of the resource names {', '.join(map(str, data['authorization_servers']))}.")
        return data

    def _server(self, issuer: str, wanted: list[str]) -> None:
        """Read the metadata of an authorization server (RFC 8414), and check the features that a public client
        needs."""
        self._secure(issuer, "The authorization server")
        document = self._first([*_well_known(issuer, SERVER), *_well_known(issuer, OPENID, inserted_only=False)])
        if document.error:
            self._add(
                WRONG,
                f"The metadata of {issuer} cannot be read: {document.error}.",
                f"Publish it at {next(_well_known(issuer, SERVER))}.",
            )
            return
        data = document.data
        if data.get("issuer") != issuer:
            self._add(
                WRONG,
                f"The metadata names the issuer {data.get('issuer')!r}, but the resource names {issuer!r}.",
                "They must be identical, including a trailing slash. Set JWT_ISSUER to the value in the metadata.",
            )
        else:
            self._add(OK, f"The metadata of {issuer} can be read.")
        for name in ("authorization_endpoint", "token_endpoint"):
            if not isinstance(data.get(name), str):
                self._add(
                    WRONG,
                    f"The metadata of {issuer} has no {name}.",
                    "The issuer must support the authorization code flow.",
                )
            else:
                self._secure(data[name], name)
        self._pkce(data)
        self._clients(data)
        self._scopes(data, wanted)
        if isinstance(data.get("token_endpoint"), str):
            self._token_endpoint(data["token_endpoint"])
        if isinstance(data.get("jwks_uri"), str) and (keys := self._document(data["jwks_uri"])).error:
            self._add(
                WRONG,
                f"The keys of the issuer cannot be read: {keys.error}.",
                "Without them, no token can be verified.",
            )

    def _pkce(self, data: dict[str, Any]) -> None:
        if "S256" in (data.get("code_challenge_methods_supported") or []):
            self._add(OK, "PKCE with S256 is supported.")
        else:
            self._add(
                WRONG,
                "The metadata does not say that PKCE with S256 is supported.",
                "Assistants reject a server without it. Turn on PKCE, so that code_challenge_methods_supported "
                "contains S256.",
            )
        if "code" not in (data.get("response_types_supported") or ["code"]):
            self._add(WRONG, "The response type code is not supported.", "Turn on the authorization code flow.")
        grants = data.get("grant_types_supported") or ["authorization_code"]
        if "authorization_code" not in grants:
            self._add(WRONG, "The grant authorization_code is not supported.", "Turn on the authorization code flow.")
        elif "refresh_token" not in grants:
            self._add(NOTE, "Refresh tokens are not supported.", "Users must sign in again whenever a token expires.")

    def _clients(self, data: dict[str, Any]) -> None:
        methods = data.get("token_endpoint_auth_methods_supported")
        if methods is not None and "none" not in methods:
            self._add(
                NOTE,
                f"Clients need a secret ({', '.join(map(str, methods))}).",
                "Assistants on a user's machine are public clients. Allow the method 'none'.",
            )
        ways = [
            name
            for name, key in (
                ("client ID metadata documents", "client_id_metadata_document_supported"),
                ("dynamic registration", "registration_endpoint"),
            )
            if data.get(key)
        ]
        if ways:
            self._add(OK, f"Assistants can register through {' or '.join(ways)}.")
        else:
            self._add(
                NOTE,
                "Clients cannot register themselves.",
                "Register each assistant by hand and enter its client ID there, or turn on registration.",
            )

    def _scopes(self, data: dict[str, Any], wanted: list[str]) -> None:
        known = data.get("scopes_supported")
        missing = [scope for scope in wanted if known is not None and scope not in known]
        if missing:
            self._add(
                WRONG,
                f"The scope {' '.join(missing)} in the challenge is unknown to the issuer.",
                "Add it to the scopes of the authorization server, or leave the claim scope out of its tokens.",
            )
        elif wanted:
            self._add(OK, f"The challenge asks for the scope {' '.join(wanted)}.")

    def _token_endpoint(self, address: str) -> None:
        """Redeem a code that does not exist: the response must be an OAuth error in JSON."""
        sent = {
            "grant_type": "authorization_code",
            "code": "doctor",
            "client_id": "doctor",
            "code_verifier": "d" * 43,
            "redirect_uri": "http://127.0.0.1/callback",
            "resource": self._url,
        }
        try:
            response = self._http.post(address, data=sent)
            told = json.loads(response.text[:MAX_BODY_CHARS]) if response.status_code in (400, 401) else None
        except self._errors as error:
            self._add(WRONG, f"The token endpoint cannot be reached: {_reason(error)}.", "Check its URL and the proxy.")
            return
        except ValueError:
            told = None
        if isinstance(told, dict) and isinstance(told.get("error"), str):
            self._add(OK, f"The token endpoint rejects a code that does not exist ({told['error']}).")
        else:
            self._add(
                WRONG,
                f"The token endpoint responds to a wrong code with {response.status_code} and no OAuth error.",
                'It must respond with 400 and JSON such as {"error": "invalid_grant"}.',
            )

    def _token(self, token: str, servers: list[str]) -> None:
        """Send a message with a token, and explain a rejection."""
        try:
            response = self._http.post(self._url, json=_LIST, headers={"Authorization": f"Bearer {token}"})
        except self._errors as error:
            self._add(WRONG, f"The endpoint cannot be reached with the token: {_reason(error)}.", "Try again.")
            return
        if response.status_code == 200:
            self._add(OK, "The token is accepted.")
            return
        reason = _reason_of(response.text)
        self._add(
            WRONG,
            f"The token is rejected: {response.status_code}{f' ({reason})' if reason else ''}.",
            " ".join(_flaws(token, self._url, servers)) or "Its signature, role or session is not valid here.",
        )

    def _secure(self, address: str, what: str) -> None:
        parts = urlsplit(address)
        if parts.scheme != "https" and not is_loopback((parts.hostname or "").strip("[]")):
            self._add(
                WRONG,
                f"{what} {address} is not https.",
                "Assistants send tokens only over https, except to this machine.",
            )

    def _first(self, addresses: list[str]) -> Metadata:
        """Return the first readable metadata, otherwise the problem with the first address."""
        error = ""
        for address in dict.fromkeys(addresses):
            document = self._document(address)
            if not document.error:
                return document
            error = error or document.error
        return Metadata({}, error)

    def _document(self, address: str) -> Metadata:
        try:
            response = self._http.get(address, headers={"Accept": "application/json"})
        except self._errors as error:
            return Metadata({}, f"{address}: {_reason(error)}")
        except ValueError:
            return Metadata({}, f"{address} is no address")
        if response.status_code != 200:
            return Metadata({}, f"{address} is {response.status_code}")
        try:
            data = json.loads(response.text[:MAX_BODY_CHARS])
        except ValueError:
            data = None
        return Metadata(data) if isinstance(data, dict) else Metadata({}, f"{address} has no JSON object")


def _well_known(address: str, name: str, *, inserted_only: bool = True) -> Iterator[str]:
    """Yield metadata addresses: with `name` before the path, then in the older form.

    inserted_only: omit the older form.
    """
    parts = urlsplit(address)
    path = parts.path.rstrip("/")
    yield urlunsplit((parts.scheme, parts.netloc, f"{name}{path}", "", ""))
    if not inserted_only and path:
        after = f"{path}{name}" if name == OPENID else name
        yield urlunsplit((parts.scheme, parts.netloc, after, "", ""))


def _same_address(used: str, resource: str) -> str:
    """Return how to make assistants use the address in the metadata."""
    hosts = [urlsplit(address).hostname or "" for address in (used, resource)]
    if all(map(is_loopback, hosts)):
        return (
            f"To them, {hosts[0]} and {hosts[1]} are two servers: give them the address of the server's PUBLIC_URL, "
            f"{resource}."
        )
    return (
        "Set PUBLIC_URL to the origin that they use (scheme, host, port), or give them that URL, without a trailing "
        "slash."
    )


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _reason_of(text: str) -> str:
    """Return the `reason` in an error of tableapi; "" for any other body."""
    try:
        return str(json.loads(text[:MAX_BODY_CHARS])["error"]["context"]["reason"])
    except (ValueError, KeyError, TypeError):
        return ""


def _flaws(token: str, resource: str, servers: list[str]) -> Iterator[str]:
    """Yield the problems found in the claims of a signed token. The signature is not checked."""
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (ValueError, IndexError):
        return
    if not isinstance(claims, dict):
        return
    if isinstance(expires := claims.get("exp"), int | float) and expires < time.time():
        yield f"It expired {int(time.time() - expires)} seconds ago."
    named = claims.get("aud")
    audiences = named if isinstance(named, list) else [named]
    if resource not in audiences:
        yield (
            f"Its aud is {named!r} instead of {resource}. Have the client send the parameter 'resource' (RFC 8707), or "
            "set MCP_AUDIENCE to the value that the issuer writes."
        )
    if claims.get("iss") not in servers:
        yield f"Its iss is {claims.get('iss')!r}, which the resource does not list."


def report(findings: Findings) -> str:
    """Return the findings as text, one line each, followed by the remedy."""
    lines = []
    for state, text, advice in findings.lines:
        lines.append(f"{state + ':':<7}{text}")
        if advice:
            lines.append(f"       {advice}")
    end = "An assistant cannot sign in." if findings.is_bad else "An assistant can connect."
    return "\n".join([*lines, end])
