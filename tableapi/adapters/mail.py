"""Mail out: an SMTP server (MAIL_URL), and in demo a mailbox that /sandbox/mail shows. One message at a time.

What a mail says is the product's; whether a failure is tried again is the queue's.
"""

from __future__ import annotations

from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid, parseaddr
from urllib.parse import unquote, urlsplit

import aiosmtplib

from tableapi.sandbox.mailbox import Mailbox

SECONDS = 20.0


class MailNotSetUp(Exception):
    """There is neither MAIL_URL nor a demo mailbox, so the mail stays in the queue."""


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail, ready to be sent. `attachment` is (file name, PDF bytes)."""

    to: str
    subject: str
    text: str
    html: str
    attachment: tuple[str, bytes] | None = None


class Post:
    """Sends mails from one address."""

    def __init__(self, sender: str, url: str | None, mailbox: Mailbox | None) -> None:
        self._sender, self._url, self._mailbox = sender, url, mailbox

    async def send(self, mail: Mail) -> None:
        """Send one mail; raises MailNotSetUp, OSError or SMTP's own errors, and then it was not sent."""
        if not self._url and self._mailbox is None:
            raise MailNotSetUp("Set MAIL_URL to send mail.")
        message = self._message(mail)
        if self._url:
            await self._smtp(message, self._url)
        if self._mailbox is not None:
            await self._mailbox.keep(message)

    def _message(self, mail: Mail) -> EmailMessage:
        message = EmailMessage()
        name, address = parseaddr(self._sender)
        message["From"] = Address(display_name=name, addr_spec=address)
        message["To"] = mail.to
        message["Subject"] = " ".join(mail.subject.split())  # no line break can start another header
        message["Date"] = formatdate(usegmt=True)
        message["Message-ID"] = make_msgid(domain=address.rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(mail.text)
        message.add_alternative(mail.html, subtype="html")
        if mail.attachment:
            name, data = mail.attachment
            message.add_attachment(data, maintype="application", subtype="pdf", filename=name)
        return message

    async def _smtp(self, message: EmailMessage, url: str) -> None:
        parts = urlsplit(url)
        secure = parts.scheme == "smtps"
        await aiosmtplib.send(
            message,
            hostname=parts.hostname,
            port=parts.port or (465 if secure else 25),
            username=unquote(parts.username) if parts.username else None,
            password=unquote(parts.password) if parts.password else None,
            use_tls=secure,
            timeout=SECONDS,
        )
