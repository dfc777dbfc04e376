"""Clients of several accounts that reveal, buy, are granted credits, and read; every call is recorded.

Credits belong to an account and all its seats spend the same, so there is nothing to transfer between seats.

A write is repeated with its Idempotency-Key until it gets a response, as a client should do. All attempts form one
operation in the history.
"""

from __future__ import annotations

import asyncio
import bisect
import hashlib
import itertools
import random
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import inf
from typing import Any

import asyncpg
import httpx2
import orjson

from tests.helpers.customer import KEY, more_people
from tests.system.cluster.history import Operation, State, problems
from tests.system.cluster.provider import Provider

ACCOUNTS = (901, 902, 903)
CALLERS = 3  # clients of each account
CREDITS, PEOPLE = 100_000, 60_000
BOUGHT = 99_000  # of these; the others end with the plan
ADDON, ADDON_CREDITS = 101, 100
PLAN, PLAN_CREDITS, OTHER_PLAN = 3, 1200, 4
BUYS_A_PLAN = ACCOUNTS[0]  # once, in place of the plan that staff gave it
STAFF_TOKEN = "token-of-the-staff"
PAUSE = 0.02
SAME_SECONDS = 0.03  # time for which narrow clients reveal the same person
CALM = 2.0  # a fault has ended after this many seconds of correct responses
PATIENCE = 60.0  # longer than the claim of a dead process on an Idempotency-Key lasts
REJECTED = {409, 429, 502, 503, 0}  # expected during a fault; 0: no response; 502: from nginx, for a dead node

SQL = (
    "insert into client (clientid, companyname) values ($1, 'Load Ltd')",
    f"insert into usercredit (clientid, contactcredit, contactcredit_bought) values ($1, {CREDITS}, {BOUGHT})",
    "insert into creditledger (clientid, kind, delta, balance_after, reason, source, source_id)"
    f" values ($1, 'contactcredit', {CREDITS}, {CREDITS}, 'test', 'test', '1')",
    f"insert into usersubscription (clientid, planid, expirydate) values ($1, {OTHER_PLAN}, now() + interval '9 days')",
    "insert into appuser (appuserid, clientid, name, email, isverified)"
    " values ($1, $1, 'L', 'l' || $1::bigint || '@l.example', 1)",
)


def token(account: int) -> str:
    return f"token-of-{account}"


async def prepare(url: str) -> None:
    """Create the accounts with credits, a session for each and for a member of staff, and people to reveal."""
    db = await asyncpg.connect(url)
    session = "insert into usersession (tokenhash, appuserid, clientid) values ($1, $2, $2)"
    try:
        for account in ACCOUNTS:
            for sql in SQL:
                await db.execute(sql, account)
            await db.execute(session, hashlib.sha256(token(account).encode()).digest(), account)
        await db.execute("insert into staff (staffid, name, email) values (900, 'S', 's@staff.example')")
        await db.execute(
            "insert into staffsession (tokenhash, staffid, expireson) values ($1, 900, now() + interval '9 days')",
            hashlib.sha256(STAFF_TOKEN.encode()).digest(),
        )
        await more_people(db, 0, PEOPLE)
    finally:
        await db.close()


async def states(url: str) -> dict[int, State]:
    """Return the state of the accounts in the database."""
    db = await asyncpg.connect(url, timeout=20)
    try:
        found = {}
        for account in ACCOUNTS:
            row = await db.fetchrow("select * from usercredit where clientid = $1", account)
            assert row is not None
            people = await db.fetch(
                "select substr(profilekey, 11)::int from reveal join person using (personid) where clientid = $1",
                account,
            )
            found[account] = State(
                row["contactcredit"], frozenset(one[0] for one in people), row["contactcredit_bought"]
            )
        return found
    finally:
        await db.close()


