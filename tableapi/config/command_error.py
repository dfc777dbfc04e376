"""The errors that end a command with one line on standard error instead of a traceback."""

from __future__ import annotations

from typing import ClassVar

from tableapi.version import install_command


class CommandError(Exception):
    """Raised for a problem that the user of a command can solve.

    The message is one line that gives the remedy. `code` is the exit code: 1 for a failure, 2 for wrong arguments or
    settings.
    """

    code: ClassVar[int] = 1


class BadSettings(CommandError):
    """Raised for an invalid setting. The message names it."""

    code = 2


class MissingExtra(CommandError):
    """A setting requires a feature from a package that is not installed."""

    def __init__(self, setting: str, extra: str) -> None:
        super().__init__(f"{setting} needs packages that are not installed: {install_command(extra)}.")
