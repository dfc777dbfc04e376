"""Wake the server's main thread when a signal arrives, whichever thread the kernel delivers it to."""

from __future__ import annotations

import selectors
import signal
import socket
import threading
import time
from contextlib import suppress

_CHUNK = 4096


class Interrupt(threading.Event):
    """An event that signal handlers may set while the main thread waits for it.

    With `threading.Event`, a server may miss SIGTERM: a signal that the kernel delivers to another thread does not wake
    the main thread, which alone runs Python's handlers, and a handler that runs while the main thread holds the event's
    lock never returns. Here the main thread waits for a socket that every signal writes to.
    """

    def __init__(self) -> None:
        super().__init__()
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._reader, selectors.EVENT_READ)
        self._was_set = False

    def is_set(self) -> bool:
        return self._was_set

    def set(self) -> None:
        """End the wait, from any thread or signal handler."""
        self._was_set = True
        with suppress(BlockingIOError):  # a full buffer wakes the main thread as well
            self._writer.send(b"\0")

    def clear(self) -> None:
        self._was_set = False

    def wait(self, timeout: float | None = None) -> bool:
        """Wait up to `timeout` seconds, and return whether the event is set. For the main thread."""
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        end = None if timeout is None else time.monotonic() + timeout
        while not self._was_set:
            remaining = None if end is None else end - time.monotonic()
            if remaining is not None and remaining <= 0:
                break
            self._selector.select(remaining)
            with suppress(BlockingIOError):
                self._reader.recv(_CHUNK)
        return self._was_set
