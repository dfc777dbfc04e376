"""The command `tableapi`, also as `python -m tableapi`."""

from __future__ import annotations

import gc
import sys

from tableapi.config.output import Output
from tableapi.version import install_command

SERVER = {"dotenv", "httptools", "pgqueuer", "prometheus_client", "pydantic_settings", "uvicorn", "uvloop"}


def main() -> int | None:
    """Run the command line; without the extra `server`, say how to install it."""
    # Imports create 100,000 objects that live until the exit. Collections that visit them would take 0.1 s during the
    # imports and 0.2 s at the exit.
    gc.disable()
    sys.stdout, sys.stderr = Output(sys.stdout), Output(sys.stderr)
    try:
        from tableapi.cli.main import main as run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in SERVER:
            raise
        print(
            f"tableapi: the command needs packages that are not installed: {install_command('server')}.",
            file=sys.stderr,
        )
        return 2
    gc.freeze()
    gc.enable()
    try:
        return run()
    finally:
        gc.freeze()


if __name__ == "__main__":
    sys.exit(main())
