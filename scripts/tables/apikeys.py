"""Hooks of /_table/apikeys: create keys, and disable or delete them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field
from pydantic_core import PydanticCustomError

from product import api_keys, audit
from product.accounts import proof, sessions
from product.billing import plans
from product.context import Context
from product.records import Record
from tableapi import BadRequest, Conflict, Forbidden, NotFound, validate


@dataclass(frozen=True, slots=True)
class _Added:
    keyid: int
    purpose: str
    name: str
    scopes: list[str]
    expireson: str | None
    istest: int
    createdon: str


@dataclass(frozen=True, slots=True)
class _Row:
    keyid: int
    apikey: str
    isactive: int
    isdeleted: int
    istest: int
    scopes: list[str]


def _future(value: datetime | None) -> datetime | None:
    if value is not None and value <= datetime.now(UTC):
        raise PydanticCustomError("date_past", "Must be in the future")
    return value


Scope = Literal["lookup", "enrich", "search", "contacts", "usage"]
Scopes = Annotated[list[Scope], Field(min_length=1, max_length=5), AfterValidator(lambda names: sorted(set(names)))]
Expiry = Annotated[AwareDatetime | None, AfterValidator(_future)]


# A proof belongs beside the records. In one of them it is ignored, or the error would ask an agent for it.
COLUMNS = frozenset((
    "keyid", "clientid", "apikey", "name", "purpose", "isactive", "isdeleted", "lastused", "createdon", "scopes",
    "expireson", "istest", "oldkeyuntil",
    *proof.Proof.model_fields,
))  # fmt: skip


class Key(Record):
    columns = COLUMNS

    purpose: str = Field(min_length=1, max_length=200)
    name: str = Field(default="", max_length=100)
    apikey: str = ""
    scopes: Scopes = Field(default=["lookup"])
    expireson: Expiry = None
    istest: int = Field(default=0, ge=0, le=1)


class Change(Record):
    columns = COLUMNS

    keyid: int = Field(ge=1, lt=2**63)
    purpose: str | None = Field(default=None, min_length=1, max_length=200)
    name: str | None = Field(default=None, max_length=100)
    apikey: str | None = None
    isactive: int | None = Field(default=None, ge=0, le=1)
    isdeleted: int | None = Field(default=None, ge=0, le=1)
    scopes: Scopes | None = None
    expireson: Expiry = None
    istest: int | None = Field(default=None, ge=0, le=1)


_TAKE = "update usercredit set apicallcount = apicallcount - 1 where clientid = $1 and apicallcount > 0 returning true"
_RESERVED = """
    delete from reservedkey where keyhash = any($1) and clientid = $2 and createdon > now() - interval '10 minutes'
    returning true
"""
_ADD = f"""
    with added as (
        insert into apikeys (clientid, apikey, keyhash, name, purpose, scopes, expireson, istest, madeby)
        select $1, $2, $3, $4, $5, $6, $7, $8, {sessions.maker("$9", "$10")}
        returning keyid, purpose, name, scopes, expireson, istest, createdon)
    select keyid, purpose, name, scopes, expireson::text, istest, createdon::text from added
"""  # noqa: S608
_ROW = "select * from apikeys where keyid = $1 and clientid = $2 for update"
_CHANGE = """
    update apikeys set purpose = coalesce($2, purpose), name = coalesce($3, name), isactive = $4, isdeleted = $5,
        scopes = coalesce($6, scopes), expireson = coalesce($7, expireson)
    where clientid = $8 and keyid = $1
"""


async def post(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object], beside: proof.Proof
) -> list[dict[str, object]]:
    """Create one key. A key in the body is used only if `generateapikey` reserved it for this account."""
    if len(records) != 1:
        raise BadRequest("Create one key at a time.", reason="bad_records", case="one_key")
    body = validate(Key, records[0])
    proved = await proof.is_proved(ctx, beside)
    clientid = ctx.actor.clientid
    async with ctx.db.transaction():
        await ctx.db.execute("select 1 from usercredit where clientid = $1 for update", clientid)
        await api_keys.require_access(ctx, clientid)
        if not await ctx.db.first_value(bool, _TAKE, clientid):
            raise Conflict("Your plan does not allow more API keys. Delete one, or upgrade.", reason="key_limit")
        hashes = ctx.vault.indexes("apikey", body.apikey or "")
        reserved = bool(body.apikey) and bool(await ctx.db.first_value(bool, _RESERVED, hashes, clientid))
        test = bool(body.istest) or (reserved and api_keys.is_test(body.apikey))
        key = body.apikey if reserved and api_keys.is_test(body.apikey) == test else api_keys.generate(test=test)
        # With KEYS_SHOWN_ONCE only this response contains the key.
        stored = key[:4] + "*" * 12 if ctx.settings.keys_shown_once else key
        sealed, hashed = ctx.vault.seal(stored), ctx.vault.index("apikey", key)
        row = await ctx.db.one(_Added, _ADD, clientid, sealed, hashed, body.name, body.purpose,
                                         body.scopes, body.expireson, int(test), ctx.actor.session, proved)  # fmt: skip
        await audit.write(ctx, "key_created", row.keyid, scopes=body.scopes)
    return [asdict(row) | {"apikey": key}]


async def patch(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]
) -> list[dict[str, object]]:
    """Change what a key is for, disable it for good, or delete it, which returns its allowance once."""
    changes = [validate(Change, record) for record in records]
    async with ctx.db.transaction():
        await ctx.db.execute("select 1 from usercredit where clientid = $1 for update", ctx.actor.clientid)
        for change in changes:
            await _change(ctx, change)
    return [{"keyid": change.keyid} for change in changes]


async def _change(ctx: Context, change: Change) -> None:
    row = await ctx.db.first(_Row, _ROW, change.keyid, ctx.actor.clientid)
    if row is None:
        raise NotFound(f"There is no key with the id {change.keyid}.", case="no_such_key")
    is_other = change.apikey is not None and change.apikey != ctx.vault.open(row.apikey)
    if is_other or change.istest not in (None, row.istest):
        raise Forbidden(
            "A key cannot be changed, only switched off. Create a new one.",
            reason="field_not_writable",
            case="key_fixed",
        )
    active = row.isactive if change.isactive is None else change.isactive
    deleted = row.isdeleted if change.isdeleted is None else change.isdeleted
    if (active and not row.isactive) or (row.isdeleted and not deleted):
        raise Forbidden(
            "A key that was switched off stays off. Create a new one.",
            reason="field_not_writable",
            case="key_stays_off",
        )
    await ctx.db.execute(_CHANGE, change.keyid, change.purpose, change.name, 0 if deleted else active, deleted,
                         change.scopes, change.expireson, ctx.actor.clientid)  # fmt: skip
    if deleted and not row.isdeleted:
        await plans.update_allowances(ctx, ctx.actor.clientid)
    if (active, deleted) != (row.isactive, row.isdeleted):
        await audit.write(ctx, "key_deleted" if deleted else "key_disabled", change.keyid)
    if change.scopes is not None and change.scopes != sorted(row.scopes):
        await audit.write(ctx, "key_scopes_changed", change.keyid, scopes=change.scopes)
