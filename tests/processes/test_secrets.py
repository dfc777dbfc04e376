"""A journey leaves no token, code, password or contact value in the server's log or database."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Iterator
from email import message_from_bytes
from email import policy as mail_policy
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import asyncpg
import httpx2
import pytest
from aiosmtpd.controller import Controller

from tests.helpers.support import ROOT, NewDatabase, Serve, free_port, tableapi

PEOPLE = """linkedinurl,full_name,title,company,company_domain,country,personal_emails,business_emails,phones
https://www.linkedin.com/in/secret-person,Secret Person,,,,USA,hidden@home.example,hidden@corp.example,+12025550177
"""
VALUES = ("hidden@home.example", "hidden@corp.example", "12025550177")
FIRST, SECOND, THIRD = "Firstpass1", "Secondpass2", "Thirdpass3"


class SmtpServer:
    """An SMTP server that keeps the texts and links of its mails."""

    def __init__(self) -> None:
        self.links: list[dict[str, str]] = []
        self.texts: list[str] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        body = message_from_bytes(envelope.original_content, policy=mail_policy.default).get_body(("plain",))
        text = body.get_content() if body else ""
        self.texts.append(text)
        self.links += [dict(parse_qsl(urlsplit(link).query)) for link in re.findall(r"http://\S+", text)]
        return "250 OK"

    async def code(self, email: str, number: int) -> str:
        """Wait for the `number`-th link mailed to an address, and return its code."""
        async with asyncio.timeout(30):
            while True:
                items = [link["code"] for link in self.links if link.get("email") == email and "code" in link]
                if len(items) >= number:
                    return items[number - 1]
                await asyncio.sleep(0.05)  # the SMTP server runs in another thread


@pytest.fixture
def smtp() -> Iterator[tuple[SmtpServer, int]]:
    server, port = SmtpServer(), free_port()
    controller = Controller(server, hostname="127.0.0.1", port=port)
    controller.start()
    yield server, port
    controller.stop()


def test_log_and_database_contain_no_secret(
    serve: Serve, new_database: NewDatabase, smtp: tuple[SmtpServer, int], tmp_path: Path
) -> None:
    mails, port = smtp
    url, key = new_database(), secrets.token_urlsafe(16)
    settings = {"DATABASE_URL": url, "APP_KEYS": key, "SECRET_KEYS": secrets.token_urlsafe(32), "RATE_LIMITS": "off",
                "MAIL_URL": f"smtp://127.0.0.1:{port}", "LOG_LEVEL": "debug"}  # fmt: skip
    server = serve(cwd=ROOT, **settings)
    file = tmp_path / "people.csv"
    file.write_text(PEOPLE)
    done = tableapi("run", "importpeople", f"file={file}", cwd=ROOT, DATA_DIR=tmp_path / "d", **settings)
    assert done.returncode == 0, done.stderr
    email = f"walker-{secrets.token_hex(4)}@walkers.example"
    hidden = asyncio.run(_walk(server.url, key, email, mails))
    server.stop()
    log = server.log.read_text()
    assert "/api/v2/user/session" in log
    assert [word for word in (*hidden, *VALUES) if word in log] == []
    stored = asyncio.run(_everything(url))
    assert email in stored
    assert [word for word in (*hidden, *VALUES) if word in stored] == []


async def _walk(url: str, key: str, email: str, mails: SmtpServer) -> list[str]:
    """Sign up, verify, reset, sign in, reveal and change the password; return the secrets of the journey."""
    hidden = [FIRST, SECOND, THIRD, key]
    async with httpx2.AsyncClient(base_url=f"{url}/api/v2/", headers={"X-API-Key": key}, timeout=30) as http:

        async def post(path: str, token: str = "", **body: Any) -> dict[str, Any]:
            headers = {"X-Session-Token": token} if token else {}
            response = await http.post(path, json=body, headers=headers)
            result: dict[str, Any] = response.json()
            if result.get("session_token"):
                hidden.append(result["session_token"])
            return result

        record = {"type": "register", "name": "Will Walker", "email": email, "password": FIRST, "terms": True}
        client = (await post("leads/_table/client", resource=[record]))["resource"][0]["clientdata"]
        hidden.append(client["session_token"])
        await post("sendverificationemail", client["session_token"], email=email)
        hidden.append(await mails.code(email, 1))
        assert (await post("updatinvitedappuser", email=email, verifytoken=hidden[-1]))["success"] == 1
        await post("user/session", email=email, password="Wrongpass9")
        await post("user/password?reset=true", email=email)
        hidden.append(await mails.code(email, 2))
        assert (await post("user/password", code=hidden[-1], email=email, new_password=SECOND))["success"] is True
        session = (await post("user/session", email=email, password=SECOND))["session_token"]
        restored = await http.get("user/session", params={"session_token": session})
        assert restored.status_code == 200, restored.text
        for kind in ("directdial", "businessemail", "personalemail"):
            body = {"linkedinurl": "linkedin.com/in/secret-person", "type": kind, "action": "reveal"}
            assert (await post("getcontact", session, **body))["charged"] == 1
        change = {"old_password": SECOND, "new_password": THIRD, "confirm_password": THIRD}
        assert (await post("user/password?reset=true&login=true", session, **change))["success"] is True
    return hidden


async def _everything(url: str) -> str:
    """Return every row of every table as text, like a dump."""
    connection = await asyncpg.connect(url)
    try:
        names = await connection.fetch(
            "select format('%I.%I', schemaname, tablename) as name from pg_tables"
            " where schemaname not in ('pg_catalog', 'information_schema')"
        )
        parts = [await connection.fetchval(f"select string_agg(t::text, '|') from {row['name']} t") for row in names]
        return "\n".join(part for part in parts if part)
    finally:
        await connection.close()
