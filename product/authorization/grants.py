"""A user's grants to a client: a session, with one-hour access tokens and refresh tokens.

A refresh token may be used once. A second use means that it was copied, so the session ends. The same applies to a
code. A code is worth nothing once the session in which it was allowed has ended.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

from pydantic import BaseModel

import policy
from product import audit
from product.accounts import made, sessions, tokens
from product.authorization import clients, metadata
from product.authorization.clients import Client
from product.context import Context
from tableapi import token_hash

ACCESS_SECONDS = 3600
ACCESS_PREFIX, REFRESH_PREFIX = "mcp_", "mcr_"
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")

_START = """
    insert into usersession (tokenhash, appuserid, clientid, ip, useragent, agent, agentid, scopes, signedinon)
    select $1, u.appuserid, u.clientid, $3, $4, $5, $6, $7, s.signedinon
    from appuser u left join usersession s on s.tokenhash = decode($8, 'hex') where u.appuserid = $2
    returning usersessionid
"""
_ISSUE = """
    insert into oauthtoken (tokenhash, usersessionid, kind, scopes, expireson)
    values ($1, $3, 'access', $4, now() + make_interval(secs => $6)),
           ($2, $3, 'refresh', $5, now() + interval '30 days')
"""
_LOCK = """
    select t.kind, t.scopes, t.usedon is not null as used, t.expireson > now() as live,
           s.usersessionid, s.agentid, s.appuserid, s.clientid, s.scopes as granted,
           s.revokedon is null and s.expireson > now() and u.isactive = 1 and u.isdeleted = 0 as open
    from oauthtoken t join usersession s using (usersessionid) join appuser u using (appuserid)
    where t.tokenhash = $1 for update of t
"""
_LOCK_USER = "select true from appuser where appuserid = $1 for share"  # a change of the password waits, or is seen
_USE = "update oauthtoken set usedon = now() where tokenhash = $1"
_EXTEND = """
    update usersession set lastused = now(), expireson = now() + interval '30 days' where usersessionid = $1
"""
_END = """
    update usersession set revokedon = now() where {} and revokedon is null returning appuserid, clientid, agent
"""
_END_OF_CODE, _END_OF_TOKEN = _END.format("tokenhash = $1"), _END.format("usersessionid = $1")


@dataclass(frozen=True, slots=True)
class _Locked:
    kind: str
    used: bool
    live: bool
    usersessionid: int
    agentid: str | None
    appuserid: int
    clientid: int
    granted: str
    open: bool


@dataclass(frozen=True, slots=True)
class _Ended:
    appuserid: int
    clientid: int
    agent: str | None


class Consent(BaseModel):
    """The grant of a user to a client, kept with the code."""

    clientid: str
    name: str
    uri: str
    scopes: str
    challenge: str
    resource: str
    session: str  # the hash of the token of the session in which it was given, in hex


class TokenError(Exception):
    """No token is issued. Has the error of RFC 6749 and a sentence for the client's developer."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description)
        self.error, self.description = error, description


@dataclass(frozen=True, slots=True)
class Tokens:
    """A pair of tokens, and the scopes of the access token."""

    access: str
    refresh: str
    scopes: str


def is_challenge(challenge: str) -> bool:
    """Whether a code challenge uses S256: 32 bytes in base64 without padding."""
    return re.fullmatch(r"[A-Za-z0-9_-]{43}", challenge) is not None


async def allow(ctx: Context, client: Client, uri: str, scopes: list[str], challenge: str) -> str:
    """Record the consent of the caller, and return the code for the client."""
    data = Consent(
        clientid=client.clientid, name=client.name, uri=uri, scopes=" ".join(scopes),
        challenge=challenge, resource=metadata.resource(ctx.settings), session=ctx.actor.session,
    )  # fmt: skip
    async with ctx.db.transaction():
        await audit.write(ctx, "agent_allowed", client.name, scopes=data.scopes, client=client.clientid[:200])
        return await tokens.issue(ctx, "oauthcode", ctx.actor.appuserid, data)


async def redeem(ctx: Context, code: str, clientid: str, verifier: str, uri: str) -> Tokens:
    """Exchange a code for tokens. Raises TokenError."""
    async with ctx.db.transaction():
        row = await tokens.use(ctx, code, "oauthcode")
        data = tokens.data(ctx, row, Consent)
        found: str | Tokens | None = None
        if row is not None and data is not None:
            found = (
                _issue_problem(data, clientid, verifier, uri)
                or await _ended_since(ctx, row.appuserid, data)
                or await _started(ctx, code, row.appuserid, data)
            )
    if isinstance(found, Tokens):
        return found
    if found is None:
        await _end(ctx, _END_OF_CODE, _session_hash(code), "agent_code_reused")
        found = "The code is unknown, has expired or was already used."
    raise TokenError("invalid_grant", found)


