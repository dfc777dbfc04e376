"""No path finds a person on the removal list, however they were listed; every path finds another person."""

from __future__ import annotations

import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest
from starlette.applications import Starlette

from product.people.directory import Person
from product.people.import_file import HEADER
from product.vendors.drop import Drop
from product.vendors.people import PeopleVendor
from sandbox.drop import KEY as DROP_KEY
from sandbox.drop import DropService, routes
from tests.helpers.agents import Agent, in_one_task
from tests.helpers.desk import staff
from tests.helpers.product import API, TABLE, Account, Product

WAYS = ("mail", "desk", "drop email", "drop work email", "drop phone")


@dataclass
class World:
    """An account that has already paid, another one, an API key and an agent."""

    product: Product
    account: Account
    fresh: Account
    key: str
    mark: str
    agent: Agent
    folder: Path

    def url(self, person: Person) -> str:
        return f"https://www.linkedin.com/{person.key}"


@pytest.fixture
async def world(
    product: Product, account: Account, other: Account, tmp_path: Path, agents: Any
) -> AsyncIterator[World]:
    record = {"purpose": "CRM", "scopes": ["lookup", "enrich", "search", "contacts"]}
    made = await account.owner.table("POST", "apikeys", record)
    apikey = made.json()["resource"][0]["apikey"]
    async with in_one_task(agents(other.owner.token)) as connected:
        yield World(product, account, other, apikey, "w" + secrets.token_hex(4), connected, tmp_path)


async def _person(world: World, word: str) -> Person:
    number = random.randrange(10**7)
    return await world.product.person(
        f"{word}-{world.mark}".lower(), full_name=f"{word} {world.mark}", title="Head of Sales",
        company=f"{word} {world.mark} Ltd", company_domain=f"{word}-{world.mark}.example".lower(),
        personal_emails=[f"{word}.{world.mark}@home.example"], phones=[f"+1 415 {number:07}"],
        business_emails=[f"{word}@{word}-{world.mark}.example:valid"],
    )  # fmt: skip


async def _remove(world: World, way: str, person: Person) -> None:
    product, email = world.product, person.personal[0]
    match way:
        case "mail":
            await product.caller().post(API + "removalrequest", json={"email": email, "linkedinurl": world.url(person)})
            path, _ = await product.link(email.lower())
            assert (await product.caller(key="").post(path)).status_code == 200
        case "desk":
            member = await staff(product)
            response = await member.post("suppress", email=email, reason="They wrote to us")
            assert response.status_code == 200, response.text
        case _:
            values = {
                "drop email": ("Email", email.upper()), "drop work email": ("Email", f" {person.business[0][0]}"),
                "drop phone": ("Phone", person.phones[0].replace(" ", "-")),
            }  # fmt: skip
            listed, value = values[way]
            settings = product.ctx.settings.model_copy(update={"data_dir": world.folder})
            await DropService(world.folder / "drop.json").file_requests(listed, [value])
            transport = httpx2.ASGITransport(Starlette(routes=list(routes(settings))))
            product.scripts.vendors.__dict__["drop"] = Drop(
                "http://d.example/sandbox/drop", DROP_KEY, transport=transport
            )
            for _ in range(2):
                await product.scripts.run_job("drop", {})
            product.scripts.vendors.__dict__["drop"] = None
    await product.work()


# Each path returns the text in which a found person would appear, by name, address or id.


async def _search(world: World, person: Person) -> str:
    texts = []
    for filters in ({"name": person.full_name}, {"company": [person.company]}, {"title": "Head", "name": world.mark}):
        texts.append((await world.fresh.owner.post("searchpeople", **filters, limit=100)).text)
    return "".join(texts)


async def _search_by_key(world: World, person: Person) -> str:
    body = {"company": [person.company_domain]}
    return (await world.product.caller(key=world.key).post(API + "searchpeople", json=body)).text


async def _companies(world: World, person: Person) -> str:
    found = (await world.fresh.owner.post("searchcompanies", name=person.company)).json()
    return orjson.dumps(found["resource"]).decode()


async def _saved_search(world: World, person: Person) -> str:
    record = {"name": world.mark, "kind": "people", "filters": {"name": person.full_name}}
    saved = await world.fresh.owner.table("POST", "savedsearch", record)
    assert saved.status_code == 200, saved.text
    found = await world.fresh.owner.post("searchpeople", name=person.full_name)
    return person.full_name if found.json()["meta"]["count"] else ""


async def _search_url(world: World, person: Person) -> str:
    return (await world.fresh.owner.post("searchurl", linkedinurl=world.url(person), personal=True)).text


