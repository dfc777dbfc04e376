"""The demo mailbox: stores each sent mail as a file under DATA_DIR, shown at /sandbox/mail.

Mails are files instead of rows, because their links contain one-time tokens, which must not appear in database dumps.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

MAX_MAILS = 500  # older mails are deleted


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
    """Mails in a folder; file names sort by time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def keep(self, message: EmailMessage) -> None:
        """Store a sent mail."""
        await asyncio.to_thread(self._write, message)

    def _write(self, message: EmailMessage) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = f"{time.time_ns():020}-{secrets.token_hex(4)}"
        part = self._folder / f"{name}.part"
        part.write_bytes(message.as_bytes())
        part.rename(self._folder / f"{name}.eml")
        for old in sorted(self._folder.glob("*.eml"))[:-MAX_MAILS]:
            old.unlink(missing_ok=True)

    async def all(self) -> list[StoredMail]:
        """Return all mails, newest first."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> list[StoredMail]:
        return [_parsed(file) for file in sorted(self._folder.glob("*.eml"), reverse=True)]

    async def one(self, mailid: str) -> StoredMail | None:
        """Return the mail with this id, or None."""
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
