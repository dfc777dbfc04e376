"""Every table of a PostgreSQL database as an HTTP API.

from tableapi import TableAPI

api = TableAPI({"shop": "postgresql://..."}, open=True)  # an ASGI application

The names below are the public API (docs/reference/python.md); `tableapi.testing` serves a project inside a test. Every
other module is internal and may change with any version.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tableapi.app.api import TableAPI
    from tableapi.auth.authenticators import Authenticator
    from tableapi.auth.policy import ANYONE, Access, Actor, DatabaseRole, KeyedHash, Rule, SealedTable, Sessions
    from tableapi.auth.webhook import Webhook, webhook_url
    from tableapi.cli.progress import ProgressBar
    from tableapi.config.environment import EnvironmentSettings
    from tableapi.config.settings import Name, Origin, Settings
    from tableapi.crypto.tls import tls_context
    from tableapi.crypto.vault import Vault, derive_key, token_hash, unseal
    from tableapi.errors import (
        ApiError,
        BadRequest,
        Busy,
        Conflict,
        FieldError,
        Forbidden,
        Internal,
        Invalid,
        MethodNotAllowed,
        NotFound,
        Stale,
        TooLarge,
        TooMany,
        Unauthorized,
        UnsupportedMedia,
    )
    from tableapi.http.body import parse_object
    from tableapi.http.multipart import UploadedFile, uploaded_files
    from tableapi.http.public_address import is_public_address
    from tableapi.http.response import attachment
    from tableapi.observability.metrics import count_event
    from tableapi.project.context import Context
    from tableapi.project.guard import OwnKey, hook, parse_limits, script, validate
    from tableapi.project.jobs import list_jobs, retry_job
    from tableapi.project.project import Project, ProjectPages, Vendors
    from tableapi.project.writes import Write
    from tableapi.query.filter.equalities import equalities
    from tableapi.query.spelling import suggestion
    from tableapi.ratelimit.counter import network
    from tableapi.tables.export import Export, file_format, write_file
    from tableapi.webhooks.project_queue import QueuedEvent, WebhookQueue
    from tableapi.webhooks.sender import WebhookAttempt, send_event
    from tableapi.webhooks.signature import WebhookEvent

__all__ = [
    "ANYONE", "Access", "Actor", "ApiError", "Authenticator", "BadRequest", "Busy", "Conflict", "Context",
    "DatabaseRole", "EnvironmentSettings", "Export", "FieldError", "Forbidden", "Internal", "Invalid", "KeyedHash",
    "MethodNotAllowed", "Name", "NotFound", "Origin", "OwnKey", "ProgressBar", "Project", "ProjectPages",
    "QueuedEvent", "Rule", "SealedTable", "Sessions", "Settings", "Stale", "TableAPI", "TooLarge", "TooMany",
    "Unauthorized", "UnsupportedMedia", "UploadedFile", "Vault", "Vendors", "Webhook", "WebhookAttempt",
    "WebhookEvent", "WebhookQueue", "Write", "attachment", "count_event", "derive_key", "equalities", "file_format",
    "hook", "is_public_address", "list_jobs", "network", "parse_limits", "parse_object", "retry_job", "script",
    "send_event", "suggestion", "tls_context", "token_hash", "unseal", "uploaded_files", "validate", "webhook_url",
    "write_file",
]  # fmt: skip

# Each line: a module, and names that it has.
_NAMES = """
app.api TableAPI
auth.authenticators Authenticator
auth.policy ANYONE Access Actor DatabaseRole KeyedHash Rule SealedTable Sessions
auth.webhook Webhook webhook_url
cli.progress ProgressBar
config.environment EnvironmentSettings
config.settings Name Origin Settings
crypto.tls tls_context
crypto.vault Vault derive_key token_hash unseal
errors ApiError BadRequest Busy Conflict FieldError Forbidden Internal Invalid MethodNotAllowed NotFound Stale
errors TooLarge TooMany Unauthorized UnsupportedMedia
http.body parse_object
http.multipart UploadedFile uploaded_files
http.public_address is_public_address
http.response attachment
observability.metrics count_event
project.context Context
project.guard OwnKey hook parse_limits script validate
project.jobs list_jobs retry_job
project.project Project ProjectPages Vendors
project.writes Write
query.filter.equalities equalities
query.spelling suggestion
ratelimit.counter network
tables.export Export file_format write_file
webhooks.project_queue QueuedEvent WebhookQueue
webhooks.sender WebhookAttempt send_event
webhooks.signature WebhookEvent
"""
_MODULES = {name: module for module, *names in map(str.split, _NAMES.strip().splitlines()) for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import tableapi` and the command line stay light."""
    if name not in _MODULES:
        raise AttributeError(f"module 'tableapi' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"tableapi.{_MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
