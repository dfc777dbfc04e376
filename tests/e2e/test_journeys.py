"""Run the journeys of frontend/e2e in Chromium, each against its own demo server or together with a few others."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from tests.helpers.journeys import FRONTEND, run_journey
from tests.helpers.support import ROOT, NewDatabase, Serve, free_port

# Parts of journeys, and the journeys of the other files of this folder.
ELSEWHERE = (
    "browser", "mail", "screens", "server", "states", "steady", "dailywork", "apidocs", "desk", "docs", "docpictures",
    "imports", "otherorigin", "pictures", "studio", "studioedit", "studiohome", "studiokeys", "studiosignin",
    "studiowebhooks",
)  # fmt: skip
# Journeys that do not affect each other share a server and one start of the browser.
SHARED = (
    "billing|changeemail", "checkout|doubleclick", "contacts|reach", "early|look|transitions|undo",
    "extension|language", "focus|phone|references", "firstcall|inputs|links|offline|signup|social",
    "changes|sales|team|twostep", "numbers|studioapp|webhooks",
)  # fmt: skip
ALONE = {path.stem for path in (FRONTEND / "e2e").glob("*.mjs")} - set(ELSEWHERE) - set("|".join(SHARED).split("|"))
JOURNEYS = sorted(ALONE | set(SHARED))
MAILED = {"signup": "Verify", "team": "invite"}  # the mails that the journey must have sent


class Postbox:
    """An SMTP server that keeps the subjects of its mails."""

    def __init__(self) -> None:
        self.subjects: list[str] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        self.subjects.append(str(message_from_bytes(envelope.original_content)["Subject"]))
        return "250 OK"


@pytest.fixture
def postbox() -> Iterator[tuple[Postbox, str]]:
    mails, port = Postbox(), free_port()
    smtp = Controller(mails, hostname="127.0.0.1", port=port)
    smtp.start()
    yield mails, f"smtp://127.0.0.1:{port}"
    smtp.stop()


@pytest.mark.parametrize("journey", JOURNEYS)
def test_a_journey_passes(journey: str, serve: Serve, new_database: NewDatabase, postbox: tuple[Postbox, str]) -> None:
    mails, mail_url = postbox
    settings = {"DEMO": "1", "WORKERS": "1", "RATE_LIMITS": "off", "DATABASE_URL": new_database(), "MAIL_URL": mail_url}
    server = serve(cwd=ROOT, **settings)
    run_journey(journey, server.url)
    for subject in (MAILED[name] for name in journey.split("|") if name in MAILED):
        assert any(subject.lower() in sent.lower() for sent in mails.subjects), mails.subjects