_BOOKS = """
    select (select count(*) from reveal where clientid = $1) as reveals,
           (select count(*) from creditledger where clientid = $1 and source = 'reveal') as booked,
           (select contactcredit from usercredit where clientid = $1) as credits,
           (select sum(delta) from creditledger where clientid = $1 and kind = 'contactcredit') as ledger,
           (select count(*) from usercontact where clientid = $1) as contacts,
           (select count(*) from (select balance_after - delta - lag(balance_after) over (order by ledgerid) as gap
                                  from creditledger where clientid = $1 and kind = 'contactcredit') l
            where gap <> 0) as gaps
"""


async def books(url: str) -> list[str]:
    """Return errors in the books: each reveal must be booked once, and each balance must follow from the previous
    one."""
    db = await asyncpg.connect(url, timeout=20)
    try:
        wrong = []
        for account in ACCOUNTS:
            row = await db.fetchrow(_BOOKS, account)
            assert row is not None
            right = row["reveals"] == row["booked"] == row["contacts"] and row["credits"] == row["ledger"]
            if not right or row["gaps"]:
                wrong.append(f"the books of account {account}: {dict(row)}")
        return wrong
    finally:
        await db.close()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request and its response."""

    write: bool
    status: int  # 0: no response
    begun: float
    ended: float
    retry: bool  # whether it has Retry-After


class Clients:
    """The observations of the clients of one run."""

    def __init__(self, urls: Callable[[], str], provider: Provider | None = None, *, narrow: bool = False) -> None:
        """`provider`: of payments; without it nothing is bought.

        `narrow`: the callers of an account only reveal, and the same person at the same time.
        """
        self.url, self._provider, self._narrow = urls, provider, narrow
        self.attempts: list[Attempt] = []
        self.operations: list[Operation] = []
        self.bad: list[str] = []
        self._stopped = False
        self._numbers = itertools.count(random.randrange(PEOPLE // 2))

    # -- actions --------------------------------------------------------------------------------------------------

    async def _run(self, http: httpx2.AsyncClient, account: int) -> None:
        shared = [next(self._numbers) % PEOPLE for _ in range(4)]
        while not self._stopped:
            if self._narrow:
                await self._reveal(http, account, int(time.monotonic() / SAME_SECONDS) % PEOPLE)
                continue
            chance = random.random()
            if chance < 0.4:
                person = random.choice(shared) if chance < 0.1 else next(self._numbers) % PEOPLE
                await self._reveal(http, account, person)
                await self._listed(http, account)  # a caller reads its own writes, also from a replica
                if random.random() < 0.2:
                    shared[random.randrange(4)] = next(self._numbers) % PEOPLE
            elif chance < 0.5:
                await self._change(http, account, random.choice((5, 3, -4)))
            elif chance < 0.52 and self._provider is not None:
                await self._buy(http, self._provider, account)
            elif chance < 0.7:
                await self._balance(http, account)
            else:
                await self._listed(http, account)
            await asyncio.sleep(PAUSE)

    async def _ask(self, http: httpx2.AsyncClient, write: bool, method: str, path: str, **more: Any) -> tuple[int, Any]:
        """Return the status, 0 if there was no response, and the decoded body."""
        begun = time.monotonic()
        try:
            response = await http.request(method, f"{self.url()}/api/v2/{path}", **more)
        except httpx2.HTTPError:
            response = None
        status = response.status_code if response is not None else 0
        retry = response is not None and "retry-after" in response.headers
        self.attempts.append(Attempt(write, status, begun, time.monotonic(), retry))
        if response is None or "json" not in response.headers.get("content-type", ""):
            body: Any = None
        else:
            body = orjson.loads(response.content)
        if response is not None and status not in (200, 402, 422, *REJECTED):
            self.bad.append(f"{method} {path}: {status} {response.text[:200]}")
        return status, body

    async def _until_answered(self, http: httpx2.AsyncClient, path: str, **more: Any) -> tuple[int, Any, float]:
        """Return the status and body of the last attempt, and its start time."""
        headers = more.pop("headers") | {"Idempotency-Key": secrets.token_hex(8)}
        end = time.monotonic() + PATIENCE
        while True:
            begun = time.monotonic()
            status, body = await self._ask(http, True, "POST", path, headers=headers, **more)
            reason = str((body or {}).get("error", {}).get("context", {}).get("reason", "")) if status != 200 else ""
            if reason == "answer_lost" and path == "addonpayment":  # the token says what has been paid
                headers["Idempotency-Key"] = secrets.token_hex(8)
            elif status in (200, 402) or reason in ("answer_lost", "too_few_credits"):
                return status, body, begun
            if time.monotonic() > end:
                self.bad.append(f"POST {path} was never answered; at last {status} {body}")
                return 0, None, begun
            await asyncio.sleep(0.1)

    def _keep(self, account: int, kind: Any, argument: int, begun: float, answer: Any, *, done: bool = False) -> None:
        operation = Operation(account, kind, argument, begun, time.monotonic(), answer, done)
        self.operations.append(operation)

    async def _reveal(self, http: httpx2.AsyncClient, account: int, person: int) -> None:
        begun = time.monotonic()
        body = {"linkedinurl": f"linkedin.com/in/person-{person}", "type": "directdial", "action": "reveal"}
        status, said, last = await self._until_answered(http, "getcontact", json=body, headers=_headers(token(account)))
        answer: Any = None
        if status == 200 and not said["charged"] and last - begun > PAUSE:
            # An attempt without a response may have been charged; a repeat is free, so the last one reports "not
            # charged".
            self.operations.append(Operation(account, "reveal", person, begun, time.monotonic(), None))
            begun = last
        if status == 200:
            answer = (said["charged"], said["credits"]["contactcredit"])
        elif status == 402:
            answer = ("none", 0)
        self._keep(account, "reveal", person, begun, answer, done=status == 409)

    async def _change(self, http: httpx2.AsyncClient, account: int, amount: int) -> None:
        """Let staff grant credits, or take them back as a refund does."""
        begun = time.monotonic()
        body = {
            "clientid": account, "kind": "contactcredit", "amount": amount, "reason": "of the test",
            "requestid": secrets.token_hex(8),
        }  # fmt: skip
        status, said, _ = await self._until_answered(http, "desk/credits", json=body, headers=_headers(STAFF_TOKEN))
        reason = said["error"]["context"]["reason"] if said and status == 409 else ""
        answer: Any = None
        if status == 200 and said["changed"]:
            answer = (True, said["balance"])
        elif reason == "too_few_credits":
            answer = (False, None)
        self._keep(account, "change", amount, begun, answer, done=status == 200 or reason == "answer_lost")

    async def _buy(self, http: httpx2.AsyncClient, provider: Provider, account: int) -> None:
        """Buy an add-on. A token of a card pays once, however often it is sent."""
        token_of_card, begun = await provider.card(http), time.monotonic()
        body = {"tokenid": token_of_card, "planid": ADDON}
        status, _, _ = await self._until_answered(http, "addonpayment", json=body, headers=_headers(token(account)))
        if status == 402:
            self.bad.append(f"account {account}: an add-on was refused")
        self._keep(account, "purchase", ADDON_CREDITS, begun, (True,) if status == 200 else None)

    async def _subscribe(self, http: httpx2.AsyncClient, provider: Provider, account: int) -> None:
        """Buy a plan on the provider's page, unless the account has it, and wait until the provider has reported it."""
        path, headers = "leads/_table/usersubscription?filter=isactive=1", _headers(token(account))

        async def has(*plans: int) -> bool:
            status, said = await self._ask(http, False, "GET", path, headers=headers)
            return status == 200 and said["resource"][0]["planid"] in plans

        await self._until(lambda: has(PLAN, OTHER_PLAN))
        if await has(PLAN):
            return
        _, said, _ = await self._until_answered(http, "stripe", json={"plan": PLAN}, headers=headers)
        begun = time.monotonic()
        await provider.pay(http, said["resource"]["url"])
        await self._until(lambda: has(PLAN))
        self._keep(account, "plan", PLAN_CREDITS, begun, None, done=True)

    async def _balance(self, http: httpx2.AsyncClient, account: int) -> None:
        begun = time.monotonic()
        status, said = await self._ask(http, False, "GET", "account/credits", headers=_headers(token(account)))
        if status == 200:
            self._keep(account, "balance", 0, begun, (said["credits"]["contactcredit"],))

    async def _listed(self, http: httpx2.AsyncClient, account: int) -> None:
        begun, path = time.monotonic(), "leads/_table/usercontact?limit=1&include_count=true"
        status, said = await self._ask(http, False, "GET", path, headers=_headers(token(account)))
        if status == 200:
            self._keep(account, "listed", 0, begun, (said["meta"]["count"],))

    # -- observations -------------------------------------------------------------------------------------------------

    def errors(self, since: float = 0.0, until: float = inf) -> Counter[int]:
        return Counter(
            one.status for one in self.attempts if one.status not in (200, 402) and since < one.ended < until
        )

    def untold(self) -> int:
        """Return the number of 503 without Retry-After."""
        return sum(one.status == 503 and not one.retry for one in self.attempts)

    def outage(self, *, writes: bool, since: float = 0.0, until: float = inf) -> float:
        """Return the longest time between two responses, over all clients, in seconds."""
        times = sorted(one.ended for one in self.attempts if one.write == writes and one.status == 200)
        # The last response before `since` counts as well, because a fault takes effect at once.
        times = times[max(0, bisect.bisect(times, since) - 1) : bisect.bisect(times, until)]
        return max((later - sooner for sooner, later in itertools.pairwise(times)), default=0.0)

    def acknowledged(self) -> int:
        """Return the number of successful writes."""
        writes = ("reveal", "change", "purchase", "plan")
        return sum(one.kind in writes and (one.answer is not None or one.done) for one in self.operations)

    async def flow(self, many: int = 3) -> None:
        """Wait for `many` more responses to reads and to writes."""
        since, kinds = time.monotonic(), (True,) if self._narrow else (True, False)
        await self._until(lambda: all(self._good(write, since) >= many for write in kinds))

    def _good(self, write: bool, since: float) -> int:
        return sum(one.write == write and one.status == 200 and one.begun > since for one in self.attempts)

    async def calm(self) -> None:
        """Wait until every request succeeds for CALM seconds."""
        since = time.monotonic()

        def quiet() -> bool:
            last = max([since, *(one.ended for one in self.attempts if one.status not in (200, 402))])
            return time.monotonic() - last > CALM

        await self.flow()
        await self._until(quiet)
        await self.flow()

    async def _until(self, done: Callable[[], bool | Awaitable[bool]]) -> None:
        end = time.monotonic() + PATIENCE
        while not (value if isinstance(value := done(), bool) else await value):
            if time.monotonic() > end:
                raise TimeoutError(f"the clients wait in vain; they saw {dict(self.errors())} {self.bad[:3]}")
            await asyncio.sleep(0.05)

    def wrong(self, first: dict[int, State], last: dict[int, State]) -> list[str]:
        """Return the results, over all accounts, that no order of the operations explains."""
        found = list(self.bad)
        for account in ACCOUNTS:
            mine = [one for one in self.operations if one.client == account]
            found += problems(mine, first[account], last[account])
        return found


def _headers(session: str) -> dict[str, str]:
    return {"X-API-Key": KEY, "X-Session-Token": session}


@asynccontextmanager
async def traffic(
    url: Callable[[], str], provider: Provider | None = None, *, narrow: bool = False
) -> AsyncIterator[Clients]:
    """`async with traffic(...) as clients:` - run the clients until the block ends."""
    clients = Clients(url, provider, narrow=narrow)
    limits = httpx2.Limits(max_connections=40, max_keepalive_connections=40)
    async with httpx2.AsyncClient(timeout=25, limits=limits) as http:
        tasks = [asyncio.create_task(clients._run(http, account)) for account in ACCOUNTS for _ in range(CALLERS)]
        if provider is not None:
            tasks.append(asyncio.create_task(clients._subscribe(http, provider, BUYS_A_PLAN)))
        try:
            await clients.flow()
            yield clients
        finally:
            clients._stopped = True
            for result in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(result, BaseException):
                    clients.bad.append(f"a client failed: {result!r}")
