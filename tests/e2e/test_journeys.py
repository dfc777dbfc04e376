"""Run each journey of frontend/e2e in Chromium against its own demo server and SMTP server."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from tests.helpers.support import ROOT, NewDatabase, Serve, free_port

# Parts of journeys, and the journeys of test_sheets and test_apidocs.
ELSEWHERE = ("browser", "mail", "dailywork", "apidocs")
JOURNEYS = sorted(path for path in (ROOT / "frontend" / "e2e").glob("*.mjs") if path.stem not in ELSEWHERE)
MAILED = {"signup": "Verify", "team": "invite"}  # the mails that the journey must have sent
PATIENCE = 300


class Postbox:
    """An SMTP server that keeps the subjects of its mails."""

    def __init__(self) -> None:
        self.subjects: list[str] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        self.subjects.append(str(message_from_bytes(envelope.original_content)["Subject"]))
        return "250 OK"


@pytest.fixture
def postbox() -> Iterator[tuple[Postbox, str]]:
    box, port = Postbox(), free_port()
    smtp = Controller(box, hostname="127.0.0.1", port=port)
    smtp.start()
    yield box, f"smtp://127.0.0.1:{port}"
    smtp.stop()


@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda path: path.stem)
def test_a_person_walks_through(
    journey: Path, serve: Serve, new_database: NewDatabase, postbox: tuple[Postbox, str]
) -> None:
    mails, mail_url = postbox
    settings = {"DEMO": "1", "WORKERS": "1", "RATE_LIMITS": "off", "DATABASE_URL": new_database(), "MAIL_URL": mail_url}
    server = serve(cwd=ROOT, **settings)
    walked = subprocess.run(
        ["node", str(journey), server.url], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert walked.returncode == 0, walked.stdout + walked.stderr
    if expected := MAILED.get(journey.stem):
        assert any(expected.lower() in subject.lower() for subject in mails.subjects), mails.subjects
