"""If asyncpg lacks a private attribute, starting fails and names it."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from tableapi.db.database import Db
from tableapi.db.pipeline import internals


async def test_a_missing_attribute_is_reported_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(internals, "_CONNECTION", ("_transport", "_socket"))
    monkeypatch.setattr(internals, "_PROTOCOL", ("backend_pid", "backend_key"))

    async def cancel(connection: Any) -> None:
        """Has other parameters than asyncpg's function."""

    monkeypatch.setattr("asyncpg.connect_utils._cancel", cancel)
    with pytest.raises(internals.UnsupportedAsyncpg) as raised:
        await Db("postgresql://nowhere").connect()
    assert str(raised.value).startswith(
        f"asyncpg {asyncpg.__version__} has no Connection._socket, no Protocol.backend_key, no connect_utils._cancel("
    )


def test_the_installed_asyncpg_has_all_required_attributes() -> None:
    internals.check()
