"""Responses do not reveal which addresses have accounts or people: equal bodies, and times within noise."""

from __future__ import annotations

import random
import re
import secrets
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from product.accounts import passwords
from product.people import directory, removal
from tests.helpers.product import API, Account, Product, User

TRIES = 100
CALLS: dict[str, dict[str, Any]] = {
    "user/session": {"password": "Wrong1234"},
    "user/password?reset=true": {},
    "sendverificationemail": {"checktoken": "guessed"},
    "getappuserbyemail": {"checktoken": "guessed"},
}


async def _addresses(product: Product, account: Account, hashed: str) -> list[str]:
    """Create as many users as tries, so that no limit per address applies."""
    names = [f"known-{secrets.token_hex(6)}@test-company.example" for _ in range(TRIES)]
    await product.db.execute(
        "insert into appuser (clientid, name, firstname, lastname, email, role, isverified, invitestatus, password)"
        " select $1, 'Known User', 'Known', 'User', email, 'member', 1, 'accepted', $3 from unnest($2::text[]) email",
        account.clientid, names, hashed,
    )  # fmt: skip
    return names


@pytest.mark.parametrize("path", CALLS)
async def test_known_and_unknown_addresses_are_indistinguishable(product: Product, account: Account, path: str) -> None:
    spent: dict[str, list[float]] = {"known": [], "unknown": []}
    bodies = set()
    for known in await _addresses(product, account, await passwords.hashed("Sesame123")):
        # Alternating, so that other load of the machine affects both alike.
        for kind, email in (("known", known), ("unknown", "un" + known)):
            async with product.caller() as http:
                began = time.perf_counter()
                response = await http.post(API + path, json=CALLS[path] | {"email": email})
                spent[kind].append(time.perf_counter() - began)
            body = response.json()
            body.get("error", {}).get("context", {}).pop("request_id", None)
            bodies.add((response.status_code, str(body)))
    assert len(bodies) == 1, bodies
    medians = {kind: statistics.median(times) for kind, times in spent.items()}
    quartiles = [statistics.quantiles(times, n=4) for times in spent.values()]
    noise = max(high - low for low, _, high in quartiles)
    assert abs(medians["known"] - medians["unknown"]) < max(noise, 0.1 * medians["unknown"]), medians


# -- the directory -----------------------------------------------------------------------------------------------------
# Two worlds differ only in a secret: an address is a person's in one of them and unknown in the other, or a person was
# removed in one and never existed in the other. Callers that pay nothing get the same responses in both.

PEOPLE, SEQUENCES, CALLS_IN_ONE = 200, 40, 50
WORDS = ("aaa", "bbb")  # in all names and addresses of the two worlds


@dataclass(frozen=True, slots=True)
class Named:
    """One person as a caller may know it; `removed` if the removal is the secret, else the address is."""

    slug: str
    removed: bool

    @property
    def emails(self) -> tuple[str, str]:
        return f"{self.slug}@home.example", f"{self.slug}@{self.slug}.example"

    @property
    def name(self) -> str:
        return f"Pat {self.slug}"

    @property
    def url(self) -> str:
        return f"https://www.linkedin.com/in/{self.slug}"


@dataclass
class Spender:
    """A caller that pays nothing: its account has no credits, or each call has a ceiling of 0."""

    owner: User
    program: httpx2.AsyncClient
    listid: int
    free: dict[str, Any]  # fields that keep a call from charging

    async def by_key(self, path: str, **body: Any) -> httpx2.Response:
        return await self.program.post(API + path, json=body)


KINDS = ("directdial", "businessemail", "personalemail")
Ask = Callable[[Spender, Named, random.Random], Awaitable[httpx2.Response]]


def _kinds(chance: random.Random) -> list[str]:
    return chance.sample(KINDS, chance.randint(1, 3))


def _people(named: Named, chance: random.Random) -> list[dict[str, Any]]:
    """Name the person by one address or by both, between others; a removed person also in the other ways."""
    people: list[dict[str, Any]] = [{"email": email.swapcase()} for email in named.emails]
    if named.removed:
        people += [{"linkedinurl": named.url}, {"name": named.name, "company": f"{named.slug}.example"}]
    return chance.sample([*people, {"email": "other@other.example"}], chance.randint(1, 3))


