"""Run `python -m tests.system.replay`: record the program's current responses into tests/data/replay.jsonl.gz.

`tests/system/replay/test_replay.py` compares them. After an intended change of behaviour, record again and describe the
difference in the change log.
"""

from __future__ import annotations

import os
import sys

import pytest

if __name__ == "__main__":
    os.environ["RECORD_REPLAY"] = "1"
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "tests/system/replay/test_replay.py"]))
