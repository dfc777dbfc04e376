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
    """Replace passwords of addresses, keys and tokens in a command line by as many asterisks.

    `arguments` end with NUL each, as in /proc/self/cmdline.
    """
    words, is_value = [], False
    for word in _PASSWORD.sub(_stars, arguments).split(b"\0"):
        name, sign, value = word.partition(b"=")
        # argparse also takes the beginning of an option for the whole.
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
    """Mask the secrets among the arguments of this process, and of those that it forks.

    Linux shows the memory of the arguments, so they are replaced there. On other systems nothing is done: pass DATASETS
    in the environment instead.
    """
    if sys.platform != "linux":
        return
    try:
        # The name of the program, in parentheses, may hold blanks.
        fields = Path("/proc/self/stat").read_bytes().rpartition(b") ")[2].split()
        start, end = int(fields[_ARG_START - 2]), int(fields[_ARG_START - 1])
        if 0 < start < end:
            arguments = ctypes.string_at(start, end - start)
            if (hidden := masked(arguments)) != arguments:
                ctypes.memmove(start, hidden, len(hidden))
    except (OSError, ValueError, IndexError):  # no /proc
        return
