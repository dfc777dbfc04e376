"""The statement that creates the events of one webhook from the outbox."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from tableapi.auth.policy import Actor
from tableapi.auth.rights import FullRights, Right
from tableapi.auth.webhook import Webhook
from tableapi.datasets.declared import BadRights
from tableapi.errors import ApiError
from tableapi.query import aggregate, fields
from tableapi.query.expressions.conditions import where
from tableapi.query.expressions.operands import Scope
from tableapi.query.filter import cache
from tableapi.query.limits import Limits
from tableapi.query.plan import Bindings
from tableapi.query.spelling import suggestion
from tableapi.query.statement import Binder, arguments, bound, finish
from tableapi.schema.model import Schema, Table
from tableapi.schema.sqltypes import DIALECT

OPERATIONS = {"created": "i", "updated": "u", "deleted": "d"}
MAX_RECORD_BYTES = 262_144  # larger records are sent as null, to bound the memory used for deliveries
# The parameters after those of the filter: the webhook, its type without the verb, the table, the operations, the
# position that the webhook has reached, and the position up to which it reads.
_INSERT = """
    with changed as materialized (
        select c.seq, c.operation, c.parts -> '*' ->> 2 as at, c.key::text as key,
               case when c.operation = 'd' then c.parts -> '*' -> 0 else c.parts -> '*' -> 1 end as doc
        from tableapi_changes.change c
        where c.relation = ${n3}::int8::oid and c.operation = any(${n4}::text[]::"char"[]) and c.parts ? '*'
          and c.xid >= pg_snapshot_xmin(${n5}::text::pg_snapshot)
          and not pg_visible_in_snapshot(c.xid, ${n5}::text::pg_snapshot)
          and pg_visible_in_snapshot(c.xid, ${n6}::text::pg_snapshot)
    ), found as ({found})
    insert into tableapi_changes.delivery (webhook, event, type, at, record_key, key, record)
    select ${n1}::text, 'msg_' || replace(gen_random_uuid()::text, '-', ''),
           ${n2}::text || case f.operation when 'i' then '.created' when 'u' then '.updated' else '.deleted' end,
           f.at::timestamptz, md5(f.key), f.ident::text,
           case when octet_length(f.record::text) > {most} then 'null' else f.record::text end
    from found f order by f.seq
"""


@dataclass(frozen=True, slots=True)
class EventStatement:
    """The statement of a webhook. values: those of its filter. table: when it was built."""

    sql: str
    values: tuple[Any, ...]
    table: Table


def dataset_of(webhook: Webhook, names: Collection[str]) -> str:
    """Return the dataset name of a webhook.

    Raises:
        BadRights: the webhook names no dataset although there are several, or one that does not exist.
    """
    if not webhook.dataset and len(names) == 1:
        return next(iter(names))
    if webhook.dataset not in names:
        raise BadRights(
            f"The webhook '{webhook.name}' names the dataset '{webhook.dataset}', which does not exist."
            f"{suggestion(webhook.dataset, names)}"
        )
    return webhook.dataset


def check_webhooks(
    webhooks: Collection[Webhook],
    schemas: Mapping[str, Schema],
    sealed: Mapping[str, Collection[str]],
    *,
    private: bool,
) -> None:
    """Check the names and filters of webhooks against the databases.

    Raises:
        BadRights: a dataset, table or column does not exist, a filter is invalid, two webhooks have the same name, or
            one sends over http without WEBHOOKS_PRIVATE (`private`).
    """
    names = set()
    for webhook in webhooks:
        dataset = dataset_of(webhook, schemas)
        if (dataset, webhook.name) in names:
            raise BadRights(f"Two webhooks are named '{webhook.name}'. Give each its own name.")
        names.add((dataset, webhook.name))
        if not private and not webhook.url.startswith("https://"):
            raise BadRights(
                f"The webhook '{webhook.name}' sends to {webhook.url.partition('?')[0]}, which is not https. Set "
                "WEBHOOKS_PRIVATE=on to allow http and private addresses."
            )
        event_statement(webhook, schemas[dataset], Limits(), sealed)


def event_statement(
    webhook: Webhook, schema: Schema, limits: Limits, sealed: Mapping[str, Collection[str]]
) -> EventStatement:
    """Build the statement that inserts the events of a webhook.

    sealed: the encrypted columns by table, which are not sent.

    Raises:
        BadRights: the table or a column does not exist, the table has no key, or the filter is invalid.
    """
    place = f"The webhook '{webhook.name}'"
    table = schema.find(webhook.table)
    if table is None:
        hint = suggestion(webhook.table, schema.tables)
        raise BadRights(f"{place} names the table '{webhook.table}', which does not exist.{hint}")
    if table.kind not in "rp" or not table.key:
        raise BadRights(f"{place} needs a table with a primary key; '{table.name}' has none.")
    hidden = frozenset(sealed.get(table.name, ()))
    for name in webhook.fields or ():
        if name not in table.columns:
            hint = suggestion(name, table.columns)
            raise BadRights(f"{place} names the column '{name}' in fields, which does not exist.{hint}")
        if name in hidden:
            raise BadRights(f"{place} names the column '{name}' in fields, which is sealed and cannot be sent.")
    names = webhook.fields or tuple(name for name in table.columns if name not in hidden)
    try:
        return _compiled(webhook, table, names, Right(computed=None, sealed=hidden), limits)
    except ApiError as error:
        raise BadRights(f"{place} has an invalid filter: {error.message}") from None


def _compiled(webhook: Webhook, table: Table, names: Collection[str], right: Right, limits: Limits) -> EventStatement:
    tree, literals = cache.parse(webhook.filter, limits.filter) if webhook.filter.strip() else (None, [])
    binder = Binder(limits=limits.filter)
    change = sa.table("changed", *(sa.column(name) for name in ("seq", "operation", "at", "key", "doc")))
    quote = DIALECT.identifier_preparer.quote_identifier
    empty: Any = sa.literal_column(f"null::{quote(table.schema)}.{quote(table.bare)}")
    columns = (sa.column(column.name, column.type) for column in table.clause.c)
    row = sa.func.jsonb_populate_record(empty, change.c.doc).table_valued(*columns, name=binder.name("t"))
    scope = Scope(table, row, right, FullRights(), binder)
    select = sa.select(
        change.c.seq,
        change.c.operation,
        change.c.at,
        change.c.key,
        _object(scope, row, table.key).label("ident"),
        _object(scope, row, names).label("record"),
    ).select_from(change, row)
    statement = finish(select.where(*where(scope, tree.tree if tree else None)), binder)
    values = arguments(bound(statement), Bindings(Actor("*"), literals, {}, [], limits=limits.filter))
    numbers = {f"n{number}": len(values) + number for number in range(1, 7)}
    sql = _INSERT.format(found=statement.sql, most=MAX_RECORD_BYTES, **numbers)
    return EventStatement(sql, tuple(values), table)


def _object(scope: Scope, row: Any, names: Collection[str]) -> Any:
    """Return columns of the row as a JSON object, in the format of a read."""
    labels = aggregate.labels(list(names))
    shown = (fields.of_column(scope, scope.table.columns[name]).shown() for name in names)
    columns = sa.select(*(value.label(label) for value, label in zip(shown, labels or names, strict=True)))
    record = columns.correlate(row).subquery(scope.binder.name("r"))
    return sa.select(aggregate.json_of(record, list(names) if labels else None)).select_from(record).scalar_subquery()
