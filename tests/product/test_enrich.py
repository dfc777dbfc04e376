"""POST /enrich, /findemail and /verifyemail: scopes, free misses, results by position, repeats and races."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from tests.helpers.product import API, Account, Product
from tests.helpers.statements import recorded
from tests.helpers.support import ok, rejection

KINDS = ["directdial", "businessemail", "personalemail"]
CALLS: dict[str, dict[str, Any]] = {
    "enrich": {"people": [{"linkedinurl": "linkedin.com/in/a"}], "kinds": ["directdial"]},
    "findemail": {"name": "Jane Doe", "domain": "acme.example"},
    "verifyemail": {"email": "jane@acme.example"},
}


async def _key(account: Account, *scopes: str, **fields: Any) -> str:
    record: dict[str, Any] = {"purpose": "CRM"} | ({"scopes": list(scopes)} if scopes else {}) | fields
    response = await account.owner.table("POST", "apikeys", record)
    return str(ok(response)["resource"][0]["apikey"])


@pytest.fixture
async def program(product: Product, account: Account) -> httpx2.AsyncClient:
    """Return a client with a key for enrichment."""
    return product.caller(key=await _key(account, "enrich"))


async def _send(client: httpx2.AsyncClient, call: str, **body: Any) -> dict[str, Any]:
    response = await client.post(API + call, json=body)
    return dict(ok(response))


def _error(response: httpx2.Response) -> dict[str, Any]:
    """Return the error of a response without the number of its request."""
    error: dict[str, Any] = response.json()["error"]
    error["context"].pop("request_id", None)
    return {"status": response.status_code} | error


@pytest.mark.parametrize("call", sorted(CALLS))
async def test_a_key_needs_the_scope(product: Product, account: Account, call: str) -> None:
    body = CALLS[call]
    for caller in (product.caller(key=""), product.caller(key="0123456789abcdef"), account.owner.http):
        response = await caller.post(API + call, json=body)
        assert (response.status_code, response.json()["error"]["context"]["scope"]) == (401, "resource")
    for scopes in ((), ("lookup", "search"), ("usage", "contacts")):
        response = await product.caller(key=await _key(account, *scopes)).post(API + call, json=body)
        context = response.json()["error"]["context"]
        assert (response.status_code, context["reason"], context["needed"]) == (403, "scope", "enrich")
        await product.db.execute("update usercredit set apicallcount = 5 where clientid = $1", account.clientid)


async def test_a_key_for_enrichment_cannot_look_up(program: httpx2.AsyncClient) -> None:
    response = await program.get(API + "keylookup", params={"linkedinurl": "linkedin.com/in/a", "type": "directdials"})
    context = response.json()["error"]["context"]
    assert (response.status_code, context["reason"], context["needed"]) == (403, "scope", "lookup")
    assert (await program.get(API + "account/credits")).status_code == 200


async def test_keys_have_scopes_and_expire(product: Product, account: Account) -> None:
    wrong: list[dict[str, Any]] = [
        {"scopes": []}, {"scopes": ["all"]}, {"scopes": "enrich"}, {"expireson": "2020-01-01T00:00:00Z"},
    ]  # fmt: skip
    for bad in wrong:
        record: dict[str, Any] = {"purpose": "x"}
        response = await account.owner.table("POST", "apikeys", record | bad)
        assert response.status_code in (400, 422), bad
    key = await _key(account, "enrich", expireson="2099-01-01T00:00:00Z")
    row = (await account.owner.table("GET", "apikeys", order="keyid DESC")).json()["resource"][0]
    assert row["scopes"] == ["enrich"]
    caller = product.caller(key=key)
    change = {"keyid": row["keyid"], "scopes": ["lookup", "search"]}
    assert (await account.owner.table("PATCH", "apikeys", change)).status_code == 200
    assert (await caller.post(API + "verifyemail", json=CALLS["verifyemail"])).status_code == 403
    assert (await caller.post(API + "searchpeople", json={})).status_code == 200
    await product.db.execute("update apikeys set expireson = now() where keyid = $1", row["keyid"])
    assert (await caller.post(API + "searchpeople", json={})).status_code == 401
    events = await product.db.fetch("select event from auditlog where clientid = $1", account.clientid)
    assert "key_scopes_changed" in {event["event"] for event in events}


@pytest.mark.parametrize(
    "body",
    [
        {"people": []},
        {"people": [{"email": "a@b.example"}] * 101},
        {"people": [{"phone": "+1"}]},
        {"people": [{"linkedinurl": 1}]},
        {"people": ["x"]},
        {"kinds": []},
        {"kinds": ["fax"]},
        {"max_credits": -1},
        {"max_credits": "x"},
    ],
)
async def test_invalid_input_is_rejected(program: httpx2.AsyncClient, body: dict[str, Any]) -> None:
    assert (await program.post(API + "enrich", json=CALLS["enrich"] | body)).status_code == 422


async def test_results_have_the_positions_of_the_requests(
    product: Product, account: Account, program: httpx2.AsyncClient
) -> None:
    mark = secrets.token_hex(4)
    values = {"company": f"Acme {mark}", "company_domain": f"{mark}.example", "title": "CFO", "country": "DEU"}
    await product.person(f"by-url-{mark}", full_name=f"Ur L{mark}", **values)
    await product.person(f"by-mail-{mark}", full_name=f"Mai L{mark}", personal_emails=[f"Mail-{mark}@Home.example"])
    await product.person(f"by-name-{mark}", full_name=f"Na Me{mark}", phones=[], **values)
    for number in range(2):
        await product.person(f"twin-{number}-{mark}", full_name=f"Tw In{mark}", **values)
    people: list[dict[str, Any]] = [
        {"reference": "a", "linkedinurl": f"https://linkedin.com/in/by-url-{mark}"},
        {"reference": 7, "email": f"mail-{mark}@home.example"},
        {"reference": "c", "name": f"na me{mark}", "company": f"acme {mark}"},
        {"name": f"Na Me{mark}", "company": f"{mark}.example"},
        {"reference": "e", "name": f"Tw In{mark}", "company": f"Acme {mark}"},
        {"reference": "f", "linkedinurl": "linkedin.com/in/nobody-at-all"},
        {"reference": "g", "linkedinurl": "example.com/x"},
        {"reference": "h", "name": "Only A Name"},
        {"reference": "i", "email": f"other-{mark}@home.example"},
    ]
    kinds = ["directdial", "personalemail", "businessemail"]
    dry = await _send(program, "enrich", people=people, kinds=kinds, dry_run=True)
    assert (dry["price"], dry["charged"]) == (5, 0)  # people named by e-mail have no price before they are paid for
    assert "person" not in dry["resource"][0]
    assert (await account.owner.table("GET", "usercontact")).json()["resource"] == []

    done = await _send(program, "enrich", people=people, kinds=kinds)
    assert (done["price"], done["charged"]) == (8, 8)
    assert [item.get("reference") for item in done["resource"]] == ["a", 7, "c", None, "e", "f", "g", "h", "i"]
    assert [(item["status"], item["reason"], item["charged"]) for item in done["resource"]] == [
        ("found", "", 3), ("found", "", 3), ("found", "", 2), ("found", "", 0), ("not_found", "ambiguous", 0),
        ("not_found", "unknown_person", 0), ("not_found", "bad_profile", 0), ("not_found", "no_identifier", 0),
        ("not_found", "unknown_person", 0),
    ]  # fmt: skip
    person = done["resource"][0]["person"]
    shown = [person[name] for name in ("full_name", "title", "company", "company_domain", "country", "phones")]
    assert shown == [f"Ur L{mark}", "CFO", f"Acme {mark}", f"{mark}.example", "DEU", ["+12025550123"]]
    emails = [(each["address"], each["verification"]) for each in person["business_emails"]]
    assert emails == [("jane.doe@acme.example", "valid"), ("jd@acme.example", "unknown")]
    checked = datetime.fromisoformat(person["personal_emails"][0]["checkedon"])
    assert (datetime.now(UTC) - checked).total_seconds() < 60
    again = await _send(program, "enrich", people=people, kinds=kinds, max_credits=0)
    assert (again["price"], again["charged"]) == (0, 0)
    assert sorted(again["resource"][0]["owned"]) == sorted(kinds)
    assert await account.ledger_fits()
    usage: Any = await product.db.fetchrow(
        "select count(*) as calls, sum(charged) as charged, sum(directdialscount) as phones from apiusage"
        " where clientid = $1", account.clientid,
    )  # fmt: skip
    assert (usage["calls"], usage["charged"], usage["phones"]) == (2 * 9 * 3, 8, 2)


async def test_only_the_requested_kinds_are_sent(product: Product, program: httpx2.AsyncClient) -> None:
    person = await product.person()
    body = {"people": [{"linkedinurl": f"linkedin.com/{person.key}"}], "kinds": ["businessemail"]}
    response = await program.post(API + "enrich", json=body)
    assert "+12025550123" not in response.text
    assert "jane@home.example" not in response.text
    assert response.headers["X-Credits-Price"] == response.headers["X-Credits-Charged"] == "1"


async def test_a_ceiling_under_the_price_charges_nothing(
    product: Product, account: Account, program: httpx2.AsyncClient
) -> None:
    person = await product.person()
    body = {"people": [{"linkedinurl": f"linkedin.com/{person.key}"}], "kinds": ["businessemail", "directdial"]}
    before = await account.credits()
    response = await program.post(API + "enrich", json=body | {"max_credits": 1})
    context = response.json()["error"]["context"]
    assert (response.status_code, context["reason"], context["price"]) == (402, "over_ceiling", 2)
    assert await account.credits() == before


async def test_without_credits_nothing_is_charged(
    product: Product, account: Account, program: httpx2.AsyncClient
) -> None:
    person = await product.person()
    await account.set_credits(0)
    done = await _send(program, "enrich", people=[{"linkedinurl": f"linkedin.com/{person.key}"}], kinds=["directdial"])
    item = done["resource"][0]
    assert (item["status"], item["charged"], "person" in item) == ("no_credit", 0, False)
    lacks = {"linkedinurl": f"linkedin.com/{(await product.person(phones=[])).key}"}
    for dry_run in (True, False):
        (item,) = (await _send(program, "enrich", people=[lacks], kinds=["directdial"], dry_run=dry_run))["resource"]
        assert (item["status"], item["reason"], "person" in item) == ("not_found", "no_data", False)


async def test_removed_people_are_not_found(product: Product, program: httpx2.AsyncClient) -> None:
    mark = secrets.token_hex(4)
    address = f"gone-{mark}@home.example"
    await product.person(f"gone-{mark}", full_name=f"Go Ne{mark}", personal_emails=[address], company=f"Acme {mark}")
    await product.caller().post(API + "removalrequest", json={"email": address})
    path, _ = await product.link(address)
    assert (await product.caller(key="").post(path)).status_code == 200
    people = [
        {"linkedinurl": f"linkedin.com/in/gone-{mark}"},
        {"email": address},
        {"name": f"Go Ne{mark}", "company": f"Acme {mark}"},
    ]
    for _ in range(2):
        done = await _send(program, "enrich", people=people, kinds=["directdial"])
        assert [item["status"] for item in done["resource"]] == ["not_found"] * 3
        assert [item["reason"] for item in done["resource"]] == ["unknown_person"] * 3
        assert done["charged"] == 0
        await product.work()


async def test_a_repeat_with_a_key_is_replayed(product: Product, account: Account, program: httpx2.AsyncClient) -> None:
    person = await product.person()
    body = {"people": [{"linkedinurl": f"linkedin.com/{person.key}"}], "kinds": ["directdial"]}
    header = {"Idempotency-Key": "same"}
    responses = [await program.post(API + "enrich", json=body, headers=header) for _ in range(2)]
    assert responses[0].json() == responses[1].json()
    assert responses[1].json()["charged"] == 1
    assert responses[1].headers["Idempotency-Replayed"] == "true"
    other = await program.post(API + "enrich", json=body | {"kinds": ["businessemail"]}, headers=header)
    assert other.status_code == 422
    second = product.caller(key=await _key(account, "enrich"))
    fresh = await second.post(API + "enrich", json=body, headers=header)
    assert (fresh.status_code, fresh.json()["charged"]) == (200, 0)
    assert "Idempotency-Replayed" not in fresh.headers


async def test_two_concurrent_keys_charge_each_value_once(product: Product, account: Account) -> None:
    mark = secrets.token_hex(4)
    for number in range(40):
        await product.person(f"race-{mark}-{number}")
    people = [{"linkedinurl": f"linkedin.com/in/race-{mark}-{number}"} for number in range(40)]
    clients = [product.caller(key=await _key(account, "enrich")) for _ in range(2)]
    before = await account.credits()
    responses = await asyncio.gather(
        *(_send(client, "enrich", people=people, kinds=["directdial", "businessemail"]) for client in clients)
    )
    assert sum(response["charged"] for response in responses) == 80
    after = await account.credits()
    assert before["contactcredit"] - after["contactcredit"] == 40
    assert before["bus_email_credits"] - after["bus_email_credits"] == 40
    assert await account.ledger_fits()


async def test_an_address_found_by_name_costs_one_credit(
    product: Product, account: Account, program: httpx2.AsyncClient
) -> None:
    mark = secrets.token_hex(4)
    await product.person(f"find-{mark}", full_name=f"Fi Nd{mark}", company_domain=f"{mark}.example")
    missing = await _send(program, "findemail", name="Nobody", domain=f"{mark}.example")
    assert (missing.get("email"), missing["charged"], missing["reasons"]) == (None, 0, ["unknown_person"])
    body = {"name": f"fi nd{mark}", "domain": f"{mark}.example"}
    over = await program.post(API + "findemail", json=body | {"max_credits": 0})
    nobody = await program.post(API + "findemail", json=body | {"name": "Nobody", "max_credits": 0})
    assert rejection(over) == (402, "over_ceiling")
    assert _error(nobody) == _error(over)
    for charged in (1, 0):
        response = await program.post(API + "findemail", json=body)
        found = response.json()
        shown = (found["email"], found["verification"], found["charged"])
        assert shown == ("jane.doe@acme.example", "valid", charged)
        assert response.headers["X-Credits-Charged"] == str(charged)
    await product.person(f"find2-{mark}", full_name=f"Ot Her{mark}", company_domain=f"{mark}.example")
    await account.set_credits(0)
    poor = await program.post(API + "findemail", json=body | {"name": f"Ot Her{mark}"})
    nobody = await program.post(API + "findemail", json=body | {"name": "Nobody"})
    assert rejection(poor) == (402, "no_credit")
    assert _error(nobody) == _error(poor)
    again = await program.post(API + "findemail", json=body | {"max_credits": 0})
    assert again.json()["email"] == "jane.doe@acme.example"


@pytest.mark.parametrize(
    ("address", "word", "reason"),
    [
        ("jane.roe@acme.example", "unknown", "mailbox_not_checked"),
        ("sales@acme.example", "risky", "role_address"),
        ("Info+x@acme.example", "risky", "role_address"),
        ("x@mailinator.com", "risky", "disposable_domain"),
        ("no at sign", "invalid", "bad_form"),
        ("a@b", "invalid", "bad_form"),
        ("a..b@acme.example", "invalid", "bad_form"),
        ("<a@acme.example>", "invalid", "bad_form"),
        ("\u0000@acme.example", "invalid", "bad_form"),
    ],
)
async def test_an_address_gets_a_verdict_and_its_reason(
    program: httpx2.AsyncClient, address: str, word: str, reason: str
) -> None:
    response = await program.post(API + "verifyemail", json={"email": address})
    if address.startswith("\u0000") and response.status_code in (400, 422):
        return
    body = response.json()
    assert (body["verification"], body["reasons"][:1]) == (word, [reason])
    assert datetime.fromisoformat(body["checkedon"]) <= datetime.now(UTC)
    assert response.headers["X-Credits-Charged"] == "0"


async def test_verifying_discloses_nothing_about_unpaid_addresses(
    product: Product, account: Account, program: httpx2.AsyncClient
) -> None:
    mark = secrets.token_hex(4)
    address = f"known-{mark}@acme.example"
    person = await product.person(f"known-{mark}", business_emails=[f"{address}:valid"])
    known = await _send(program, "verifyemail", email=address)
    guessed = await _send(program, "verifyemail", email=f"guess-{mark}@acme.example")
    assert known["verification"] == guessed["verification"] == "unknown"
    assert known["reasons"] == guessed["reasons"]
    body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
    revealed = (await account.owner.post("getcontact", **body)).json()
    assert [(check["address"], check["verification"]) for check in revealed["checks"]] == [(address, "valid")]
    assert (await _send(program, "verifyemail", email=address))["verification"] == "valid"


async def test_a_check_during_reveal_updates_filters(product: Product, account: Account, other: Account) -> None:
    """A role address that the file calls valid is risky from the first reveal on, for every account."""
    mark = "v" + secrets.token_hex(4)
    person = await product.person(mark, full_name=f"Role {mark}", business_emails=["sales@acme.example:valid"])
    search = {"name": mark, "verification": ["risky"]}
    assert (await other.owner.post("searchpeople", **search)).json()["resource"] == []
    body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
    contact = (await account.owner.post("getcontact", **body)).json()["contactdata"][0]
    assert contact["bus_email_validation"] == "valid"  # the value from the file is kept
    row = (await account.owner.table("GET", "usercontact")).json()["resource"][0]
    assert (row["verification"], row["checkedon"] is not None) == ("risky", True)
    assert len((await other.owner.post("searchpeople", **search)).json()["resource"]) == 1
    assert (await other.owner.post("searchpeople", name=mark, verification=["valid"])).json()["resource"] == []


UNPAID: dict[str, dict[str, Any]] = {
    "dry run": {"dry_run": True}, "under a ceiling of nothing": {"max_credits": 0},
    "kinds that the person lacks": {"kinds": ["directdial"]}, "without credits": {},
}  # fmt: skip


@pytest.mark.parametrize("case", UNPAID)
async def test_an_address_that_is_not_paid_for_names_nobody(
    product: Product, account: Account, program: httpx2.AsyncClient, case: str
) -> None:
    mark = secrets.token_hex(4)
    for number in range(2):  # an address of two people finds neither
        await product.person(f"two-{number}-{mark}", phones=[], personal_emails=[f"two-{mark}@home.example"])
    person = await product.person(
        f"one-{mark}", phones=[], personal_emails=[f"one-{mark}@home.example"],
        business_emails=[f"job-{mark}@acme.example"],
    )  # fmt: skip
    await product.db.execute(
        "insert into suppression (hash, kind, erasedon) values ($1, 'email', now())",
        product.scripts.vault.index("email", f"out-{mark}@home.example"),
    )
    if case == "without credits":
        await account.set_credits(0)
    seen = []
    for word in ("one", "two", "out", "off"):
        other = [{"email": f"job-{mark}@acme.example"}] if word == "one" else [{"email": f"off-{mark}@acme.example"}]
        body = {"people": [{"email": f"{word}-{mark}@home.example"}, *other], "kinds": KINDS} | UNPAID[case]
        with recorded() as statements:  # equal statements take equal time
            response = await program.post(API + "enrich", json=body)
        headers = {name: value for name, value in response.headers.items() if name.startswith("x-credits")}
        # A new connection asks for its types.
        asked = {sql for sql in statements if "pg_type" not in sql and "'jit'" not in sql}
        seen.append((response.status_code, headers, response.json(), asked))
    assert all(each == seen[-1] for each in seen), seen
    items = seen[0][2]["resource"]
    assert [(item["status"], item["reason"]) for item in items] == [("not_found", "unknown_person")] * 2
    assert (seen[0][0], seen[0][2]["price"]) == (200, 0)
    assert await product.db.fetchval("select coalesce(sum(found), 0) from apiusage where clientid = $1",
                                     account.clientid) == 0  # fmt: skip
    assert await _shown(product, account) == 0
    if case != "without credits":
        body = {"people": [{"email": f"one-{mark}@home.example"}], "kinds": ["businessemail"], "max_credits": 1}
        done = await _send(program, "enrich", **body)
        assert (done["price"], done["charged"]) == (1, 1)
        assert done["resource"][0]["person"]["linkedinurl"].endswith(person.key)
        again = await _send(program, "enrich", **body | {"max_credits": 0})
        assert (again["charged"], again["resource"][0]["status"]) == (0, "found")
        dry = await _send(program, "enrich", **body, dry_run=True)
        assert (dry["resource"][0]["status"], dry["resource"][0]["owned"]) == ("found", ["businessemail"])
        assert await _shown(product, account) == 1
        assert await account.ledger_fits()


async def test_a_ceiling_holds_for_people_named_by_address(
    product: Product, account: Account, program: httpx2.AsyncClient
) -> None:
    """People named openly are bought first; then others, as far as the ceiling reaches."""
    mark = secrets.token_hex(4)
    for number in range(3):
        await product.person(f"top-{number}-{mark}", personal_emails=[f"top-{number}-{mark}@home.example"])
    people: list[dict[str, Any]] = [{"email": f"top-{number}-{mark}@home.example"} for number in range(2)]
    people.append({"linkedinurl": f"linkedin.com/in/top-2-{mark}"})
    kinds = ["directdial", "personalemail"]
    over = await program.post(API + "enrich", json={"people": people, "kinds": kinds, "max_credits": 1})
    assert (_error(over)["status"], _error(over)["context"]["price"]) == (402, 2)
    done = await _send(program, "enrich", people=people, kinds=kinds, max_credits=5)
    assert (done["price"], done["charged"]) == (4, 4)
    assert [item["status"] for item in done["resource"]] == ["found", "not_found", "found"]
    assert await account.ledger_fits()


@pytest.mark.parametrize("dry_run", [True, False])
async def test_addresses_are_counted_for_the_account_before_they_are_looked_up(
    product: Product, account: Account, dry_run: bool
) -> None:
    mark = secrets.token_hex(4)
    first = product.caller(key=await _key(account, "enrich"))
    await product.person(f"paid-{mark}", business_emails=[f"paid-{mark}@acme.example:valid"])
    paid = {"people": [{"email": f"paid-{mark}@acme.example"}], "kinds": ["businessemail"]}
    for _ in range(3):  # addresses that are paid for do not count
        assert (await _send(first, "enrich", **paid))["resource"][0]["status"] == "found"
        assert (await _send(first, "verifyemail", email=f"paid-{mark}@acme.example"))["verification"] == "valid"
    for part in range(5):
        people = [{"email": f"{part}-{number}-{mark}@acme.example"} for number in range(100 if part else 98)]
        await _send(first, "enrich", people=people, kinds=["businessemail"], dry_run=dry_run)
    await _send(first, "verifyemail", email=f"guess-{mark}@acme.example")
    await _send(first, "findemail", name="Nobody", domain="acme.example")
    calls = {
        "enrich": paid | {"dry_run": dry_run}, "verifyemail": {"email": f"paid-{mark}@acme.example"},
        "findemail": {"name": "Nobody", "domain": "acme.example"},
    }  # fmt: skip
    for client in (first, product.caller(key=await _key(account, "enrich"))):
        for call, body in calls.items():
            response = await client.post(API + call, json=body)
            assert rejection(response) == (429, "rate_limit"), call
            assert int(response.headers["Retry-After"]) > 3600
    by_url = {"people": [{"linkedinurl": f"linkedin.com/in/paid-{mark}"}], "kinds": ["businessemail"]}
    assert (await _send(first, "enrich", **by_url))["resource"][0]["status"] == "found"


LIMITED: dict[str, tuple[str, int, dict[str, Any]]] = {
    "enrich": ("POST", 30, {"people": [{"name": "x"}], "kinds": ["directdial"]}),
    "findemail": ("POST", 60, {"name": "Nobody", "domain": "acme.example"}),
    "verifyemail": ("POST", 60, {"email": "jane@acme.example"}),
    "keylookup": ("GET", 30, {"linkedinurl": "linkedin.com/in/nobody-here", "type": "directdials"}),
    "searchcompanies": ("POST", 60, {}),
    "agent/price": ("POST", 60, {"linkedinurls": ["linkedin.com/in/nobody-here"], "kinds": ["directdial"]}),
    "agent/reveal": ("POST", 20, {"linkedinurls": ["linkedin.com/in/nobody-here"], "kinds": ["directdial"]}),
    "agent/lists": ("POST", 60, {}),
    "account/contacts": ("GET", 60, {}),
    "account/usage": ("GET", 60, {}),
}


@pytest.mark.parametrize("call", LIMITED)
async def test_a_new_key_has_the_limits_of_its_account(
    product: Product, account: Account, other: Account, call: str
) -> None:
    method, amount, body = LIMITED[call]

    async def status(owner: Account) -> int:
        key = await _key(owner, "lookup", "enrich", "search", "contacts", "usage")
        more: dict[str, Any] = {"json": body} if method == "POST" else {"params": body}
        async with product.caller(key=key) as http:
            codes = [(await http.request(method, API + call, **more)).status_code for _ in range(amount // 5)]
        listed = await owner.owner.table("GET", "apikeys", filter="isdeleted = 0")
        (keyid,) = [row["keyid"] for row in listed.json()["resource"]]
        await owner.owner.table("PATCH", "apikeys", {"keyid": keyid, "isactive": 0, "isdeleted": 1})
        return max(codes)

    assert [await status(account) for _ in range(6)] == [200] * 5 + [429]
    assert await status(other) == 200


async def _shown(product: Product, account: Account) -> int:
    """Return how many people the account has been shown today."""
    return int(await product.db.fetchval("select coalesce(sum(people), 0) from searchuse where clientid = $1",
                                         account.clientid))  # fmt: skip
