"""The demo's mailbox: every mail that was sent, as a file under DATA_DIR, shown at /sandbox/mail.

Files, not rows: the links in the mails carry one-use tokens, which a dump of the database must not show.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

MOST = 500  # older mails are dropped


@dataclass(frozen=True, slots=True)
class StoredMail:
    """One mail of the mailbox."""

    id: str
    to: str
    subject: str
    date: str
    text: str
    html: str


class Mailbox:
    """Mails in a folder; the name of a file sorts by time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, message: EmailMessage) -> None:
        """Keep a mail that was sent."""
        await asyncio.to_thread(self._write, message)

    def _write(self, message: EmailMessage) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = f"{time.time_ns():020}-{secrets.token_hex(4)}"
        part = self._folder / f"{name}.part"
        part.write_bytes(message.as_bytes())
        part.rename(self._folder / f"{name}.eml")
        for old in sorted(self._folder.glob("*.eml"))[:-MOST]:
            old.unlink(missing_ok=True)

    async def all(self) -> list[StoredMail]:
        """Newest first."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> list[StoredMail]:
        return [_parsed(file) for file in sorted(self._folder.glob("*.eml"), reverse=True)]

    async def one(self, mailid: str) -> StoredMail | None:
        """The mail with this id."""
        file = self._folder / f"{mailid}.eml"
        if not mailid.replace("-", "").isalnum() or not await asyncio.to_thread(file.is_file):
            return None
        return await asyncio.to_thread(_parsed, file)


def _parsed(file: Path) -> StoredMail:
    message = message_from_bytes(file.read_bytes(), policy=policy.default)
    assert isinstance(message, EmailMessage)
    bodies = {kind: message.get_body((kind,)) for kind in ("plain", "html")}
    text, html = (str(part.get_content()) if part else "" for part in bodies.values())
    return StoredMail(file.stem, str(message["To"]), str(message["Subject"]), str(message["Date"]), text, html)
