"""Two concurrent requests spend or return the same credits, or change the plan of one account."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg
import httpx2
import pytest

from sandbox.stripe import schedules
from tests.helpers.product import API, KEY, SECRET, Account, Product
from tests.helpers.shop import Shop
from tests.helpers.support import Server, ok, start, until
from tests.product.test_plan_changes import STRIPE, change

KINDS = {"directdial": "contactcredit", "businessemail": "bus_email_credits", "personalemail": "personal_email_credits"}
BOOKS = "usercredit_by_clientid,creditledger_by_clientid"
BAD_PHONE = "+120255501"
HUNDRED = 100


@pytest.fixture(scope="module")
def nodes(product: Product, product_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """Start two nodes on the product's database."""
    with ExitStack() as stack:
        yield [
            start(
                stack, tmp_path_factory.mktemp("node"), DATABASE_URL=product_url, SECRET_KEYS=SECRET, APP_KEYS=KEY,
                INIT="off", WORKER="off", RATE_LIMITS="off", LOG_LEVEL="warning",
            )
            for _ in range(2)
        ]  # fmt: skip


@dataclass
class Racers:
    """One account on two nodes: a user on the first, a colleague or key on the second, and the owner as reader."""

    account: Account
    first: httpx2.AsyncClient
    second: httpx2.AsyncClient
    reader: httpx2.AsyncClient

    async def at_once(self, path: str, *bodies: dict[str, Any], key: str = "") -> list[httpx2.Response]:
        """Send one body from both, or one from each, while the books are read; return the responses."""
        headers = {"Idempotency-Key": key} if key else {}
        both = zip((self.first, self.second), bodies * (2 // len(bodies)), strict=True)
        async with _read_books(self.reader):
            return list(await asyncio.gather(*(one.post(path, json=body, headers=headers) for one, body in both)))

    async def left(self) -> list[int]:
        """Return the balances of phone numbers, work addresses and private addresses."""
        balances = await self.account.credits()
        return [balances[column] for column in KINDS.values()]

    async def reveals(self) -> int:
        """Return the number of values that the account has paid for, each booked once."""
        db, clientid = self.account.product.db, self.account.clientid
        count = await db.fetchval("select count(*) from reveal where clientid = $1", clientid)
        booked = await db.fetchval(
            "select count(*) from creditledger where clientid = $1 and source = 'reveal'", clientid
        )
        assert count == booked
        return int(count)


async def _check_books(reader: httpx2.AsyncClient) -> None:
    """Read the balance and ledger in one request: each row follows from the previous one; the last is the balance."""
    response = await reader.get("leads/_table/client", params={"related": BOOKS})
    (client,) = ok(response)["resource"]
    (balances,) = client["usercredit_by_clientid"]
    sums = Counter[str]()
    for row in sorted(client["creditledger_by_clientid"], key=lambda row: int(row["ledgerid"])):
        sums[row["kind"]] += row["delta"]
        assert row["balance_after"] == sums[row["kind"]] >= 0
    assert {kind: balances[kind] for kind in KINDS.values()} == {kind: sums[kind] for kind in KINDS.values()}


@asynccontextmanager
async def _read_books(reader: httpx2.AsyncClient) -> AsyncIterator[None]:
    """Read the books repeatedly until the block ends, and once afterwards."""
    ended, count = asyncio.Event(), 0

    async def read() -> None:
        nonlocal count
        while not ended.is_set():
            await _check_books(reader)
            count += 1

    async with asyncio.TaskGroup() as group:
        group.create_task(read())
        yield
        ended.set()
    await _check_books(reader)
    assert count


def _client(node: Server, token: str = "", key: str = KEY) -> httpx2.AsyncClient:
    headers = {"X-API-Key": key} | ({"X-Session-Token": token} if token else {})
    return httpx2.AsyncClient(base_url=f"{node.url}{API}", headers=headers, timeout=60)


@pytest.fixture
async def racers(nodes: list[Server], account: Account) -> AsyncIterator[Racers]:
    """Return an account with 40 credits of each kind, with the owner on one node and a member on the other."""
    await account.set_credits(40)
    member = await account.user()
    owner = account.owner.token
    async with _client(nodes[0], owner) as one, _client(nodes[1], member.token) as two, _client(nodes[1], owner) as see:
        yield Racers(account, one, two, see)


@pytest.fixture
async def programs(nodes: list[Server], account: Account) -> AsyncIterator[Racers]:
    """Return an account with 1000 credits of each kind, with a key on each node."""
    await account.set_credits(1000)
    keys = []
    for _ in range(2):
        made = await account.owner.table("POST", "apikeys", {"purpose": "CRM", "scopes": ["enrich"]})
        keys.append(made.json()["resource"][0]["apikey"])
    async with (
        _client(nodes[0], key=keys[0]) as one,
        _client(nodes[1], key=keys[1]) as two,
        _client(nodes[1], account.owner.token) as see,
    ):
        yield Racers(account, one, two, see)


async def _hundred(product: Product) -> tuple[str, list[str]]:
    """Insert a hundred people; return a word that all their names contain, and their addresses."""
    mark = "c" + secrets.token_hex(4)
    for number in range(HUNDRED):
        await product.person(f"{mark}-{number:03}", full_name=f"Person {number:03} {mark}")
    return mark, [f"https://www.linkedin.com/in/{mark}-{number:03}" for number in range(HUNDRED)]


def _read(responses: list[httpx2.Response]) -> list[dict[str, Any]]:
    assert [response.status_code for response in responses] == [200, 200], [response.text for response in responses]
    return [response.json() for response in responses]


# Reveal "first 100" with 40 credits


async def test_two_concurrent_reveals_of_100_people_charge_forty_credits_once(product: Product, racers: Racers) -> None:
    mark, urls = await _hundred(product)
    body = {"search": {"name": mark, "order": "full_name"}, "first": HUNDRED, "kinds": ["directdial"]}
    responses = _read(await racers.at_once("revealmany", body))
    assert sum(response["charged"] for response in responses) == 40
    assert min(response["price"] for response in responses) >= 60
    for response in responses:
        assert response["charged"] == sum(item["charged"] for item in response["resource"])
        assert response["credits"]["contactcredit"] == 0
        # Both responses contain the first forty: paid for by this request, or by the other one and therefore owned.
        assert [item["linkedinurl"] for item in response["resource"]] == urls
        assert [item["status"] for item in response["resource"]] == ["found"] * 40 + ["no_credit"] * 60
        for item in response["resource"][:40]:
            assert item["charged"] + len(item["owned"]) == 1, item
            assert item["unpaid"] == []
        assert all((item["owned"], item["unpaid"]) == ([], ["directdial"]) for item in response["resource"][40:])
    paid = [sum(items) for items in zip(*([i["charged"] for i in a["resource"]] for a in responses), strict=True)]
    assert paid == [1] * 40 + [0] * 60
    assert (await racers.left(), await racers.reveals()) == ([0, 40, 40], 40)


async def test_concurrent_reveals_in_opposite_orders_charge_forty_credits(product: Product, racers: Racers) -> None:
    """If each request pays for people from its own end, both report "found" for everything the account now owns."""
    _, urls = await _hundred(product)
    bodies = [{"linkedinurls": each, "kinds": list(KINDS)} for each in (urls, urls[::-1])]
    responses = _read(await racers.at_once("revealmany", *bodies))
    assert sum(response["charged"] for response in responses) == 120
    assert (await racers.left(), await racers.reveals()) == ([0, 0, 0], 120)
    contacts = await product.db.fetch(
        "select linkedinurl, phonecost + businessemailcost + personalemailcost as kinds from usercontact"
        " where clientid = $1", racers.account.clientid,
    )  # fmt: skip
    bought = Counter({row["linkedinurl"]: int(row["kinds"]) for row in contacts})
    said = Counter[str]()
    for response in responses:
        for item in response["resource"]:
            url = item["linkedinurl"]
            said[url] += item["charged"]
            assert len(item["unpaid"]) == 3 - bought[url], item
            assert item["charged"] + len(item["owned"]) == bought[url], item
            assert item["status"] == ("no_credit" if item["unpaid"] else "found")
    assert +said == bought


async def test_a_ceiling_applies_to_each_of_two_requests(product: Product, racers: Racers) -> None:
    _, urls = await _hundred(product)
    body = {"linkedinurls": urls[:30], "kinds": ["directdial"], "max_credits": 29}
    refused = await racers.at_once("revealmany", body)
    assert [(one.status_code, one.json()["error"]["context"]["reason"]) for one in refused] == [
        (402, "over_ceiling"), (402, "over_ceiling"),
    ]  # fmt: skip
    assert (await racers.left(), await racers.reveals()) == ([40, 40, 40], 0)

    low, high = body, body | {"max_credits": 30}
    responses = await racers.at_once("revealmany", low, high)
    assert responses[1].json()["charged"] + (responses[0].json().get("charged") or 0) == 30
    if responses[0].status_code == 402:  # the price was for all thirty, before the other request had bought any
        assert responses[0].json()["error"]["context"]["reason"] == "over_ceiling"
    else:
        assert responses[0].json()["price"] <= 29
    assert (await racers.left(), await racers.reveals()) == ([10, 40, 40], 30)


async def test_concurrent_requests_with_one_idempotency_key_run_once(product: Product, racers: Racers) -> None:
    """The repeat gets the first response, or 409 until there is one."""
    mark, _ = await _hundred(product)
    same = Racers(racers.account, racers.first, racers.reader, racers.reader)
    body = {"search": {"name": mark}, "first": HUNDRED, "kinds": ["directdial"]}
    responses = await same.at_once("revealmany", body, key="first-100")
    assert {response.status_code for response in responses} <= {200, 409}
    repeated = await same.at_once("revealmany", body, key="first-100")
    done = _read(repeated)
    assert done[0] == done[1] == next(response.json() for response in responses if response.status_code == 200)
    assert done[0]["charged"] == 40
    assert [response.headers["Idempotency-Replayed"] for response in repeated] == ["true", "true"]
    assert (await racers.left(), await racers.reveals()) == ([0, 40, 40], 40)


# Enrichment by two keys


async def test_two_concurrent_keys_pay_for_each_value_once(product: Product, programs: Racers) -> None:
    _, urls = await _hundred(product)
    body = {"people": [{"linkedinurl": url} for url in urls], "kinds": list(KINDS)}
    responses = _read(await programs.at_once("enrich", body))
    assert sum(response["charged"] for response in responses) == 300
    for response in responses:
        assert [item["status"] for item in response["resource"]] == ["found"] * HUNDRED
        for item in response["resource"]:
            # A value was paid for by this call or owned already; the second response states which.
            assert item["charged"] + len(item["owned"]) == 3, item
            person = item["person"]
            assert (len(person["phones"]), len(person["business_emails"]), len(person["personal_emails"])) == (1, 2, 1)
    for one, two in zip(*(response["resource"] for response in responses), strict=True):
        assert one["charged"] + two["charged"] == 3
        assert len(one["owned"]) + len(two["owned"]) == 3
    assert (await programs.left(), await programs.reveals()) == ([900, 900, 900], 300)
    used: Any = await product.db.fetchrow(
        "select sum(charged) as charged, count(*) as rows from apiusage where clientid = $1", programs.account.clientid
    )
    assert (used["charged"], used["rows"]) == (300, 600)


async def test_a_ceiling_of_a_key_ignores_charges_of_another(product: Product, programs: Racers) -> None:
    """The ceiling of a call applies to its own charges, whatever the other is charged meanwhile."""
    _, urls = await _hundred(product)
    people = [{"linkedinurl": url} for url in urls]
    body = {"people": people, "kinds": ["directdial"]}
    responses = await programs.at_once("enrich", body | {"max_credits": 100}, body | {"max_credits": 50})
    charged = [int(response.headers.get("X-Credits-Charged", "0")) for response in responses]
    assert responses[0].status_code == 200
    assert sum(charged) == 100
    assert charged[1] <= 50
    assert (await programs.left(), await programs.reveals()) == ([900, 1000, 1000], 100)


async def test_concurrent_requests_of_a_program_with_one_idempotency_key_run_once(
    product: Product, programs: Racers, nodes: list[Server]
) -> None:
    _, urls = await _hundred(product)
    body = {"people": [{"linkedinurl": url} for url in urls], "kinds": ["businessemail"]}
    apikey = programs.first.headers["X-API-Key"]
    async with _client(nodes[1], key=apikey) as again:
        same = Racers(programs.account, programs.first, again, programs.reader)
        responses = await same.at_once("enrich", body, key="same")
        assert {response.status_code for response in responses} <= {200, 409}
        repeated = await same.at_once("enrich", body, key="same")
    done = _read(repeated)
    assert done[0] == done[1] == next(response.json() for response in responses if response.status_code == 200)
    assert done[0]["charged"] == 100
    assert [response.headers["X-Credits-Charged"] for response in repeated] == ["100", "100"]
    # The other key is another caller, with its own response.
    (other,) = _read([await programs.second.post("enrich", json=body, headers={"Idempotency-Key": "same"})] * 2)[:1]
    assert (other["charged"], {tuple(item["owned"]) for item in other["resource"]}) == (0, {("businessemail",)})
    assert (await programs.left(), await programs.reveals()) == ([1000, 900, 1000], 100)


# A credit back


async def test_concurrent_proved_downvotes_return_one_credit(product: Product, racers: Racers) -> None:
    """From two users of the account, several times each: one credit, one row, and one response that reports it."""
    person = await product.person(phones=[BAD_PHONE])
    reveal = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
    assert (await racers.first.post("getcontact", json=reveal)).json()["charged"] == 1
    assert (await racers.second.post("getcontact", json=reveal)).json()["charged"] == 0
    assert await racers.left() == [39, 40, 40]
    vote = {
        "linkedin_url": f"linkedin.com/{person.key}", "info": BAD_PHONE, "action": "downvote", "type": "phone",
        "downvotereason": "invalid", "reasonnote": "+12025550188",
    }  # fmt: skip
    responses = await racers.at_once("leads/_table/contactfeedback", {"resource": [vote]})
    responses += await racers.at_once("leads/_table/contactfeedback", {"resource": [vote]})
    assert {response.status_code for response in responses} == {200}, [response.text for response in responses]
    assert sorted(response.json()["resource"][0].get("creditback", 0) for response in responses) == [0, 0, 0, 1]
    assert await racers.left() == [40, 40, 40]
    db, clientid = product.db, racers.account.clientid
    assert await db.fetchval("select count(*) from creditback where clientid = $1", clientid) == 1
    mails = await product.mails(racers.account.owner.email)
    assert [mail["Subject"] for mail in mails] == ["You got a credit back"]


async def test_a_returned_credit_during_the_last_reveals_keeps_the_balance(product: Product, racers: Racers) -> None:
    """The returned credit pays for one more reveal, or arrives too late; it is never lost or counted twice."""
    _, urls = await _hundred(product)
    person = await product.person(phones=[BAD_PHONE])
    reveal = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
    assert (await racers.first.post("getcontact", json=reveal)).json()["charged"] == 1
    vote = {
        "linkedin_url": f"linkedin.com/{person.key}", "info": BAD_PHONE, "action": "downvote", "type": "phone",
        "downvotereason": "invalid", "reasonnote": "+12025550188",
    }  # fmt: skip
    async with _read_books(racers.reader):
        voted, bought = await asyncio.gather(
            racers.first.post("leads/_table/contactfeedback", json={"resource": [vote]}),
            racers.second.post("revealmany", json={"linkedinurls": urls, "kinds": ["directdial"]}),
        )
    assert voted.json()["resource"][0]["creditback"] == 1
    charged = bought.json()["charged"]
    assert charged in (39, 40)
    assert (await racers.left(), await racers.reveals()) == ([40 - charged, 40, 40], 1 + charged)


async def test_a_reveal_ended_by_a_deadlock_is_repeated_and_charged_once(
    product: Product, account: Account, product_url: str
) -> None:
    """A migration locks the reveals and then waits for the balance, which the reveal holds."""
    await account.set_credits(5)
    person = await product.person()
    body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
    waiting = "select true from pg_locks where relation = 'reveal'::regclass and not granted"
    migration = await asyncpg.connect(product_url)
    try:
        async with migration.transaction():
            await migration.execute("set local deadlock_timeout = '1min'")  # so that the reveal is the one that ends
            await migration.execute("lock table reveal in exclusive mode")
            response = asyncio.create_task(account.owner.http.post(API + "getcontact", json=body))
            await until(lambda: migration.fetchval(waiting))
            await migration.execute("select from usercredit where clientid = $1 for update", account.clientid)
        assert (await response).status_code == 200, (await response).text
    finally:
        await migration.close()
    assert (await account.credits())["bus_email_credits"] == 4
    assert await account.ledger_fits()


YEARLY = {5: 490, 6: 990, 7: 1990}


def _reason(answer: httpx2.Response) -> str:
    error: dict[str, Any] = answer.json().get("error", {"context": {"reason": "done"}})
    return str(error["context"]["reason"])


async def test_a_lower_plan_is_not_an_upgrade_before_the_event_arrives(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 5)
    sub = (await shop.row(trial))["subscriptionid"]
    assert (await change(trial, 7, sub)).status_code == 200
    assert await shop.plan(trial) == 5  # the event has not arrived
    preview = await trial.owner.http.get(STRIPE, params={"res": "invoice", "plan": 6, "subId": sub})
    assert preview.json()["resource"]["data"]["total"] == YEARLY[6] * 100  # at the end of the period
    refused = await change(trial, 6, sub)
    assert (refused.status_code, _reason(refused)) == (409, "no_downgrade_record")
    await shop.deliver()
    assert (await shop.plan(trial), await shop.credits(trial)) == (7, (36000, 24000, 24000))
    assert [bill["price"] for bill in await shop.invoices(trial)] == [YEARLY[5], YEARLY[7] - YEARLY[5]]


async def test_concurrent_upgrades_to_several_plans_are_each_paid_once(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 5)
    sub = (await shop.row(trial))["subscriptionid"]
    responses = await asyncio.gather(*(change(trial, plan, sub) for plan in (7, 6) * 4))
    assert {_reason(response) for response in responses} <= {"done", "already_changed", "no_downgrade_record"}
    await shop.deliver()
    # A request for 7 that comes when 6 is done is an upgrade from it.
    ways: dict[int, tuple[list[int], ...]] = {6: ([490, 500],), 7: ([490, 1500], [490, 500, 1000])}
    assert [bill["price"] for bill in await shop.invoices(trial)] in ways[await shop.plan(trial)]
    assert await shop.balanced(trial)


async def test_a_concurrent_upgrade_and_downgrade_are_consistent(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 6)
    sub = await shop.record_downgrade(trial, 5)
    responses = await asyncio.gather(*(change(trial, plan, sub) for plan in (5, 7) * 4))
    assert {response.status_code for response in responses} <= {200, 409}, [response.text for response in responses]
    await shop.deliver()
    paid = {6: [990], 7: [990, 1000]}  # the downgrade, or the upgrade, came first
    assert [bill["price"] for bill in await shop.invoices(trial)] == paid[await shop.plan(trial)]
    assert await shop.balanced(trial)


class _Scheduled(httpx2.AsyncBaseTransport):
    """Stripe, where a simultaneous request schedules a change just before one of ours and releases it just after."""

    def __init__(self, shop: Shop, path: str, times: int) -> None:
        self._shop, self._path, self._times = shop, path, times

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method != "POST" or self._path not in request.url.path or not self._times:
            return await self._shop.transport.handle_async_request(request)
        self._times -= 1
        with self._shop.service.store.transaction() as state:
            [sub] = [sub for sub in state.all("subscription") if sub["status"] == "active"]
            schedule = schedules.create(state, {"from_subscription": sub["id"]})
        response = await self._shop.transport.handle_async_request(request)
        await response.aread()
        with self._shop.service.store.transaction() as state:
            schedules.release(state, state.get("subscription_schedule", schedule["id"]))
        return response


@pytest.mark.parametrize(("path", "planid"), [("/subscriptions/", 7), ("/subscription_schedules", 5)])
@pytest.mark.parametrize(("times", "status"), [(1, 200), (9, 502)])
async def test_a_change_is_repeated_after_the_schedule_that_blocked_it_is_released(
    path: str, planid: int, times: int, status: int, shop: Shop, trial: Account
) -> None:
    await shop.subscribe(trial, 6)
    sub = await shop.record_downgrade(trial, 5)
    adapters = vars(shop.product.scripts.vendors)
    direct, adapters["payments"] = adapters["payments"], shop.payments(_Scheduled(shop, path, times))
    response = await change(trial, planid, sub)
    assert response.status_code == status, response.text
    await adapters["payments"].close()
    adapters["payments"] = direct
    await shop.deliver()
    assert await shop.plan(trial) == (7 if (status, planid) == (200, 7) else 6)
    assert await shop.balanced(trial)


async def test_after_a_declined_upgrade_another_plan_can_be_chosen(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 5)
    sub = (await shop.row(trial))["subscriptionid"]
    await shop.new_card(trial, "chargeCustomerFail")
    assert [(await change(trial, plan, sub)).status_code for plan in (7, 6, 7)] == [402, 402, 402]
    await shop.new_card(trial, "visa")
    assert (await change(trial, 6, sub)).status_code == 200
    assert (await change(trial, 7, sub)).status_code == 200
    await shop.deliver()
    assert (await shop.plan(trial), await shop.balanced(trial)) == (7, True)


async def test_concurrent_repeats_of_a_downgrade_apply_it_once(shop: Shop, trial: Account) -> None:
    await shop.subscribe(trial, 3)
    sub = await shop.record_downgrade(trial, 2)
    responses = await asyncio.gather(*(change(trial, 2, sub) for _ in range(4)))
    assert [response.status_code for response in responses] == [200] * 4
    await shop.pass_days(31)
    await shop.deliver()
    assert (await shop.plan(trial), await shop.credits(trial)) == (2, (500, 100, 100))
