"""Clients that act for users: registered ones, and those identified by the URL of a metadata document.

A client is a user's program or a third-party site, and has no secret: PKCE binds each sign-in to it.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from product.authorization import documents
from product.context import Context
from tableapi import ApiError, BadRequest

MAX_CLIENTS = 10_000  # unexpired registrations
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{0,60}")
# A program's own scheme is its domain reversed (RFC 8252, 7.1). These programs have another one. Any further scheme
# could belong to the system: ms-settings, search-ms, mailto, tel and many others.
_PROGRAMS = frozenset((
    "claude", "cursor", "goose", "jetbrains", "kiro", "raycast", "trae", "vscode", "vscode-insiders", "vscodium",
    "warp", "windsurf", "zed",
))  # fmt: skip
# An hour is left for the first consent. The oldest unused registration makes room, so that a flood of them locks
# no other application out.
_INSERT = """
    with evicted as (
        delete from oauthclient where oauthclientid = (
            select oauthclientid from oauthclient where expireson - createdon <= interval '1 hour'
            order by createdon limit 1
        ) and (select count(*) from oauthclient) >= $5
        returning true
    )
    insert into oauthclient (oauthclientid, name, redirecturis, ip, expireson)
    select $1, $2, $3, $4, now() + interval '1 hour'
    where exists (select from evicted) or (select count(*) from oauthclient where expireson > now()) < $5
    returning true
"""
_FIND = "select name, redirecturis from oauthclient where oauthclientid = $1 and expireson > now()"
_KEEP = "update oauthclient set expireson = now() + interval '30 days' where oauthclientid = $1"


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    redirecturis: list[str]


class BadClient(BadRequest):
    """The client or its redirect URI is unknown, so nothing is sent to that URI."""

    reason = "bad_client"


class TooManyClients(ApiError):
    """No client can register at the moment."""

    status, reason = 503, "too_many_clients"


class Document(BaseModel):
    """Client metadata (RFC 7591); other members are ignored."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    redirect_uris: list[str] = Field(min_length=1, max_length=10)
    client_name: str | None = Field(default=None, max_length=200)
    client_id: str | None = Field(default=None, max_length=2000)


@dataclass(frozen=True, slots=True)
class Client:
    """A client. `host`: the host of its document, "" if it registered under a name of its choice."""

    clientid: str
    name: str
    redirect_uris: tuple[str, ...]
    host: str = ""

    def accepts(self, uri: str) -> bool:
        """Whether responses may be sent to a redirect URI. On this machine the port may vary (RFC 8252)."""
        return uri in self.redirect_uris or any(_same_but_port(uri, known) for known in self.redirect_uris)


async def register(ctx: Context, document: Document) -> Client:
    """Store a client for an hour; a consent extends that.

    Raises:
        BadClient: one of the client's URIs is not allowed.
        TooManyClients: there are MAX_CLIENTS registrations, all of them in use.
    """
    client = _client(secrets.token_urlsafe(18), document)
    values = client.clientid, client.name, list(client.redirect_uris), ctx.request.ip or None, MAX_CLIENTS
    if not await ctx.db.first_value(bool, _INSERT, *values):
        raise TooManyClients("Too many applications are connected at the moment. Try again tomorrow.")
    return client


async def find(ctx: Context, clientid: str) -> Client:
    """Return a client by its identifier. Raises BadClient."""
    if clientid.startswith(("https://", "http://")):
        return await _of_document(ctx, clientid)
    row = await ctx.db.first(_Found, _FIND, clientid)
    if row is None:
        raise BadClient(
            "This application is not registered here, or its registration has expired. Connect it again.",
            case="client_unknown",
        )
    return Client(clientid, row.name, tuple(row.redirecturis))


async def keep(ctx: Context, clientid: str) -> None:
    """Extend a registration that is in use."""
    await ctx.db.execute(_KEEP, clientid)


async def _of_document(ctx: Context, clientid: str) -> Client:
    """Return the client that is identified by the URL of its metadata. Raises BadClient."""
    try:
        content = await documents.fetch(clientid, local=urlsplit(ctx.settings.public_url).hostname in _LOOPBACK)
        document = Document.model_validate_json(content)
    except documents.Unreadable as error:
        raise BadClient(f"The application's metadata cannot be read: {error}.", case="client_unreadable") from None
    except ValidationError:
        raise BadClient(
            "The application's metadata must be a JSON object with redirect_uris.", case="client_without_redirect"
        ) from None
    if document.client_id != clientid:
        raise BadClient("The client_id in the application's metadata differs from its URL.", case="client_id_differs")
    return _client(clientid, document, urlsplit(clientid).netloc)


def _client(clientid: str, document: Document, host: str = "") -> Client:
    uris = tuple(dict.fromkeys(document.redirect_uris))
    if wrong := next((uri for uri in uris if not _is_usable(uri)), None):
        raise BadClient(
            f"The redirect URI {wrong[:100]!r} must use https, an address of this machine, or the application's own "
            "scheme: its domain reversed, such as com.example.app."
        )
    name = "".join(char for char in document.client_name or "" if char.isprintable()).strip()[:100]
    return Client(clientid, name or host or "Unnamed application", uris, host)


def _is_usable(uri: str) -> bool:
    """Whether a redirect URI is allowed: https, this machine, or a scheme of a program.

    A browser reads a backslash as a slash (WHATWG URL), and a user name hides the host.
    """
    parts = _split(uri)
    if (
        parts is None
        or "#" in uri
        or "\\" in uri
        or "@" in parts.netloc
        or len(uri) > 2000
        or not uri.isascii()
        or not uri.isprintable()
        or " " in uri
    ):
        return False
    if parts.scheme == "https":
        return bool(parts.hostname)
    if parts.scheme == "http":
        return parts.hostname in _LOOPBACK
    return _SCHEME.fullmatch(parts.scheme) is not None and ("." in parts.scheme or parts.scheme in _PROGRAMS)


def _same_but_port(uri: str, known: str) -> bool:
    sent, kept = _split(uri), _split(known)
    if sent is None or kept is None or kept.scheme != "http" or kept.hostname not in _LOOPBACK:
        return False
    return _is_usable(uri) and (sent.scheme, sent.hostname, sent.path, sent.query) == (
        kept.scheme, kept.hostname, kept.path, kept.query,
    )  # fmt: skip


def _split(uri: str) -> SplitResult | None:
    try:
        parts = urlsplit(uri)
        parts.port  # noqa: B018 - raises ValueError if it is not a number
    except ValueError:
        return None
    return parts
