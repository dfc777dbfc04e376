"""Customers' API keys: generate one, and find the live key that a request sent."""

from __future__ import annotations

import secrets
import string
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from product.billing.live import LIVE
from product.context import Context
from tableapi import ApiError, Forbidden, OwnKey, Unauthorized


@dataclass(frozen=True, slots=True)
class LiveKey:
    """A key that may be used."""

    keyid: int
    clientid: int
    scopes: list[str]
    istest: int
    mayuse: bool


class MissingScope(Forbidden):
    """The key lacks the scope that the call requires (403); `context.needed` names it."""

    reason = "scope"

    def __init__(self, needed: str) -> None:
        super().__init__(
            f"This API key does not have the scope '{needed}'. Add it to the key under Settings > API.",
            context={"needed": needed},
        )


class Query(BaseModel):
    """The query of a GET by key, which may have the key."""

    model_config = ConfigDict(extra="forbid")

    apikey: str = Field(default="", description="The API key, for programs that cannot send the header `X-API-Key`.")


LENGTH = 16
TEST = "test_"  # how test keys begin; other keys have no underscore
_ALPHABET = string.ascii_letters + string.digits
_FIND = """
    select k.keyid, k.clientid, k.scopes, k.istest,
           exists (select 1 from usersubscription s join subscriptionplan p using (planid)
                   where s.clientid = k.clientid and s.isactive = 1 and p.apiaccess = 1) as mayuse
    from apikeys k join appuser u on u.clientid = k.clientid and u.role = 'client'
    where (k.keyhash = any($1) or k.oldkeyhash = any($1) and k.oldkeyuntil > now())
      and k.isactive = 1 and k.isdeleted = 0 and u.isactive = 1 and u.isdeleted = 0
      and (k.expireson is null or k.expireson > now())
"""
_ACCESS = f"""
    select exists (select 1 from usersubscription s join subscriptionplan p using (planid)
                   where s.clientid = $1 and p.apiaccess = 1 and {LIVE})
"""  # noqa: S608
# In a distributed database the rows of a client are found by a constant. A key belongs to one client for ever.
_FIND_OF = f"{_FIND} and k.clientid = $2".replace("s.clientid = k.clientid", "s.clientid = $2")
_CLIENT = "select clientid from apikeys where keyhash = any($1) or oldkeyhash = any($1)"  # asks every shard
_clients: dict[bytes, int] = {}
_MOST = 100_000
_USED = "update apikeys set lastused = now() where clientid = $1 and keyid = $2 and lastused is distinct from now()"


def own_key(scope: str = "") -> OwnKey:
    """Describe the key of a script; scope: the one that it needs, "" if any key will do."""
    text = "An API key of the account, from Settings > API. Its scopes say which calls it serves."

    async def check(ctx: Context) -> None:
        key = sent(ctx)
        if (not key or key in ctx.settings.app_keys) and "x-session-token" in ctx.request.headers:
            return  # some calls accept a session, too
        await live(ctx, key, scope, test=True)

    return OwnKey("accountkey", "X-API-Key", text, scope, check)


def generate(*, test: bool = False) -> str:
    """Generate a key of 16 letters and digits; those of a test key follow its prefix."""
    start = TEST if test else ""
    return start + "".join(secrets.choice(_ALPHABET) for _ in range(LENGTH - len(start)))


def is_test(key: str) -> bool:
    """Whether a key is a test key, which product/sample answers."""
    return key.startswith(TEST)


def sent(ctx: Context) -> str:
    """Return the key in the header or, of a GET request, in the parameter `apikey`; "" if there is none."""
    key = ctx.request.query.get("apikey") if ctx.request.method == "GET" else None
    return key or ctx.request.headers.get("x-api-key") or ""


async def live(ctx: Context, key: str, scope: str = "", *, test: bool = False) -> LiveKey:
    """Return a live key of an account with API access.

    Invalid keys count against the guessing limit of the caller's network.

    Arguments:
        scope: the scope that the call requires; "" if any key will do.
        test: whether the caller answers test keys with test people.

    Raises:
        Unauthorized: the key is unknown, expired, disabled, deleted or a test key (401, scope `resource`).
        ApiError: the plan has no API access (402).
        MissingScope: the key lacks the scope (403).
    """
    async with ctx.guess():
        row = await _find(ctx, key) if key else None
        if row is None:
            if not key and ctx.request.headers.get("authorization", ""):
                raise Unauthorized(
                    "Send the API key in the header X-API-Key instead of Authorization.",
                    reason="bad_key", case="key_elsewhere", scope="resource",
                )  # fmt: skip
            if not key and ctx.request.method == "GET" and "api_key" in ctx.request.query:
                raise Unauthorized(
                    "The parameter with the API key is named apikey. Better send the key in the header X-API-Key.",
                    reason="bad_key", case="key_misnamed", scope="resource",
                )  # fmt: skip
            if not key:
                raise Unauthorized(
                    "Send an API key of your account, from Settings > API, in the header X-API-Key.",
                    reason="bad_key", case="key_missing", scope="resource",
                )  # fmt: skip
            if key in ctx.settings.app_keys:
                raise Unauthorized(
                    "This is the key of the app. Send an API key of your account, from Settings > API, in X-API-Key.",
                    reason="bad_key", case="key_of_app", scope="resource",
                )  # fmt: skip
            raise Unauthorized(
                "The API key is not valid. It is misspelt, expired, switched off or deleted: see Settings > API.",
                reason="bad_key", scope="resource",
            )  # fmt: skip
    if row.istest and not test:
        raise Unauthorized(
            "This call takes no test key. Send a key without test_, from Settings > API.",
            reason="bad_key",
            case="test_key",
            scope="resource",
        )
    if not row.mayuse:
        raise ApiError(
            "The plan of this account has no API access. Its owner can choose one that has, under Settings > Billing.",
            status=402,
            reason="plan_without_api",
        )
    if scope and scope not in row.scopes:
        raise MissingScope(scope)
    return row


async def _find(ctx: Context, key: str) -> LiveKey | None:
    hashes = ctx.vault.indexes("apikey", key)
    if not ctx.db.distributed:
        return await ctx.db.first(LiveKey, _FIND, hashes)
    clientid = _clients.get(hashes[0]) or await ctx.db.first_value(int, _CLIENT, hashes)
    if clientid is None:
        return None
    if len(_clients) >= _MOST:
        _clients.clear()
    _clients[hashes[0]] = clientid
    return await ctx.db.first(LiveKey, _FIND_OF, hashes, clientid)


async def require_access(ctx: Context, clientid: int) -> None:
    """Raise ApiError (402) if the plan of an account has no API access."""
    if not await ctx.db.first_value(bool, _ACCESS, clientid):
        raise ApiError(
            "Your plan has no API access. Choose one that has, under Settings > Billing.",
            case="upgrade_for_api", status=402, reason="plan_without_api",
        )  # fmt: skip


def reject_app_key(ctx: Context) -> None:
    """Raise Unauthorized for the key of the app without a session (401)."""
    if not ctx.request.session_token:
        raise Unauthorized(
            "This is the key of the app, which needs a session in X-Session-Token next to it. Send an API key of your "
            "account, from Settings > API, in X-API-Key.",
            case="app_key_alone",
        )


async def used(ctx: Context, clientid: int, keyid: int) -> None:
    """Record that a key was used now."""
    await ctx.db.execute(_USED, clientid, keyid)
