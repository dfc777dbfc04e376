"""Hooks of /_table/webhook: create, change and delete the webhooks of an account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated

from pydantic import AfterValidator, Field

from product import audit, webhooks
from product.accounts import proof, sessions
from product.context import Context
from product.records import Record
from tableapi import BadRequest, Conflict, NotFound, validate

Events = Annotated[
    list[webhooks.EventName], Field(min_length=1, max_length=4), AfterValidator(lambda names: sorted(set(names)))
]


@dataclass(frozen=True, slots=True)
class _Added:
    webhookid: int
    url: str
    events: list[str]
    isactive: int
    createdon: str


# A proof belongs beside the records. In one of them it is ignored, or the error would ask an agent for it.
COLUMNS = frozenset((
    "webhookid", "clientid", "url", "events", "isactive", "createdon", "secret",
    *proof.Proof.model_fields,
))  # fmt: skip


class NewWebhook(Record):
    columns = COLUMNS

    url: str = Field(min_length=1, max_length=500)
    events: Events


class Change(Record):
    columns = COLUMNS

    webhookid: int = Field(ge=1, lt=2**63)
    url: str | None = Field(default=None, min_length=1, max_length=500)
    events: Events | None = None
    isactive: int | None = Field(default=None, ge=0, le=1)


# The balance is the lock that enforces the limit for simultaneous requests.
_LOCK = "select 1 from usercredit where clientid = $1 for update"
_COUNT = "select count(*) from webhook where clientid = $1"
_ADD = f"""
    with added as (
        insert into webhook (clientid, url, events, secret, madeby)
        select $1, $2, $3, $4, {sessions.maker("$5", "$6")}
        returning webhookid, url, events, isactive, createdon)
    select webhookid, url, events, isactive, createdon::text from added
"""  # noqa: S608
_CHANGE = f"""
    update webhook set url = coalesce($3, url), events = coalesce($4, events), isactive = coalesce($5, isactive),
        madeby = case when coalesce($3, url) = url then madeby else {sessions.maker("$6", "$7")} end
    where clientid = $1 and webhookid = $2 returning webhookid
"""  # noqa: S608
_MOVES = """
    select exists (select 1 from webhook w join unnest($2::bigint[], $3::text[]) as sent (webhookid, url)
                   using (webhookid) where w.clientid = $1 and sent.url <> w.url)
"""
_DELETE = "delete from webhook where clientid = $1 and webhookid = $2 returning webhookid"


async def post(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object], beside: proof.Proof
) -> list[dict[str, object]]:
    """Create one webhook. The response has the secret that verifies its signatures."""
    if len(records) != 1:
        raise BadRequest("Create one webhook at a time.", reason="bad_records", case="one_webhook")
    body = validate(NewWebhook, records[0])
    webhooks.check_address(ctx, body.url)
    proved = await proof.is_proved(ctx, beside)
    clientid, secret = ctx.actor.clientid, webhooks.new_secret()
    async with ctx.db.transaction():
        await ctx.db.execute(_LOCK, clientid)
        if await ctx.db.value(int, _COUNT, clientid) >= webhooks.MOST:
            raise Conflict(
                f"You already have {webhooks.MOST} webhooks. Delete one first.",
                context={"limit": webhooks.MOST},
                reason="webhook_limit",
            )
        values = (clientid, body.url, body.events, ctx.vault.seal(secret), ctx.actor.session, proved)
        row = await ctx.db.one(_Added, _ADD, *values)
        await audit.write(ctx, "webhook_created", row.webhookid, events=body.events)
    return [asdict(row) | {"secret": secret}]


async def patch(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object], beside: proof.Proof
) -> list[dict[str, object]]:
    """Change the address or the events of webhooks, or pause them. A new address is like a new webhook."""
    changes = [validate(Change, record) for record in records]
    for change in changes:
        if change.url is not None:
            webhooks.check_address(ctx, change.url)
    moves = await ctx.db.value(bool, _MOVES, ctx.actor.clientid, *_addresses(changes))
    by = (ctx.actor.session, await proof.is_proved(ctx, beside) if moves else False)
    async with ctx.db.transaction():
        for change in changes:
            values = (ctx.actor.clientid, change.webhookid, change.url, change.events, change.isactive, *by)
            if await ctx.db.first_value(int, _CHANGE, *values) is None:
                raise NotFound(f"There is no webhook with the id {change.webhookid}.", case="no_such_webhook")
            await audit.write(ctx, "webhook_changed", change.webhookid)
    return [{"webhookid": change.webhookid} for change in changes]


async def delete(
    ctx: Context, records: list[dict[str, object]], _options: Mapping[str, object]
) -> list[dict[str, object]]:
    """Delete webhooks with their deliveries."""
    try:
        idents = [int(str(record["webhookid"])) for record in records]
    except (KeyError, ValueError):
        raise BadRequest(
            "Send webhookid, the id of the webhook.", reason="bad_identifier", case="which_webhook"
        ) from None
    async with ctx.db.transaction():
        for ident in idents:
            if await ctx.db.first_value(int, _DELETE, ctx.actor.clientid, ident) is None:
                raise NotFound(f"There is no webhook with the id {ident}.", case="no_such_webhook")
            await audit.write(ctx, "webhook_deleted", ident)
    return [{"webhookid": ident} for ident in idents]


def _addresses(changes: list[Change]) -> tuple[list[int], list[str | None]]:
    return [change.webhookid for change in changes], [change.url for change in changes]
