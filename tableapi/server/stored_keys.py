"""Check that SECRET_KEYS open the values in the database of a project, before anything is served.

With other keys, contact data would be unreadable, and an import would not recognize the people on the removal list.
"""

from __future__ import annotations

from pathlib import Path

import asyncpg

from tableapi.config.command_error import BadSettings
from tableapi.config.settings import Settings
from tableapi.crypto.vault import HASHES, HEAD, Vault
from tableapi.db.session import connect


async def check_stored(settings: Settings, folder: Path) -> None:
    """Raise BadSettings if a stored value of any sealed column was sealed with another key."""
    if all(key.startswith(HASHES) for key in settings.secret_keys):
        return
    # Imported here, because the query builder takes a third of the time of a command that prints one line.
    from tableapi.project.files import sealed_declarations
    from tableapi.server.sealed_tables import CannotRotateKeys, RotatedTable, declared

    policy, kept = sealed_declarations(folder)
    heads = Vault(settings.secret_keys).heads
    connection = await connect(settings.direct_url, timeout=10)
    try:
        for declaration in declared(policy, kept):
            try:
                table = await RotatedTable.read(connection, declaration)
            except CannotRotateKeys:  # not created yet
                continue
            for column in table.sealed:
                head = await connection.fetchval(table.sample(column))
                if head is not None and len(head) == HEAD and head not in heads:
                    raise BadSettings(
                        f"SECRET_KEYS do not open {table.name}.{column}: the database was written with another key. "
                        "Add that key, or restore the folder 'secrets' of DATA_DIR."
                    )
    except asyncpg.InsufficientPrivilegeError:
        return  # another user's tables, which this one does not read either
    finally:
        await connection.close(timeout=5)
