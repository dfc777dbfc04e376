"""Every table of a PostgreSQL database as an HTTP API.

from tableapi import TableAPI

api = TableAPI({"shop": "postgresql://..."}, open=True)  # an ASGI application
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tableapi.app.api import TableAPI
    from tableapi.auth.policy import ANYONE, Access, Actor, DatabaseRole, Rule, Sessions
    from tableapi.config.settings import EnvironmentSettings, Settings
    from tableapi.errors import ApiError
    from tableapi.project.context import Context
    from tableapi.project.guard import script
    from tableapi.project.project import Project

__all__ = [
    "ANYONE",
    "Access",
    "Actor",
    "ApiError",
    "Context",
    "DatabaseRole",
    "EnvironmentSettings",
    "Project",
    "Rule",
    "Sessions",
    "Settings",
    "TableAPI",
    "script",
]

_MODULES = {
    "TableAPI": "tableapi.app.api",
    "ANYONE": "tableapi.auth.policy",
    "Access": "tableapi.auth.policy",
    "Actor": "tableapi.auth.policy",
    "DatabaseRole": "tableapi.auth.policy",
    "Rule": "tableapi.auth.policy",
    "Sessions": "tableapi.auth.policy",
    "EnvironmentSettings": "tableapi.config.settings",
    "Settings": "tableapi.config.settings",
    "Context": "tableapi.project.context",
    "script": "tableapi.project.guard",
    "Project": "tableapi.project.project",
    "ApiError": "tableapi.errors",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import tableapi` and the command line stay light."""
    if name not in _MODULES:
        raise AttributeError(f"module 'tableapi' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
