"""The webhooks that a server declares: checked and recorded before it starts serving."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib.util import find_spec
from types import ModuleType

from tableapi.app.declared import declared, schema_of
from tableapi.app.options import ServeOptions
from tableapi.auth.webhook import MAX_WEBHOOKS, Webhook
from tableapi.changes.triggers import CannotRecord
from tableapi.config.command_error import MissingExtra
from tableapi.datasets.declared import BadRights
from tableapi.db.session import connect
from tableapi.project.files import load_policy
from tableapi.schema import introspection
from tableapi.schema.model import only as only_tables
from tableapi.webhooks import recording
from tableapi.webhooks.dispatcher import full_name
from tableapi.webhooks.statement import check_webhooks, dataset_of


async def check_declared(served: ServeOptions, *, private: bool) -> None:
    """Check the declared webhooks against the schemas of the databases. Safe to repeat.

    private: the setting WEBHOOKS_PRIVATE.

    Raises:
        BadRights: one names something that does not exist, or an address that is not permitted.
        OSError, PostgresError: a database cannot be reached.
    """
    webhooks, sealed = declared_webhooks(served)
    if not webhooks:
        return
    if served.access is not None:
        named = {name: await schema_of(url, served.access.database_roles) for name, url in served.urls.items()}
        check_webhooks(webhooks, named, {}, private=private)
        return
    policies, _, roles = declared(served)
    schemas = {name: await schema_of(url, roles) for name, url in served.urls.items()}
    known = {name: only_tables(schema, frozenset(policies[0])) for name, schema in schemas.items()}
    check_webhooks(webhooks, known, sealed, private=private)


def declared_webhooks(
    served: ServeOptions, policy: ModuleType | None = None
) -> tuple[tuple[Webhook, ...], Mapping[str, Collection[str]]]:
    """Return the webhooks of a server, and the encrypted columns by table.

    policy: the policy module of a project, if already loaded.

    Raises:
        BadRights: an entry is not a webhook, or there are too many.
    """
    if served.access is not None:
        return served.access.webhooks, {}
    if served.open:
        return (), {}
    webhooks, tables = served.webhooks, served.policy or {}
    if served.project is not None:
        module = policy or load_policy(served.project)
        webhooks, tables = tuple(getattr(module, "WEBHOOKS", ())), module.POLICY
    if not all(isinstance(webhook, Webhook) for webhook in webhooks) or len(webhooks) > MAX_WEBHOOKS:
        raise BadRights(f"WEBHOOKS must contain at most {MAX_WEBHOOKS} instances of Webhook.")
    return webhooks, {name: access.sealed for name, access in tables.items()}


def check_webhook_extra(webhooks: Collection[Webhook]) -> None:
    """Raise MissingExtra if there are webhooks but the package that sends them is not installed."""
    if webhooks and find_spec("httpx2") is None:
        raise MissingExtra("A webhook", "webhooks")


async def record_webhooks(served: ServeOptions, say: Callable[[str], None]) -> None:
    """Record changes of the tables with webhooks; report missing permissions through `say`.

    Raises OSError, PostgresError.
    """
    webhooks, _ = declared_webhooks(served)
    for name, url in served.urls.items():
        own = [webhook for webhook in webhooks if dataset_of(webhook, served.urls) == name]
        if not own:
            continue
        connection = await connect(url, timeout=5, server_settings={"application_name": "tableapi-webhooks"})
        try:
            schema, _ = await introspection.read(connection)
            found = (schema.find(webhook.table) for webhook in own)
            tables = {table.name: table for table in found if table is not None}
            await recording.record(connection, tables, [full_name(name, webhook) for webhook in own], say)
        except CannotRecord as error:
            say(f"Webhooks of '{name}' are not delivered: {error}")
        finally:
            await connection.close()
