"""The command `tableapi`, also as `python -m tableapi`."""

from __future__ import annotations

import sys

from tableapi.version import install_command

SERVER = {"dotenv", "granian", "pgqueuer", "prometheus_client", "pydantic_settings", "uvicorn", "uvloop"}


def main() -> int | None:
    """Run the command line; without the extra `server`, say how to install it."""
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
    return run()


if __name__ == "__main__":
    sys.exit(main())
