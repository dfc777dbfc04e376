"""Helpers of the product's tests: the app on its own database, callers of every role, and test rows."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from email import message_from_bytes
from email import policy as policy_of_mail
from email.message import EmailMessage
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import orjson

from product.billing import plans
from product.billing.rows import PlanRow
from product.context import Context
from product.people import directory
from product.people.directory import Person
from product.vendors.people import FoundPerson
from tableapi.app.application import App
from tableapi.auth.policy import Actor
from tableapi.crypto.vault import token_hash
from tableapi.db.database import Db
from tableapi.project.registry import Scripts

KEY, SECRET = "test-app-key", "a secret for tests"
API = "/api/v2/"
TABLE = "/api/v2/leads/_table/"


@dataclass
class SmtpServer:
    """An SMTP server that keeps the mails it receives."""

    mails: list[EmailMessage]

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        message = message_from_bytes(envelope.original_content, policy=policy_of_mail.default)
        assert isinstance(message, EmailMessage)
        self.mails.append(message)
        return "250 OK"


@dataclass
class Product:
    """The product on one database, served in this process."""

    app: App
    smtp: SmtpServer
    addresses: int = 0

    @property
    def scripts(self) -> Scripts:
        assert self.app.state.scripts is not None
        return self.app.state.scripts

    @property
    def db(self) -> Db:
        return self.scripts.db

    @property
    def ctx(self) -> Context:
        return self.scripts.context(Actor(role="system"))

    def caller(self, token: str = "", key: str = KEY, ip: str = "") -> httpx2.AsyncClient:
        """Return an HTTP client with an app key, a session if `token` is set, and its own IP address."""
        self.addresses += 1
        address = ip or f"10.0.{self.addresses // 250}.{self.addresses % 250}"
        headers = ({"X-API-Key": key} if key else {}) | ({"X-Session-Token": token} if token else {})
        transport = httpx2.ASGITransport(self.app, client=(address, 1))
        return httpx2.AsyncClient(transport=transport, base_url="http://test", headers=headers)

    async def work(self) -> None:
        """Run queued jobs as the worker does until the queue is empty."""
        find = "delete from pgqueuer where id = (select min(id) from pgqueuer) returning entrypoint, payload"
        while job := await self.db.fetchrow(find):
            payload = orjson.loads(self.scripts.vault.open_bytes(job["payload"]))
            await self.scripts.run_job(job["entrypoint"], payload)

    async def mails(self, to: str) -> list[EmailMessage]:
        """Run the queue, then return the mails to one address, oldest first."""
        await self.work()
        return [mail for mail in self.smtp.mails if mail["To"] == to]

    async def link(self, to: str) -> tuple[str, dict[str, str]]:
        """Return path and query of the link in the newest mail to an address."""
        body = (await self.mails(to))[-1].get_body(("plain",))
        assert body is not None
        url = re.search(r"http://\S+", body.get_content())
        assert url is not None
        parts = urlsplit(url[0])
        return parts.path, dict(parse_qsl(parts.query))

    async def account(self, *, planid: int = 4, email: str = "", password: str | None = None) -> Account:
        """Create a client with a plan and its owner."""
        async with self.db.transaction():
            clientid = await self.db.fetchval("insert into client (companyname) values ('Test Ltd') returning clientid")
            await self.db.execute("insert into usercredit (clientid) values ($1)", clientid)
            plan = await self.db.one(PlanRow, "select * from subscriptionplan where planid = $1", planid)
            await plans.start(self.ctx, clientid, plan, "test")
        account = Account(self, clientid)
        account.owner = await account.user("client", email=email, password=password)
        return account

    async def person(self, slug: str = "", **values: Any) -> Person:
        """Insert a person into the directory."""
        key = f"in/{slug or secrets.token_hex(6)}"
        profile = {
            "full_name": "Jane Doe",
            "personal_emails": ["jane@home.example"],
            "business_emails": ["jane.doe@acme.example:valid", "jd@acme.example"],
            "phones": ["+12025550123"],
        } | values
        fields = directory.row_of(self.scripts.vault, FoundPerson.model_validate(profile))
        marks = ", ".join(f"${number}" for number in range(2, len(fields) + 1))
        await self.db.execute(
            f"insert into person (profilekey, {', '.join(directory.COLUMNS)})"
            f" values ($1, {marks}, ${len(fields) + 1}::text::tsvector)",
            key,
            *fields,
        )
        person = await directory.find(self.ctx, key)
        assert person is not None
        return person


@dataclass
class User:
    """A user and an HTTP client with its session."""

    appuserid: int
    email: str
    token: str
    http: httpx2.AsyncClient

    async def post(self, path: str, **body: Any) -> httpx2.Response:
        """Call a script."""
        return await self.http.post(API + path, json=body)

    async def table(self, method: str, path: str, *records: dict[str, Any], **query: Any) -> httpx2.Response:
        """Call the table API."""
        body = {"resource": list(records)} if records else None
        return await self.http.request(method, f"{TABLE}{path}", json=body, params=query)


class Account:
    """A client of the product."""

    owner: User

    def __init__(self, product: Product, clientid: int) -> None:
        self.product, self.clientid = product, clientid

    async def user(self, role: str = "member", email: str = "", password: str | None = None, **fields: Any) -> User:
        """Create a verified user with a session. `fields` are columns of appuser."""
        email = email or f"{role}-{secrets.token_hex(4)}@test-company.example"
        columns = {"clientid": self.clientid, "name": "Test User", "firstname": "Test", "lastname": "User"} | {
            "email": email, "role": role, "isverified": 1, "password": password, **fields}  # fmt: skip
        marks = ", ".join(f"${number}" for number in range(1, len(columns) + 1))
        sql = f"insert into appuser ({', '.join(columns)}) values ({marks}) returning appuserid"
        appuserid = await self.product.db.fetchval(sql, *columns.values())
        token = await self.session(appuserid)
        return User(appuserid, email, token, self.product.caller(token))

    async def session(self, appuserid: int) -> str:
        """Create a session and return its token."""
        token = secrets.token_urlsafe(32)
        sql = "insert into usersession (tokenhash, appuserid, clientid) values ($1, $2, $3)"
        await self.product.db.execute(sql, token_hash(token), appuserid, self.clientid)
        return token

    async def set_credits(self, amount: int) -> None:
        """Set the balance of each kind, with matching ledger entries."""
        for kind in ("contactcredit", "bus_email_credits", "personal_email_credits"):
            await self.product.db.execute(
                f"with b as (update usercredit c set {kind} = $2 from (select clientid, {kind} as old from usercredit"
                f" where clientid = $1) o where c.clientid = o.clientid returning c.clientid, $2 - o.old as delta)"
                f" insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id)"
                f" select clientid, '{kind}', delta, $2, 'test', 'test', $3 from b where delta <> 0",
                self.clientid,
                amount,
                secrets.token_hex(4),
            )

    async def credits(self) -> dict[str, int]:
        row = await self.product.db.fetchrow("select * from usercredit where clientid = $1", self.clientid)
        return dict(row) if row else {}

    async def ledger_fits(self) -> bool:
        """Return whether the ledger sums up to the balance of each kind."""
        rows = await self.product.db.fetch(
            "select kind, sum(delta) as total from creditledger where clientid = $1 group by kind", self.clientid
        )
        balances = await self.credits()
        return all(balances[row["kind"]] == row["total"] for row in rows)