def _issue_problem(data: Consent, clientid: str, verifier: str, uri: str) -> str:
    """Return the reason why a code cannot be redeemed, or ""."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode("latin-1", "replace")).digest()).rstrip(b"=")
    if not hmac.compare_digest(data.clientid.encode(), clientid.encode()):
        return "The code was issued to another client."
    if uri and uri != data.uri:
        return "redirect_uri differs from the one in the authorization request."
    if not _VERIFIER.fullmatch(verifier) or not hmac.compare_digest(digest, data.challenge.encode()):
        return "code_verifier does not match code_challenge."
    return ""


async def _ended_since(ctx: Context, appuserid: int | None, data: Consent) -> str:
    """Return the reason why a code has lost its session, or ""."""
    await ctx.db.execute(_LOCK_USER, appuserid)
    session = await sessions.live(ctx, bytes.fromhex(data.session))
    if session is None or session.role in policy.SESSIONS.rejected:
        return "The session in which access was allowed has ended. Sign in again."
    return ""


async def _started(ctx: Context, code: str, appuserid: int | None, data: Consent) -> Tokens:
    """Start the session of a client, and issue its first tokens."""
    agent = ctx.request.headers.get("user-agent", "")[:300]
    session = await ctx.db.value(
        int, _START, _session_hash(code), appuserid, ctx.request.ip or None, agent, data.name, data.clientid,
        data.scopes, data.session,
    )  # fmt: skip
    await clients.keep(ctx, data.clientid)
    return await _issued(ctx, session, data.scopes, data.scopes)


async def refresh(ctx: Context, token: str, clientid: str, requested: str) -> Tokens:
    """Exchange a refresh token for new tokens, with the scopes of the grant or fewer. Raises TokenError."""
    digest = token_hash(token)
    async with ctx.db.transaction():
        row = await ctx.db.first(_Locked, _LOCK, digest)
        if row is None or row.kind != "refresh" or not row.open or row.agentid != clientid:
            raise TokenError("invalid_grant", "The refresh token is unknown, or its session has ended.")
        if not row.live:
            raise TokenError("invalid_grant", "The refresh token has expired.")
        reused = row.used
        if not reused:
            granted = row.granted.split()
            wanted = [scope for scope in requested.split() if scope in granted] if requested.strip() else granted
            if not wanted:
                raise TokenError("invalid_scope", "None of these scopes was granted.")
            await ctx.db.execute(_USE, digest)
            await ctx.db.execute(_EXTEND, row.usersessionid)
            await clients.keep(ctx, clientid)
            return await _issued(ctx, row.usersessionid, " ".join(wanted), row.granted)
    await _end(ctx, _END_OF_TOKEN, row.usersessionid, "agent_token_reused")
    raise TokenError("invalid_grant", "The refresh token was already used, so the session has ended. Sign in again.")


async def _issued(ctx: Context, session: int, scopes: str, granted: str) -> Tokens:
    access, again = (prefix + secrets.token_urlsafe(32) for prefix in (ACCESS_PREFIX, REFRESH_PREFIX))
    values = token_hash(access), token_hash(again), session, scopes, granted, float(ACCESS_SECONDS)
    await ctx.db.execute(_ISSUE, *values)
    return Tokens(access, again, scopes)


async def revoke(ctx: Context, token: str, clientid: str) -> None:
    """End the session of a client's token (RFC 7009); an unknown token changes nothing."""
    row = await ctx.db.first(_Locked, _LOCK, token_hash(token))
    if row is not None and row.agentid == clientid:
        await _end(ctx, _END_OF_TOKEN, row.usersessionid, "agent_ended")


async def _end(ctx: Context, sql: str, key: object, event: str) -> None:
    async with ctx.db.transaction():
        ended = await ctx.db.first(_Ended, sql, key)
        if ended is not None:
            await made.end_of_agents(ctx, ended.appuserid)
            await audit.write(ctx, event, ended.agent, clientid=ended.clientid, appuserid=ended.appuserid)


def _session_hash(code: str) -> bytes:
    """Return the session key for a code. It cannot collide with that of a session token."""
    return token_hash(f"session of the code {code}")
