"""The prepared statements that one connection keeps."""

from __future__ import annotations

from typing import Generic, TypeVar

Statement = TypeVar("Statement")
MAX_CHARS = 2_000_000  # of SQL that a connection keeps; a read of all relations of a wide schema has a million


class PreparedStatements(dict[str, Statement], Generic[Statement]):
    """Prepared statements by SQL, the least recently used first, limited in number and characters."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most, self._chars = most, 0

    def make_room(self, sql: str) -> list[Statement]:
        """Remove the statements that another one displaces, and return them."""
        displaced = []
        while self and (len(self) >= self._most or self._chars + len(sql) > MAX_CHARS):
            oldest = next(iter(self))
            displaced.append(self.pop(oldest))
            self._chars -= len(oldest)
        return displaced

    def keep(self, sql: str, statement: Statement) -> list[Statement]:
        """Add a statement, and return those that it displaces."""
        displaced = self.make_room(sql)
        self[sql] = statement
        self._chars += len(sql)
        return displaced

    def used(self, sql: str) -> Statement | None:
        """Return a statement, which becomes the most recently used one; None for an unknown one."""
        statement = self.pop(sql, None)
        if statement is not None:
            self[sql] = statement
        return statement

    def clear(self) -> None:
        super().clear()
        self._chars = 0
