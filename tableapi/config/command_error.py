"""The error that ends a command with one line on standard error instead of a traceback."""

from __future__ import annotations

from typing import ClassVar


class CommandError(Exception):
    """Raised for a problem that the user of a command can solve.

    The message is one line that says what to do. `code` is the exit code: 1 for a failure, 2 for wrong arguments or
    settings.
    """

    code: ClassVar[int] = 1
