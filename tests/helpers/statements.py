"""Record the statements that this process sends to PostgreSQL, and hand them over to a test of another process.

The tests of the product run once, in any worker of a run; `tests/system/statements/test_citus.py` checks the plans of
the statements that they sent.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import orjson
import pytest

from tableapi.db.pipeline.connection import PipelinedConnection
from tableapi.db.session import Connection
from tests.helpers.support import ROOT

FOLDER = "RECORDED_STATEMENTS"  # the setting of a run that another run started
# Tests of the product that buy, refund, invite, import, erase and sign in.
PLAYED = tuple(f"tests/product/test_{name}.py" for name in (
    "account_webhooks", "addonpayment", "agent_tools", "authorization", "bulklookup", "counters", "creditback",
    "custom_plans", "desk_accounts", "desk_calls", "desk_queue", "drop", "enrich", "getcontact", "importpeople",
    "invoicepdf", "keylookup", "keys_of_accounts", "list_files", "lists", "members", "password", "people_vendor",
    "plan_changes", "proof", "provider_changes", "refunds", "removal", "searchpeople", "second_factor", "session",
    "signup", "social", "stolen_session", "stripe", "subscription_state", "takeover", "tax_ids", "term_bitmaps",
    "uploads", "usage", "webhooks_payment",
))  # fmt: skip
# Every role on every table and call.
REPLAYED = "tests/system/replay/test_replay.py"


@contextmanager
def recorded() -> Iterator[set[str]]:
    """Record the texts of all statements that are run inside the block."""
    texts = set[str]()

    def noted(method: Callable[..., Any], text: Callable[..., str]) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(*args: Any, **options: Any) -> Any:
            texts.add(text(*args))
            return method(*args, **options)

        return call

    def of_request(_: PipelinedConnection, request: Any) -> str:
        sql: str = request.sql
        return sql

    def of_asyncpg(_: asyncpg.Connection, sql: str, *args: Any) -> str:
        return sql

    with pytest.MonkeyPatch.context() as patch:
        for owner, name, text in (
            (PipelinedConnection, "send", of_request),
            (asyncpg.Connection, "_get_statement", of_asyncpg),  # of every statement with parameters or rows
            (asyncpg.Connection, "execute", of_asyncpg),
            (Connection, "fetchrow", of_asyncpg),  # runs statements that it prepared earlier
        ):
            patch.setattr(owner, name, noted(getattr(owner, name), text))
        yield texts


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """Return the folder that all workers of a run share."""
    if folder := os.environ.get(FOLDER):
        return Path(folder)
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


DESELECTED = pytest.StashKey[set[str]]()


def whole_files(session: pytest.Session) -> set[str]:
    """Return the files of PLAYED, and REPLAYED, of which this run has every test."""
    if any("::" in word for word in session.config.args):
        return set()
    present = {str(item.path.relative_to(ROOT)) for item in session.items}
    partial: set[str] = session.config.stash.setdefault(DESELECTED, set())
    return present & {*PLAYED, REPLAYED} - partial


def _file(folder: Path, test: str) -> Path:
    return folder / f"statements.{Path(test).stem}.json"


def hand_over(folder: Path, test: str, texts: set[str]) -> None:
    """Keep what a file of tests ran; it appears as a whole."""
    file = _file(folder, test)
    (part := file.with_suffix(".part")).write_bytes(orjson.dumps(sorted(texts)))
    part.rename(file)


def handed_over(folder: Path, test: str) -> set[str] | None:
    """Return the statements that a file of tests ran; None while it has not ended."""
    file = _file(folder, test)
    return set(orjson.loads(file.read_bytes())) if file.exists() else None
