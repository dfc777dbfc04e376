"""Keep secrets out of the process list, where every user of the machine can read arguments."""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path

_PASSWORD = re.compile(rb"(?<=://)([^/?#:@\0]*:)([^/?#\0]+)(?=@)|([?&]password=)([^&\0]+)", re.IGNORECASE)
_SECRET_OPTIONS = (b"--api-key", b"--session", b"--token")
_ARG_START = 47  # place of `arg_start` in /proc/self/stat, counted from 0; `arg_end` follows


def masked(arguments: bytes) -> bytes:
    """Replace passwords in URLs, keys and tokens in a command line by asterisks of the same length.

    Each of the `arguments` ends with NUL, as in /proc/self/cmdline.
    """
    words, is_value = [], False
    for word in _PASSWORD.sub(_stars, arguments).split(b"\0"):
        name, sign, value = word.partition(b"=")
        # argparse also accepts abbreviated options.
        is_secret = len(name) > 4 and any(option.startswith(name) for option in _SECRET_OPTIONS)
        if is_value:
            words.append(b"*" * len(word))
        else:
            words.append(name + sign + b"*" * len(value) if is_secret and sign else word)
        is_value = is_secret and not sign and not is_value
    return b"\0".join(words)


def _stars(match: re.Match[bytes]) -> bytes:
    name, value = (match[1], match[2]) if match[2] is not None else (match[3], match[4])
    return name + b"*" * len(value)


def hide_secrets() -> None:
    """Mask the secrets among the arguments of this process and of its forks.

    Linux exposes the memory that holds the arguments, so they are overwritten there. This does nothing on other
    systems; pass DATASETS in the environment instead.
    """
    if sys.platform != "linux":
        return
    try:
        # The program name, in parentheses, may contain spaces.
        fields = Path("/proc/self/stat").read_bytes().rpartition(b") ")[2].split()
        start, end = int(fields[_ARG_START - 2]), int(fields[_ARG_START - 1])
        if 0 < start < end:
            arguments = ctypes.string_at(start, end - start)
            if (hidden := masked(arguments)) != arguments:
                ctypes.memmove(start, hidden, len(hidden))
    except (OSError, ValueError, IndexError):  # no /proc
        return