async def _reveal(world: World, person: Person) -> str:
    body = {"linkedinurl": world.url(person), "type": "personalemail", "action": "reveal"}
    response = await world.fresh.owner.post("getcontact", **body)
    return response.text if response.status_code == 200 and response.json()["contactdata"] else ""


async def _reveal_many(world: World, person: Person) -> str:
    one = await world.fresh.owner.post("revealmany", linkedinurls=[world.url(person)], kinds=["businessemail"])
    many = await world.fresh.owner.post("revealmany", search={"name": person.full_name}, kinds=["directdial"])
    found = [row for response in (one, many) for row in response.json()["resource"] if row["status"] == "found"]
    return person.full_name if found or one.json()["price"] or many.json()["price"] else ""


async def _lookup(world: World, person: Person) -> str:
    query = {"linkedinurl": world.url(person), "type": "businessemails"}
    response = await world.product.caller(key=world.key).get(API + "keylookup", params=query)
    found = response.json().get("data", {}).get("businessemails")
    return person.full_name if found else ""


async def _enrich(world: World, person: Person) -> str:
    people = [
        {"linkedinurl": world.url(person)}, {"email": person.personal[0]}, {"email": person.business[0][0].upper()},
        {"name": person.full_name, "company": person.company},
    ]  # fmt: skip
    texts = []
    for dry_run in (True, False):
        body = {"people": people, "kinds": ["businessemail", "directdial"], "dry_run": dry_run}
        response = (await world.product.caller(key=world.key).post(API + "enrich", json=body)).json()
        texts += [person.full_name for item in response["resource"] if item["status"] == "found" or item.get("person")]
    return "".join(texts)


async def _find_email(world: World, person: Person) -> str:
    body = {"name": person.full_name, "domain": person.company_domain}
    return (await world.product.caller(key=world.key).post(API + "findemail", json=body)).text


async def _verify_email(world: World, person: Person) -> str:
    body = {"email": person.business[0][0]}
    response = await world.product.caller(key=world.key).post(API + "verifyemail", json=body)
    return person.full_name if response.json()["verification"] == "valid" else ""


async def _bulk(world: World, person: Person) -> str:
    body = {"urls": [world.url(person)], "kinds": ["businessemail"], "max_credits": 5}
    job = (await world.fresh.owner.post("bulklookup", **body)).json()["jobid"]
    await world.product.work()
    rows = (await world.fresh.owner.http.get(f"{API}bulklookup/{job}")).json()["rows"]
    return orjson.dumps([row for row in rows if row["status"] != "notfound"]).decode()


async def _put_on_list(world: World, person: Person) -> str:
    made = await world.fresh.owner.table("POST", "contactlist", {"name": f"L {secrets.token_hex(4)}"})
    record = {"listid": made.json()["resource"][0]["listid"], "linkedinurl": world.url(person)}
    added = await world.fresh.owner.table("POST", "contactlistitem", record)
    return added.text if added.status_code == 200 else ""


async def _bought_before(world: World, person: Person) -> str:
    """Read contacts, lists, exports and relations of an account that paid before the removal."""
    owner = world.account.owner
    texts = [(await owner.post("searchname", searchtext=world.mark)).text]
    for path, query in (
        ("usercontact", {}), ("contactlistitem", {}), ("contactlist", {"related": "contactlistitem_by_listid"}),
        ("appuser", {"related": "usercontact_by_revealedby"}), ("contactmeta", {}), ("contactfeedback", {}),
    ):  # fmt: skip
        texts.append((await owner.http.get(f"{TABLE}{path}", params=query)).text)
    texts.append((await owner.http.get(f"{TABLE}usercontact", headers={"Accept": "text/csv"})).text)
    return "".join(texts)


async def _by_agent(world: World, person: Person) -> str:
    called = [("searchpeople", {"name": person.full_name}), ("searchurl", {"linkedinurl": world.url(person)})]
    texts = [(await world.agent.texts("call_script", name=name, input=body))[1][-1] for name, body in called]
    return "".join(texts)


async def _by_tools(world: World, person: Person) -> str:
    """Use the agents' tools; a person that cannot be bought has the price 0."""
    kinds = ["businessemail", "personalemail"]
    found = (await world.agent.texts("search_people", name=person.full_name))[1][-1]
    price = await world.agent.result("price", linkedinurls=[world.url(person)], kinds=kinds)
    asked = await world.agent.result("reveal", search={"name": person.full_name}, kinds=kinds, max_credits=5)
    people = [row for each in (price, asked) for row in each["result"]["resource"] if row["status"] == "found"]
    companies = (await world.agent.result("search_companies", name=person.company))["result"]["resource"]
    return found + orjson.dumps([people, companies]).decode()


