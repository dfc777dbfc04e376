"""Send mail through MAIL_URL and, with DEMO=1, store it in the mailbox of /sandbox/mail.

Retrying a failed mail is the task of the job queue.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, make_msgid, parseaddr
from urllib.parse import unquote, urlsplit

import aiosmtplib

from product.vendors.mailbox import Mailbox

SECONDS = 10.0
MAX_REMEMBERED = 10_000


class MailNotSetUp(Exception):
    """Neither MAIL_URL nor the demo mailbox is set up; the mail stays in the queue."""


class MailServerAway(ConnectionError):
    """The SMTP server is unreachable, times out, or does not speak SMTP."""


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail. `attachment` is (file name, PDF bytes); `mark` identifies the mail across retries."""

    to: str
    subject: str
    text: str
    html: str
    attachment: tuple[str, bytes] | None = None
    mark: str = ""


class Mailer:
    """Sends mail from one address."""

    def __init__(self, sender: str, url: str | None, mailbox: Mailbox | None) -> None:
        self._sender, self._url, self._mailbox = sender, url, mailbox
        self._sent: dict[str, None] = {}
        self._leaving: set[asyncio.Task[None]] = set()

    async def send(self, mail: Mail) -> None:
        """Send one mail.

        A job may run twice, for example when the database fails after the mail was sent. This process skips a mail that
        it has already sent; another process sends it again with the same Message-ID.

        Raises:
            MailNotSetUp: mail is not configured.
            MailServerAway: the SMTP server is unreachable or does not respond.
            SMTPException: the server rejected this mail.
        """
        if not self._url and self._mailbox is None:
            raise MailNotSetUp("Mail cannot be sent, because MAIL_URL is not set.")
        if mail.mark and mail.mark in self._sent:
            return
        message = self._message(mail)
        if self._url:
            await self._smtp(message, self._url)
        if self._mailbox is not None:
            await self._mailbox.keep(message)
        if mail.mark:
            self._sent[mail.mark] = None
            if len(self._sent) > MAX_REMEMBERED:
                del self._sent[next(iter(self._sent))]

    def _message(self, mail: Mail) -> EmailMessage:
        message = EmailMessage()
        name, address = parseaddr(self._sender)
        message["From"] = Address(display_name=name, addr_spec=address)
        message["To"] = mail.to
        message["Subject"] = " ".join(mail.subject.split())  # a line break could start another header
        message["Date"] = formatdate(usegmt=True)
        domain = address.rpartition("@")[2]
        message["Message-ID"] = f"<{mail.mark}@{domain}>" if mail.mark else make_msgid(domain=domain)
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
        client = aiosmtplib.SMTP(
            hostname=parts.hostname,
            port=parts.port or (465 if secure else 25),
            username=unquote(parts.username) if parts.username else None,
            password=unquote(parts.password) if parts.password else None,
            use_tls=secure,
            timeout=SECONDS,
        )
        try:
            async with asyncio.timeout(2 * SECONDS):  # aiosmtplib's own timeout counts per read only
                await client.connect()
                await client.send_message(message)
        except (aiosmtplib.SMTPRecipientsRefused, aiosmtplib.SMTPNotSupported):
            raise
        except aiosmtplib.SMTPResponseException as error:
            # the server rejected this mail, temporarily or permanently
            if 400 <= error.code <= 599 and error.code != 421:
                raise
            raise MailServerAway(f"status {error.code}") from None
        except (OSError, ValueError, aiosmtplib.SMTPException) as error:
            raise MailServerAway(type(error).__name__) from None
        finally:
            self._leave(client)

    def _leave(self, client: aiosmtplib.SMTP) -> None:
        """End the SMTP session in the background.

        Once the server has accepted a mail, its job must be stored as done at once, even if QUIT is answered late.
        """
        task = asyncio.create_task(_quit(client))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)


async def _quit(client: aiosmtplib.SMTP) -> None:
    try:
        await client.quit()
    except (OSError, aiosmtplib.SMTPException):
        pass
    finally:
        client.close()
