"""Wrong inputs of a customer's program: each message says what is wrong, where, and what to do."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from tests.helpers.product import API, KEY, Account, Product

FOUND = "https://www.linkedin.com/in/test_found"
KINDS = {"kinds": ["directdial"]}
PEOPLE = {"people": [{"linkedinurl": FOUND}]}
LOOKUP = {"linkedinurl": FOUND, "type": "directdials"}
NEW = {"purpose": "CRM"}
HOOK = {"url": "https://example.com/hook", "events": ["bulk.finished"]}

Case = tuple[str, str, dict[str, Any], int, list[str]]
# Method, path below /api/v2/, input, status, and words of the message.
BY_KEY: list[Case] = [
    ("GET", "enrichment", {}, 404, ["enrichment", "Did you mean 'enrich'?"]),
    ("GET", "keylokup", LOOKUP, 404, ["Did you mean 'keylookup'?"]),
    ("GET", "enrich", {}, 405, ["GET", "Use POST."]),
    ("POST", "account/credits", {}, 405, ["POST", "Use GET."]),
    ("GET", "leads/_table/usercontact", {}, 401, ["account/contacts", "X-API-Key"]),
    ("POST", "getcontact", {}, 401, ["keylookup"]),
    ("POST", "enrich", KINDS, 422, ["people: Missing"]),
    ("POST", "enrich", {}, 422, ["people and kinds are missing."]),
    ("POST", "enrich", PEOPLE | KINDS | {"max_credit": 1}, 422, ["max_credit: ", "'max_credits'"]),
    ("POST", "enrich", {"people": [{"mail": "a@b.example"}]} | KINDS, 422, ["people.0.mail: ", "'email'"]),
    ("POST", "enrich", {"people": [{"linkedin_url": FOUND}]} | KINDS, 422, ["people.0.linkedin_url: Unknown field"]),
    ("POST", "enrich", {"people": FOUND} | KINDS, 422, ["people: Must be a list"]),
    ("POST", "enrich", {"people": []} | KINDS, 422, ["people: Must have at least 1"]),
    ("POST", "enrich", {"people": PEOPLE["people"] * 101} | KINDS, 422, ["at most 100; you sent 101"]),
    ("POST", "enrich", PEOPLE | {"kinds": ["phone"]}, 422, ["kinds.0: Must be 'directdial'", "'personalemail'"]),
    ("POST", "enrich", PEOPLE | {"kinds": ["mobile"]}, 422, ["For phone numbers send 'directdial'"]),
    ("POST", "enrich", PEOPLE | {"kinds": "directdial"}, 422, ['kinds: Must be a list, such as ["directdial"]']),
    ("POST", "enrich", PEOPLE | {"type": "directdials"}, 422, ["kinds: Missing; you sent 'type'. Send 'directdial'"]),
    ("POST", "enrich", {"people": [{"url": FOUND}]} | KINDS, 422, ["people.0.url: ", "Its fields: reference, linked"]),
    ("POST", "enrich", PEOPLE | KINDS | {"max_credits": -1}, 422, ["max_credits: Must be at least 0"]),
    ("POST", "enrich", PEOPLE | KINDS | {"max_credits": "many"}, 422, ["max_credits: Must be a whole number"]),
    ("POST", "enrich", PEOPLE | KINDS | {"dry_run": "perhaps"}, 422, ["dry_run: Must be true or false"]),
    ("POST", "enrich", PEOPLE | KINDS | {"max_credits": 0}, 402, ["1 credit,", "max_credits (0)", "Nothing was"]),
    ("GET", "keylookup", {"type": "directdials"}, 422, ["linkedinurl: Missing"]),
    ("GET", "keylookup", {"type": "directdials", "linkedin_url": FOUND}, 422, ["linkedinurl: ", "'linkedin_url'"]),
    ("GET", "keylookup", {"type": "directdials", "url": FOUND}, 422, ["linkedinurl: Missing; you sent 'url'"]),
    ("GET", "keylookup", LOOKUP | {"type": "phone"}, 422, ["type: Must be", "For phone numbers send 'directdials'"]),
    ("GET", "keylookup", LOOKUP | {"type": "businessemail"}, 422, ["type: Must be", "Did you mean 'businessemails'?"]),
    ("GET", "keylookup", LOOKUP | {"linkedinurl": FOUND.replace("found", "no_credit")}, 402, ["Cell Number Credits"]),
    ("GET", "keylookup", LOOKUP | {"linkedinurl": FOUND.replace("found", "rate_limit")}, 429, ["Try again"]),
    ("POST", "findemail", {"name": "Ada"}, 422, ["domain: Missing"]),
    ("POST", "findemail", {"name": "Ada", "domain": "not a domain"}, 422, ["domain: Must be", "such as acme.com"]),
    ("POST", "findemail", {"name": "Ada", "domain": "a@acme.com"}, 422, ["domain: Must be", "such as acme.com"]),
    ("POST", "findemail", {"name": "Ada", "company": "b.example"}, 422, ["domain: Missing; you sent 'company'"]),
    ("POST", "findemail", {"name": "Ada", "domain": "b.example", "max": 1}, 422, ["max: Unknown field"]),
    ("POST", "findemail", {"name": "", "domain": "b.example"}, 422, ["name: Must not be empty"]),
    ("POST", "findemail", {"first": "A", "last": "B", "domain": "b.co"}, 422, ["Missing; you sent 'first' and 'last'"]),
    ("POST", "enrich", {"people": PEOPLE["people"][0]} | KINDS, 422, ["people: Must be a list: put the object in [ ]"]),
    ("POST", "enrich", {"people": [FOUND]} | KINDS, 422, ["people.0: Must be an object. Its fields: refer"]),
    ("POST", "enrich", {"people": [{"reference": "r" * 300}]} | KINDS, 422, ["people.0.reference: Must have a length"]),
    ("POST", "verifyemail", {"mail": "a@b.example"}, 422, ["email: Missing; you sent 'mail'"]),
    ("POST", "verifyemail", {"resource": [{"email": "a@b.co"}]}, 422, ["email: Missing; send the fields themselves"]),
    ("POST", "verifyemail", {"email": "x" * 400}, 422, ["email: Must have a length of at most 320"]),
    ("POST", "searchpeople", {"titel": "sales"}, 422, ["titel: ", "'title'"]),
    ("POST", "searchpeople", {"not": {"titel": "sales"}}, 422, ["not.titel: ", "'title'"]),
    ("POST", "searchpeople", {"seniority": "boss"}, 422, ["seniority: Must be one of ", "director", "not 'boss'"]),
    ("POST", "searchpeople", {"function": "tea"}, 422, ["function: Must be one of ", "sales", "not 'tea'"]),
    ("POST", "searchpeople", {"function": "salez"}, 422, ["Did you mean 'sales'?"]),
    ("POST", "searchpeople", {"title": "x" * 300}, 422, ["title: Must have a length of at most 200; you sent 300"]),
    ("POST", "searchpeople", {"page": 2}, 422, ["page: Unknown field. Its fields: order, limit, cursor"]),
    ("POST", "searchpeople", {"has": ["phone"]}, 422, ["has.0: Must be 'directdial'"]),
    ("POST", "searchpeople", {"limit": 1000}, 422, ["limit: Must be at most 100"]),
    ("POST", "searchpeople", {"limit": "all"}, 422, ["limit: Must be a whole number"]),
    ("POST", "searchcompanies", {"size": "1-10"}, 422, ["size: Unknown field"]),
    ("GET", "account/contacts", {"since": "2026-01-01T10:00:00"}, 422, ["since: Must have a time zone, such as"]),
    ("GET", "account/contacts", {"since": "yesterday"}, 422, ["since: Must be a date and time such as"]),
    ("GET", "account/contacts", {"sinse": "2026-01-01T10:00:00Z"}, 422, ["sinse: ", "'since'"]),
    ("GET", "account/contacts", {"limit": 0}, 422, ["limit: Must be at least 1"]),
    ("GET", "account/usage", {"days": 1000}, 422, ["days: Must be at most 366"]),
    ("GET", "account/usage", {"days": 0}, 422, ["days: Must be at least 1"]),
    ("GET", "account/usage", {"day": 7}, 422, ["day: ", "'days'"]),
    ("POST", "agent/lists", {"listid": 9}, 404, ["no list with the id 9", "Your lists: 1 (Test list)"]),
    ("POST", "agent/reveal", {"linkedinurls": [FOUND], "search": {}} | KINDS, 422, ["either linkedinurls or search"]),
    ("POST", "agent/price", {"linkedinurl": FOUND} | KINDS, 422, ["linkedinurl: ", "'linkedinurls'"]),
    ("POST", "agent/price", {"linkedinurl": FOUND}, 422, ["kinds: Missing. Send 'directdial'"]),
]  # fmt: skip
BY_OWNER: list[Case] = [
    ("POST", "apikeys", {}, 422, ["purpose: Missing"]),
    ("POST", "apikeys", {"purpose": " "}, 422, ["purpose: Must not be empty"]),
    ("POST", "apikeys", NEW | {"scope": ["search"]}, 422, ["scope: ", "'scopes'"]),
    ("POST", "apikeys", NEW | {"scopes": ["read"]}, 422, ["scopes.0: Must be 'lookup'", "'usage'"]),
    ("POST", "apikeys", NEW | {"scopes": "search"}, 422, ["scopes: Must be a list"]),
    ("POST", "apikeys", NEW | {"scopes": []}, 422, ["scopes: Must have at least 1"]),
    ("POST", "apikeys", NEW | {"expireson": "2030-01-01T00:00:00"}, 422, ["expireson: Must have a time zone, such as"]),
    ("POST", "apikeys", NEW | {"expireson": "soon"}, 422, ["expireson: Must be a date and time"]),
    ("POST", "apikeys", NEW | {"expireson": "2020-01-01T00:00:00Z"}, 422, ["expireson: Must be in the future"]),
    ("POST", "apikeys", NEW | {"istest": "yes"}, 422, ["istest: Must be 0 or 1"]),
    ("POST", "webhook", {"events": ["bulk.finished"]}, 422, ["url: Missing"]),
    ("POST", "webhook", HOOK | {"url": "http://example.com"}, 422, ["begins with https://"]),
    ("POST", "webhook", HOOK | {"url": "https://10.0.0.1/hook"}, 422, ["'10.0.0.1' is a private one"]),
    ("POST", "webhook", HOOK | {"url": "https://[::1]/hook"}, 422, ["'::1' is a private one"]),
    ("POST", "webhook", HOOK | {"url": "https://localhost/hook"}, 422, ["'localhost' is a private one"]),
    ("POST", "webhook", {}, 422, ["url and events are missing."]),
    ("POST", "webhook", HOOK | {"events": ["contact.reveal"]}, 422, ["events.0: Must be 'contact.revealed'"]),
    ("POST", "webhook", {"url": HOOK["url"]}, 422, ["events: Missing. Send 'contact.revealed', 'bulk.finished'"]),
    ("POST", "webhook", HOOK | {"events": "bulk.finished"}, 422, ['events: Must be a list, such as ["bulk.finished"]']),
    ("POST", "contactlist", {"title": "Leads"}, 422, ["name: Missing; you sent 'title'"]),
    ("POST", "contactlist", {"name": "Leads", "shared": "yes"}, 422, ["shared: Must be 0 or 1"]),
    ("POST", "contactlist", {"name": "Leads", "shared": 2}, 422, ["shared: Must be 0 or 1"]),
    ("DELETE", "webhook/9999", {}, 404, ["There is no webhook with the id 9999."]),
    ("DELETE", "appuser/9999", {}, 404, ["There is no member with the id 9999."]),
    ("POST", "webhook", {"url": HOOK["url"], "event": ["bulk.finished"]}, 422, ["events: Missing"]),
]  # fmt: skip


def _checked(response: httpx2.Response, status: int, words: list[str]) -> dict[str, Any]:
    error: dict[str, Any] = response.json()["error"]
    assert response.status_code == status, response.text
    for word in words:
        assert word in error["message"], error["message"]
    assert error["context"]["reason"]
    return error


async def _key(account: Account, *scopes: str, istest: int = 1) -> str:
    record = {"purpose": "CRM", "scopes": list(scopes), "istest": istest}
    created = await account.owner.table("POST", "apikeys", record)
    return str(created.json()["resource"][0]["apikey"])


async def test_without_a_key_of_the_account(product: Product, account: Account) -> None:
    key = await _key(account, "usage")
    bearer = product.caller(key="")
    bearer.headers["Authorization"] = f"Bearer {key}"
    for path in ("account/credits", "account/usage"):
        _checked(await product.caller(key="").get(API + path), 401, ["Settings > API", "header X-API-Key"])
        _checked(await bearer.get(API + path), 401, ["X-API-Key instead of Authorization"])
        _checked(await product.caller(key="wrong").get(API + path), 401, ["not valid", "Settings > API"])
        _checked(await product.caller(key=KEY).get(API + path), 401, ["key of the app", "Settings > API", "X-API-Key"])
    _checked(await product.caller(key=KEY).post(f"{API}searchpeople", json={}), 401, ["key of the app", "X-API-Key"])
    misnamed = await product.caller(key="").get(f"{API}account/credits", params={"api_key": key})
    _checked(misnamed, 401, ["named apikey", "header X-API-Key"])
    missing = await product.caller(key=key).post(f"{API}enrich", json=PEOPLE | KINDS)
    assert _checked(missing, 403, ["'enrich'", "Settings > API"])["context"]["needed"] == "enrich"


@pytest.mark.parametrize(("method", "path"), [("POST", "enrich"), ("GET", "keylookup"), ("POST", "searchpeople")])
async def test_a_key_is_checked_before_the_input(product: Product, account: Account, method: str, path: str) -> None:
    bearer = product.caller(key="")
    bearer.headers["Authorization"] = "Bearer key"
    wrong = {"wrong": "input"} if method == "POST" else {"type": "fax"}
    for http, status, words in (
        (product.caller(key=""), 401, ["Settings > API"]),
        (bearer, 401, ["instead of Authorization"]),
        (product.caller(key="unknown"), 401, ["not valid"]),
        (product.caller(key=KEY), 401, ["key of the app"]),
        (product.caller(key=await _key(account, "usage")), 403, ["scope"]),
        (product.caller(key=await _key(account, "lookup", "enrich", "search")), 422, []),
    ):
        response = await (http.post(API + path, json=wrong) if method == "POST" else http.get(API + path, params=wrong))
        _checked(response, status, words)


async def test_bodies_that_are_not_objects_of_json(product: Product, account: Account) -> None:
    http, path = product.caller(key=await _key(account, "enrich")), f"{API}enrich"
    _checked(await http.post(path, data={"people": "x"}), 415, ["Send JSON", "application/json"])
    headers = {"Content-Type": "application/json"}
    _checked(await http.post(path, content=b'{"people": [', headers=headers), 400, ["not valid JSON", "position 12"])
    _checked(await http.post(path, json=[1]), 400, ["must be a JSON object"])


@pytest.mark.parametrize(("method", "path", "sent", "status", "words"), BY_KEY)
async def test_wrong_inputs_of_a_call_by_key(
    product: Product, account: Account, method: str, path: str, sent: dict[str, Any], status: int, words: list[str]
) -> None:
    http = product.caller(key=await _key(account, "lookup", "enrich", "search", "contacts", "usage"))
    response = await (http.get(API + path, params=sent) if method == "GET" else http.post(API + path, json=sent))
    _checked(response, status, words)


@pytest.mark.parametrize(("method", "path", "sent", "status", "words"), BY_OWNER)
async def test_wrong_records_of_keys_and_webhooks(
    account: Account, method: str, path: str, sent: dict[str, Any], status: int, words: list[str]
) -> None:
    _checked(await account.owner.table(method, path, sent), status, words)


@pytest.mark.parametrize(
    "url",
    ["", "jane", "https://example.com/in/jane", "https://www.linkedin.com/company/acme", "linkedin.com/sales/lead/ACw"],
)
async def test_an_address_that_is_not_a_profile(product: Product, account: Account, url: str) -> None:
    http = product.caller(key=await _key(account, "lookup"))
    response = await http.get(f"{API}keylookup", params=LOOKUP | {"linkedinurl": url})
    fields = _checked(response, 422, ["Please input correct url"])["context"]["fields"]
    assert [*fields] == ["linkedinurl"]


async def test_cursors_and_orders_of_another_call(product: Product, account: Account) -> None:
    http = product.caller(key=await _key(account, "search", "contacts", istest=0))
    _checked(
        await http.post(f"{API}searchpeople", json={"cursor": "x"}), 400, ["not a cursor", "meta.next", "start again"]
    )
    _checked(await http.post(f"{API}searchpeople", json={"order": "salary"}), 422, ["full_name", "ASC or DESC"])
    _checked(
        await http.get(f"{API}account/contacts", params={"cursor": "x"}),
        400,
        ["not a cursor", "meta.next", "start again"],
    )


async def test_words_that_no_person_of_the_directory_has(product: Product, account: Account) -> None:
    await product.person(country="Norway", company_size="11-50", industry="Software")
    http = product.caller(key=await _key(account, "search", istest=0))
    for sent, words in (
        ({"country": "Norrway"}, ["country: 'Norrway' is not a country", "'Norway'"]),
        ({"company_size": "huge"}, ["company_size: 'huge' is not a size", "11-50"]),
    ):
        _checked(await http.post(f"{API}searchpeople", json=sent), 422, words)
        _checked(await http.post(f"{API}searchcompanies", json=sent), 422, words)
    for sent in (
        {"country": "Norge", "city": "Bergen"}, {"company_size": "2-3"}, {"country": "Kosovo"}, {"industry": "Sofware"},
    ):  # fmt: skip
        assert (await http.post(f"{API}searchpeople", json=sent)).status_code == 200


async def test_people_that_are_not_identified(product: Product, account: Account) -> None:
    people = [{"linkedinurl": "jane"}, {"name": "Ada"}, {"linkedinurl": FOUND}]
    for istest in (0, 1):
        http = product.caller(key=await _key(account, "enrich", istest=istest))
        response = await http.post(f"{API}enrich", json={"people": people, "dry_run": True} | KINDS)
        messages = [item["message"] for item in response.json()["resource"]]
        assert "such as https://www.linkedin.com/in/jane-doe" in messages[0]
        assert messages[1:] == ["Send linkedinurl, email, or name and company of the person.", ""]


@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        ({}, "urls", ["urls and max_credits are missing."]),
        ({"urls": []}, "urls", ["does not contain any addresses", "linkedin.com/in/jane-doe"]),
        ({"urls": ["foo", "bar"]}, "urls", ["None of the 2 addresses", "The first is 'foo'"]),
        ({"csv": "name,mail\nAda,x\n"}, "csv", ["'linkedinurl'", "It has: name, mail."]),
        ({"csv": "\n"}, "csv", ["does not contain any people", "such as linkedinurl"]),
    ],
)
async def test_a_bulk_lookup_without_people(
    account: Account, sent: dict[str, Any], field: str, words: list[str]
) -> None:
    body = sent | {"max_credits": 1} if sent else sent
    assert field in _checked(await account.owner.post("bulklookup", **body), 422, words)["context"]["fields"]


async def test_texts_of_the_app_have_a_hint(product: Product, account: Account) -> None:
    no_box = await account.owner.post("searchurl", linkedinurl=FOUND)
    assert "personal, business and phone" in _checked(no_box, 422, ["Please choose options"])["context"]["hint"]
    invited = await account.owner.table("POST", "appuser", {"email": "member@", "firstname": "A", "lastname": "B"})
    assert "domain after the @" in _checked(invited, 422, ["Invalid email"])["context"]["hint"]
    old = product.caller("old")
    assert "Sign in again" in _checked(await old.post(f"{API}searchpeople", json={}), 401, [])["context"]["hint"]
    both = await product.caller().post(f"{API}removalrequest", json={"email": "x", "linkedinurl": "y"})
    assert [*_checked(both, 422, ["email: ", "; linkedinurl: "])["context"]["fields"]] == ["email", "linkedinurl"]
    link = await product.caller().post(f"{API}removalrequest/nope", headers={"Accept": "application/json"})
    _checked(link, 404, ["expired", "removalrequest"])
