"""Why a command ends early: something that its user can cause and mend. Told in one line, never as a traceback."""

from __future__ import annotations

from typing import ClassVar


class CommandError(Exception):
    """The message is one line that says what to do. `code` is the exit code: 1 cannot, 2 asked for wrongly."""

    code: ClassVar[int] = 1


class MissingExtra(CommandError):
    """A setting asks for a feature whose package is not installed."""

    def __init__(self, setting: str, extra: str) -> None:
        super().__init__(f"{setting} needs packages that are not installed: pip install 'tableapi[{extra}]'.")
