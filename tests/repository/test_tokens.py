"""The copies of the design tokens match frontend/shared/tokens.css, and no color is defined elsewhere."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.helpers.support import ROOT

# Pages, mails and documents that are not part of the app.
USERS = (
    "product/mail/base.html",
    "product/billing/invoice.typ",
    "sandbox/page.py",
    "sandbox/mail.py",
    "sandbox/oidc.py",
    "sandbox/stripe/look.py",
    "frontend/extension/popup.css",
    "tableapi/openapi/docs/docs.css",
)
COLOR = re.compile(r"#[0-9a-fA-F]{3,8}\b(?!;)|\brgb\([\d\"]")


def test_the_copies_are_up_to_date() -> None:
    checked = subprocess.run([str(ROOT / "tools" / "tokens"), "--check"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, f"run tools/tokens: {checked.stdout}{checked.stderr}"


@pytest.mark.parametrize("name", USERS)
def test_files_with_shared_tokens_contain_no_literal_colors(name: str) -> None:
    assert COLOR.findall((ROOT / name).read_text()) == []
