"""Run tests of the product on a database that already contains data, such as a restored backup."""

from __future__ import annotations

import subprocess
import sys

from tests.helpers.support import ROOT, clean_environment

FILES = ("test_getcontact.py", "test_session.py", "test_members.py", "test_usage.py")


def product_tests(url: str) -> subprocess.CompletedProcess[str]:
    """Run the tests in FILES on the database, and return pytest's result."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(
        command + [f"tests/product/{name}" for name in FILES], cwd=ROOT, capture_output=True, text=True, check=False,
        env=clean_environment(TEST_PRODUCT_URL=url), timeout=600,
    )  # fmt: skip
