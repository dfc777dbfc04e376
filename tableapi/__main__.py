"""Run the command line as `python -m tableapi`."""

import sys

from tableapi.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