async def _list_file(world: World, person: Person) -> str:
    made = await world.fresh.owner.table("POST", "contactlist", {"name": f"F {secrets.token_hex(4)}"})
    listid = made.json()["resource"][0]["listid"]
    text = f"url,name,company\n{world.url(person)},,\n,{person.full_name},{person.company}\n"
    added = (await world.fresh.owner.post("listimport", listid=listid, text=text)).json()["added"]
    file = await world.fresh.owner.http.get(API + "listexport", params={"listid": listid, "columns": "full_name,email"})
    return file.text + (person.full_name if added else "")


async def _of_key(world: World, person: Person) -> str:
    return (await world.product.caller(key=world.key).get(API + "account/contacts")).text


PATHS: tuple[Callable[[World, Person], Awaitable[str]], ...] = (
    _search, _search_by_key, _companies, _saved_search, _search_url, _reveal, _reveal_many, _lookup, _enrich,
    _find_email, _verify_email, _bulk, _put_on_list, _bought_before, _by_agent, _by_tools, _list_file, _of_key,
)  # fmt: skip


def _shows(text: str, person: Person) -> bool:
    signs = (person.full_name.split()[0], person.key, *person.personal, *person.phones, person.business[0][0])
    return any(sign.lower() in text.lower() for sign in signs)


@pytest.mark.parametrize("way", WAYS)
async def test_a_person_on_the_removal_list_cannot_be_found(world: World, way: str) -> None:
    gone, stays = await _person(world, "Gonzo"), await _person(world, "Stacy")
    for person in (gone, stays):
        body = {"linkedinurls": [world.url(person)], "kinds": ["personalemail", "businessemail", "directdial"]}
        assert (await world.account.owner.post("revealmany", **body)).json()["charged"] == 3
        made = await world.account.owner.table("POST", "contactlist", {"name": f"{way} {secrets.token_hex(2)}"})
        item = {"listid": made.json()["resource"][0]["listid"], "linkedinurl": world.url(person)}
        assert (await world.account.owner.table("POST", "contactlistitem", item)).status_code == 200
    await world.product.scripts.run_job("sumcompanies", {})
    await _remove(world, way, gone)
    before = await world.fresh.credits()
    for path in PATHS:
        assert not _shows(await path(world, gone), gone), path.__name__
    assert await world.fresh.credits() == before  # nothing was found, so nothing was paid
    for path in PATHS:
        assert _shows(await path(world, stays), stays), path.__name__
    assert await world.account.ledger_fits()
    assert await world.fresh.ledger_fits()


@pytest.mark.parametrize("way", WAYS)
async def test_no_source_restores_a_person_on_the_removal_list(world: World, way: str) -> None:
    gone = await _person(world, "Gonzo")
    await _remove(world, way, gone)
    emails, (work, _), (phone,) = gone.personal[0], gone.business[0], gone.phones
    known = {"mail": (emails, "", ""), "desk": (emails, "", ""), "drop email": (emails.upper(), "", ""),
             "drop work email": ("", work, ""), "drop phone": ("", "", phone)}[way]  # fmt: skip
    line = "{},{},CEO,{},{},USA,{},{},{}"
    lines = [  # the same profile with no value, and another profile with the listed value
        line.format(world.url(gone), gone.full_name, gone.company, gone.company_domain, "", "", ""),
        line.format(f"{world.url(gone)}-2", gone.full_name, gone.company, gone.company_domain, *known),
    ]
    path = world.folder / "people.csv"
    path.write_text("\n".join((",".join(HEADER), *lines)) + "\n")
    done = await world.product.scripts.run_job("importpeople", {"file": str(path)})
    assert (done.imported, done.suppressed) == (0, 2)
    data = {
        "full_name": gone.full_name, "company": gone.company, "personal_emails": known[0],
        "business_emails": known[1], "phones": known[2],
    }  # fmt: skip
    served = httpx2.MockTransport(lambda request: httpx2.Response(200, json=data))
    world.product.scripts.vendors.__dict__["people"] = PeopleVendor("http://vendor.example", "", transport=served)
    try:
        for url in (world.url(gone), f"{world.url(gone)}-3"):
            found = await world.fresh.owner.post("searchurl", linkedinurl=url, personal=True)
            assert found.json() == {"data": []}
    finally:
        world.product.scripts.vendors.__dict__["people"] = None
    count = "select count(*) from person where full_name = $1"
    assert await world.product.db.fetchval(count, gone.full_name) == 0