# Calls that take an address, or the name to which it belongs.
BY_ADDRESS: tuple[Ask, ...] = (
    lambda by, named, chance: by.by_key("enrich", people=_people(named, chance), kinds=_kinds(chance), **by.free),
    lambda by, named, chance: by.by_key("enrich", people=_people(named, chance), kinds=_kinds(chance), dry_run=True),
    lambda by, named, chance: by.by_key("verifyemail", email=chance.choice(named.emails)),
    lambda by, named, _: by.by_key("findemail", name=named.name, domain=f"{named.slug}.example", **by.free),
)
# Calls that take a profile, where a person that was removed is like one that never was.
BY_PROFILE: tuple[Ask, ...] = (
    lambda by, named, chance: by.program.get(
        API + "keylookup", params={"linkedinurl": named.url, "type": chance.choice(KINDS) + "s"}
    ),
    lambda by, named, chance: by.by_key("agent/price", linkedinurls=[named.url], kinds=_kinds(chance)),
    lambda by, named, chance: by.by_key("agent/reveal", linkedinurls=[named.url], kinds=_kinds(chance), **by.free),
    lambda by, named, chance: by.owner.post("revealmany", linkedinurls=[named.url], kinds=_kinds(chance), **by.free),
    lambda by, named, chance: by.owner.post("revealmany", search={"name": named.name}, kinds=_kinds(chance),
                                            dry_run=True),
    lambda by, named, chance: by.owner.post("listimport", listid=by.listid, dry_run=chance.random() < 0.5,
                                            text=f"name,company,url\n{named.name},{named.slug}.example,\n,,{named.url}"),
    lambda by, named, _: by.owner.table("POST", "contactlistitem", {"listid": by.listid, "linkedinurl": named.url}),
    lambda by, named, _: by.owner.post("searchurl", linkedinurl=named.url, personal=True, business=True, phone=True),
    lambda by, named, chance: by.owner.post("getcontact", linkedinurl=named.url, type=chance.choice(KINDS),
                                            action="reveal"),
    lambda by, named, _: by.owner.post("searchpeople", name=named.name),
    lambda by, named, chance: by.owner.post("bulklookup", urls=[named.url], kinds=_kinds(chance), max_credits=0,
                                            estimateonly=True),
    lambda by, named, _: by.owner.table("POST", "contactfeedback", {
        "linkedin_url": named.url, "info": named.emails[0], "action": "upvote", "type": "personalemail",
    }),
)  # fmt: skip


async def _spender(product: Product, credits: bool) -> Spender:
    account = await product.account()
    if not credits:
        await account.set_credits(0)
    record = {"purpose": "CRM", "scopes": ["lookup", "enrich", "search"]}
    key = (await account.owner.table("POST", "apikeys", record)).json()["resource"][0]["apikey"]
    made = await account.owner.table("POST", "contactlist", {"name": "Leads"})
    free = {"max_credits": 0} if credits else {}
    return Spender(account.owner, product.caller(key=key), made.json()["resource"][0]["listid"], free)


async def _furnish(product: Product, mark: str) -> list[tuple[Named, Named]]:
    """Make the people of one world, and return the pairs. Half of the secrets are addresses, half are removals."""
    pairs = []
    for number in range(PEOPLE):
        left, right = (Named(f"{word}{mark}{number:03}", number % 2 == 1) for word in WORDS)
        pairs.append((left, right))
        values: dict[str, Any] = {
            "full_name": left.name, "company": f"Co {left.slug}", "company_domain": f"{left.slug}.example",
            "personal_emails": [left.emails[0]], "business_emails": [f"{left.emails[1]}:valid"],
            "phones": [f"+1 415 {number:07}"],
        }  # fmt: skip
        if number % 8 < 6:  # the others are only on a list of DROP
            await product.person(left.slug, **values)
        if not left.removed:
            continue
        vault = product.scripts.vault
        kind, hashes = "email", [vault.index("email", left.emails[0])]
        if number % 8 >= 6:
            kind = removal.KINDS[removal.EMAIL]
            hashes = [removal.stored_hash(vault, removal.EMAIL, removal.email_hash(email)) for email in left.emails]
        for hashed in hashes:
            sql = "insert into suppression (hash, kind, erasedon) values ($1, $2, now())"
            await product.db.execute(sql, hashed, kind)
        async with product.ctx.db.transaction():
            await directory.hide(product.ctx, left.emails[0])
        if number % 4 == 1:  # the others wait for their erasure
            await product.scripts.run_job("erasepeople", {"email": left.emails[0]})
    return pairs


def _comparable(response: httpx2.Response) -> tuple[int, str, str]:
    """Return status, body and price without ids and times, and with the same word for both worlds."""
    text = response.text.lower()
    for word in WORDS:
        text = text.replace(word, "")
    text = re.sub(r'"(request_id|checkedon|itemid|listid)":("[^"]*"|\d+)', "", text)
    return response.status_code, text, response.headers.get("x-credits-price", "")


async def test_callers_that_pay_nothing_learn_no_address_and_no_removal(product: Product) -> None:
    seed = secrets.randbits(32)
    chance = random.Random(seed)
    statuses = Counter[int]()
    pairs = await _furnish(product, secrets.token_hex(3))
    for number in range(SEQUENCES):
        callers = [await _spender(product, credits=number % 2 == 0) for _ in WORDS]
        for step in range(CALLS_IN_ONE):
            pair = chance.choice(pairs)
            door = chance.choice(BY_ADDRESS + BY_PROFILE if pair[0].removed else BY_ADDRESS)
            state = chance.getstate()
            seen = []
            for caller, named in zip(callers, pair, strict=True):
                chance.setstate(state)
                seen.append(_comparable(await door(caller, named, chance)))
            assert seen[0] == seen[1], (seed, number, step, pair[0])
            assert seen[0][0] < 500
            statuses[seen[0][0]] += 1
    for left, _ in pairs:
        if left.removed:
            await product.scripts.run_job("erasepeople", {"email": left.emails[0]})
    assert statuses[200] > statuses.total() / 2, statuses  # most calls reach their answer
