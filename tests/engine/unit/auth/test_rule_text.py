"""Row rules in words."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from tableapi.auth.rights import Right
from tableapi.auth.rule_text import SECURED, UNSAID, rule_of
from tableapi.schema.model import Column, Table
from tableapi.schema.pgtypes import TEXT

NAMES = ("id", "clientid", "status", "secret", "deleted")
CLAUSE = sa.table("note", *(sa.column(name) for name in NAMES))
OTHER = sa.table("link", sa.column("noteid"), sa.column("clientid"))
TABLE = Table(
    "public",
    "note",
    "note",
    "r",
    CLAUSE,
    {name: Column(name, TEXT, nullable=True, default=None, identity="", generated=False) for name in NAMES},
)


def shared(t: Any, actor: Any) -> Any:
    return sa.exists().where(OTHER.c.noteid == t.c.id, OTHER.c.clientid == actor.clientid)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (None, ""),
        (lambda t, a: t.c.clientid == a.clientid, "clientid = your clientid"),
        (
            lambda t, a: sa.and_(t.c.clientid == a.clientid, t.c.deleted == 0),
            "clientid = your clientid AND deleted = 0",
        ),
        (lambda t, a: sa.or_(t.c.id == a.id, t.c.status == "it's"), "(id = your id OR status = 'it''s')"),
        (
            lambda t, a: sa.and_(t.c.deleted == 0, sa.or_(t.c.id == 1, t.c.id == 2)),
            "deleted = 0 AND (id = 1 OR id = 2)",
        ),
        (lambda t, a: t.c.status.in_(["a", "b"]), "status IN ('a', 'b')"),
        (lambda t, a: t.c.status.not_in(["a"]), "status NOT IN ('a')"),
        (lambda t, a: t.c.status.is_(None), "status IS NULL"),
        (lambda t, a: t.c.status.is_not(None), "status IS NOT NULL"),
        (lambda t, a: sa.false(), "no row"),
        (lambda t, a: sa.true(), "every row"),
        (lambda t, a: t.c.secret == "x", UNSAID),
        (lambda t, a: sa.and_(t.c.secret == "x", shared(t, a), t.c.deleted == 0), f"deleted = 0 AND {UNSAID}"),
        (lambda t, a: sa.func.lower(t.c.status) == "x", UNSAID),
        (lambda t, a: t.c.id == OTHER.c.noteid, UNSAID),
        (lambda t, a: sa.not_(shared(t, a)), UNSAID),
        (lambda t, a: t.c.deleted >= 5, "deleted >= 5"),
        (lambda t, a: t.c.status.like("a%"), "status LIKE 'a%'"),
    ],
)
def test_a_rule_is_described_only_with_visible_columns(rows: Any, said: str) -> None:
    assert rule_of(TABLE, Right(rows=rows), lambda name: name != "secret") == said


def test_row_security_of_the_database_is_mentioned() -> None:
    assert rule_of(TABLE, Right(secured=True), lambda name: True) == SECURED
