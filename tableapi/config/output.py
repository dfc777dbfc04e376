"""Output to a reader that may go away, such as `| head`."""

from __future__ import annotations

import os
from typing import Any, TextIO


class Output:
    """A stream that continues to /dev/null once its reader has closed it, so that a command goes on.

    A failed print would leave a server without the part that handles its signals.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text, or drop it without a reader."""
        try:
            return self._stream.write(text)
        except OSError:
            self._drop()
            return len(text)

    def flush(self) -> None:
        """Flush the stream, or drop its contents without a reader."""
        try:
            self._stream.flush()
        except OSError:
            self._drop()

    def _drop(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
