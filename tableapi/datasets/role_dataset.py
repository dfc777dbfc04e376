"""A dataset that runs its statements as a PostgreSQL role, under its row-level security."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from tableapi.auth.policy import Actor, DatabaseRole
from tableapi.datasets import answer_size
from tableapi.db.roles import RoleLane, is_setting, settings_sql
from tableapi.query.plan import Bindings, Plan

# Credentials do not belong in settings, which functions may log. A resume token would make every stream unique.
_LEFT_OUT = frozenset(
    ("authorization", "cookie", "x-api-key", "x-dreamfactory-api-key", "x-session-token",
     "x-dreamfactory-session-token", "last-event-id")
)  # fmt: skip


class _Lanes:
    """The lanes of an acting dataset. Their connections are never pipelined."""

    def __init__(self, db: Any, statement: str) -> None:
        self.reads = RoleLane(db.reads, statement, readonly=True)
        self.writes = RoleLane(db.writes, statement, readonly=False)


class ActingDataset:
    """A dataset used by a caller with a database role, for one request.

    role_sql: sets the role and the request's settings for the rest of a transaction.
    """

    pinned = False

    def __init__(self, dataset: Any, acts: DatabaseRole, settings: Mapping[str, str]) -> None:
        self._dataset = dataset
        self.role_sql = settings_sql(acts.name, settings)
        self.db = _Lanes(dataset.db, self.role_sql)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dataset, name)

    async def fetchrow(self, plan: Plan, values: Bindings, caller: str) -> Any:
        """Run the plan of a read on the primary, and return its row."""
        turns = self._dataset.db.reads.lease_turns
        if not turns.enter(caller):
            await turns.wait(caller)
        try:
            async with self.db.reads.acquire() as connection:
                row = await answer_size.fetchrow(self._dataset.limits, connection.fetchrow, plan, values)
        finally:
            turns.leave(caller)
        answer_size.check_body(self._dataset.limits, plan, row)
        return row


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
