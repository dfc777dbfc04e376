"""A progress bar on standard error; if that is not a terminal, a line every ten seconds."""

from __future__ import annotations

import sys
import time
from typing import TextIO

WIDTH = 30
SECONDS_IN_FILE = 10.0  # between lines, if the output is not a terminal


class ProgressBar:
    """Show `Importing [#####.....]  48 %  1,230,000/min`. `total` is in the unit of `done`."""

    def __init__(self, label: str, total: int, out: TextIO = sys.stderr) -> None:
        self._label, self._total, self._out = label, max(1, total), out
        self._started = time.monotonic()
        self._shown = self._started if not out.isatty() else 0.0

    def at(self, done: int, items: int) -> None:
        """Show progress: `done` of the total, and a rate computed from `items`."""
        now = time.monotonic()
        if now - self._shown >= (0.2 if self._out.isatty() else SECONDS_IN_FILE):
            self._shown = now
            self._draw(done, items)

    def stop(self) -> None:
        """Leave the bar as it is and start a new line."""
        if self._out.isatty():
            self._out.write("\n")
            self._out.flush()

    def end(self, items: int) -> None:
        """Show the full bar and start a new line."""
        self._draw(self._total, items)
        self.stop()

    def _draw(self, done: int, items: int) -> None:
        part = min(1.0, done / self._total)
        filled = int(part * WIDTH)
        rate = items / max(0.001, time.monotonic() - self._started) * 60
        bar = "#" * filled + "." * (WIDTH - filled)
        text = f"{self._label} [{bar}] {part * 100:3.0f} %  {rate:,.0f}/min"
        self._out.write(f"\r{text} " if self._out.isatty() else f"{text}\n")
        self._out.flush()
