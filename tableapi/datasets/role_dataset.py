"""A dataset that runs its statements as a PostgreSQL role, under its row-level security."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from tableapi.auth.policy import Actor, DatabaseRole
from tableapi.datasets.dataset import Dataset
from tableapi.db.database import Db
from tableapi.db.roles import RoleLane, is_setting, settings_sql

# Credentials do not belong in settings, which functions may log. A resume token would make every stream unique.
_LEFT_OUT = frozenset(
    ("authorization", "cookie", "x-api-key", "x-dreamfactory-api-key", "x-session-token",
     "x-dreamfactory-session-token", "last-event-id")
)  # fmt: skip


class _Lanes:
    """The lanes of an acting dataset. Their connections are never pipelined."""

    def __init__(self, db: Db, statement: str) -> None:
        self.reads = RoleLane(db.reads, statement, readonly=True)
        self.writes = RoleLane(db.writes, statement, readonly=False)


def acting(dataset: Dataset, acts: DatabaseRole, settings: Mapping[str, str]) -> Dataset:
    """Return the dataset for a caller with a database role, for one request."""
    statement = settings_sql(acts.name, settings)
    return dataset.view(_Lanes(dataset.served.db, statement), role_sql=statement)


def request_settings(
    acts: DatabaseRole, actor: Actor, method: str, path: str, headers: Mapping[str, str]
) -> dict[str, str]:
    """Return the settings of a request, named as in PostgREST (docs/guides/row-security.md)."""
    claims = claims_of(actor, acts)
    shown = {name: value for name, value in headers.items() if name not in _LEFT_OUT}
    settings = {
        "request.jwt.claims": _json(claims),
        "request.method": method,
        "request.path": path,
        "request.headers": _json(shown),
    }
    for name, value in claims.items():
        if is_setting(name):
            settings[f"request.jwt.claim.{name}"] = value if isinstance(value, str) else _json(value)
    return settings


def claims_of(actor: Actor, acts: DatabaseRole) -> Mapping[str, Any]:
    """Return the claims of a token; for other callers, the values of the session or key, and the role."""
    if actor.claims is not None:
        return actor.claims
    return {name.removeprefix("user."): value for name, value in actor.values.items()} | {"role": acts.name}


def _json(value: Any) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
