"""The `tableapi changes` command."""

from __future__ import annotations

from collections.abc import Sequence

from tableapi.app.options import BadDatasets, of_any
from tableapi.changes import triggers
from tableapi.db.session import connect


def named_url(dataset: str) -> tuple[str, str]:
    """Return the name and the URL in `NAME=URL`. Raises BadDatasets."""
    return next(iter(of_any([dataset], is_open=True, access=None, key="", host="127.0.0.1").urls.items()))


def parted(words: Sequence[str]) -> dict[str, frozenset[str]]:
    """Parse tables and their columns to record from words such as `item` and `item:shop,kind`."""
    tables = {}
    for word in words:
        name, _, columns = word.partition(":")
        tables[name] = frozenset(column for column in columns.split(",") if column)
    return tables


async def set_recording(
    url: str, action: str, tables: dict[str, frozenset[str]], *, only: bool, reader: str | None = None
) -> None:
    """Create the triggers of these tables, or remove all. Raises CannotRecord, BadDatasets.

    reader: a role to grant read access to the outbox.
    """
    if action == "install" and not tables:
        raise BadDatasets(
            "Name the tables in policy.py with changes=True, or pass them after 'install' together with --dataset. "
            "Columns to record may follow a table, as in item:shop."
        )
    connection = await connect(url, timeout=10, server_settings={"application_name": "tableapi-changes"})
    try:
        if action == "install":
            await triggers.install(connection, tables, print, only=only)
            if reader:
                await triggers.permit(connection, reader)
            print(f"Changes of {len(tables)} table{'s' if len(tables) != 1 else ''} are recorded.")
        else:
            await triggers.remove(connection, print)
    finally:
        await connection.close(timeout=5)
