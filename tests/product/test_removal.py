"""Removal of a person, low-credit mails, and maintenance jobs."""

from __future__ import annotations

import asyncio
import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import quote

import asyncpg
import httpx2
import pytest

from product import emails
from product.people.import_file import HEADER
from tableapi import Vault
from tableapi.observability import logging as observe
from tableapi.observability import prometheus
from tests.helpers.product import API, TABLE, Account, Product
from tests.helpers.support import until


async def test_a_verified_address_removes_its_person_everywhere(product: Product, account: Account) -> None:
    person = await product.person(personal_emails=["gone@home.example"])
    url = f"linkedin.com/{person.key}"
    await account.owner.post("getcontact", linkedinurl=url, type="directdial", action="reveal")
    for body in ({"email": "nonsense"}, {"email": "a@b.example", "linkedinurl": "example.com"}):
        assert (await product.caller().post(API + "removalrequest", json=body)).status_code == 422
    asked = await product.caller().post(API + "removalrequest", json={"email": "Gone@home.example"})
    assert asked.json() == {"success": 1}
    path, _ = await product.link("gone@home.example")
    browser = product.caller(key="")
    assert "Remove my data" in (await browser.get(path)).text
    response = await account.owner.post("searchurl", linkedinurl=url, phone=True)
    assert len(response.json()["data"]) == 1  # opening the page changes nothing
    first, second = await browser.post(path), await browser.post(path)
    assert (first.status_code, second.status_code) == (200, 404)
    await product.work()
    assert (await account.owner.post("searchurl", linkedinurl=url, phone=True)).json() == {"data": []}
    (contact,) = (await account.owner.table("GET", "usercontact")).json()["resource"]
    assert (contact["phone_numbers"], contact["name"]) == (None, "Removed")
    left = await product.db.fetchrow("select * from person where personid = $1", person.personid)
    assert left is not None
    assert (left["personalcipher"], left["phonecipher"], left["full_name"]) == (None, None, "")


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("x@xn--mller-kva.de", "x@müller.de"),
        ("x@müller.de", "x@xn--mller-kva.de"),
        ("X@MÜLLER.DE", "x@mu\u0308ller.de"),
        ("x@xn--fa-hia.de", "x@faß.de"),
    ],
)
async def test_a_removal_holds_for_every_spelling_of_the_address(
    product: Product, account: Account, tmp_path: Path, typed: str, stored: str
) -> None:
    """RFC 5891: the two forms of a domain are the same domain."""
    mailbox = secrets.token_hex(5)
    typed, stored = f"{mailbox}{typed}", f"{mailbox}{stored}"
    person = await product.person(personal_emails=[], business_emails=[stored])
    listed = await account.owner.post("getcontact", linkedinurl=f"linkedin.com/{person.key}", type="businessemail",
                                      action="reveal")  # fmt: skip
    assert listed.json()["charged"] == 1
    assert (await product.caller().post(API + "removalrequest", json={"email": typed})).json() == {"success": 1}
    path, _ = await product.link(emails.normal(typed))
    assert (await product.caller(key="").post(path)).status_code == 200
    await product.work()
    assert await product.db.fetchval("select full_name from person where personid = $1", person.personid) == ""
    (contact,) = (await account.owner.table("GET", "usercontact")).json()["resource"]
    assert contact["name"] == "Removed"
    file = tmp_path / "people.csv"
    file.write_text(f"{','.join(HEADER)}\nlinkedin.com/in/{mailbox}-2,Jane Doe,,,,,,{stored},\n")
    done = await product.scripts.run_job("importpeople", {"file": str(file)})
    assert (done.imported, done.suppressed) == (0, 1)


async def test_one_mail_is_sent_at_a_fifth_of_the_credits_and_one_at_zero(product: Product) -> None:
    account = await product.account(planid=1)  # 5 cell numbers: the threshold of a fifth is 1
    for _ in range(5):
        person = await product.person()
        body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
        assert (await account.owner.post("getcontact", **body)).json()["charged"] == 1
        await product.scripts.run_job("tellcredits", {})
    subjects = [mail["Subject"] for mail in await product.mails(account.owner.email)]
    assert subjects == ["Your cell number credits are running low", "Your cell number credits are used up"]


async def test_the_free_plan_is_renewed_once_a_month(product: Product) -> None:
    account = await product.account(planid=1)
    await account.set_credits(1)
    await product.db.execute(
        "update usersubscription set startdate = now() - interval '31 days', expirydate = now() - interval '1 hour'"
        " where clientid = $1",
        account.clientid,
    )
    for _ in range(2):
        await product.scripts.run_job("renewfree", {})
    assert (await account.credits())["contactcredit"] == 5
    assert await account.ledger_fits()


async def test_the_ledger_check_finds_differences(product: Product, account: Account) -> None:
    before = await product.scripts.run_job("checkledger", {})
    await product.db.execute(
        "update usercredit set contactcredit = contactcredit + 1 where clientid = $1", account.clientid
    )
    assert await product.scripts.run_job("checkledger", {}) == before + 1
    await product.db.execute(
        "update usercredit set contactcredit = contactcredit - 1 where clientid = $1", account.clientid
    )


async def test_the_cleanup_keeps_live_rows(product: Product, account: Account) -> None:
    await product.scripts.run_job("tidyup", {})
    assert (await account.owner.http.get(API + "user/session")).status_code == 200


async def test_paid_plans_cannot_be_selected_without_payment(product: Product, account: Account) -> None:
    paid = await account.owner.post("upgradeplan", planid=7)
    unknown = await account.owner.post("upgradeplan", planid=999)
    custom = await account.owner.post("upgradeplan", planid=8)
    assert [answer.status_code for answer in (paid, unknown, custom)] == [402, 404, 402]
    await product.db.execute("insert into clientplan (clientid, planid) values ($1, 8)", account.clientid)
    response = await account.owner.post("upgradeplan", planid=8)
    again = await account.owner.post("upgradeplan", planid=8)
    assert response.json()["resource"][0]["planid"] == again.json()["resource"][0]["planid"] == 8
    assert (await account.credits())["contactcredit"] == 10000
    assert await account.ledger_fits()
    free = await account.owner.post("upgradeplan", planid=1)
    assert free.status_code == 200
    assert (await account.credits())[
        "contactcredit"
    ] == 0  # the free grant is for new accounts; the next month adds more
    assert await account.ledger_fits()


async def _remove(product: Product, email: str, url: str = "") -> str:
    """Request and confirm a removal, and return the code of the link."""
    await product.caller().post(API + "removalrequest", json={"email": email, "linkedinurl": url})
    path, _ = await product.link(email)
    assert (await product.caller(key="").post(path)).status_code == 200
    await product.work()
    return path.rpartition("/")[2]


async def test_a_removal_erases_the_profile_address_everywhere(
    product: Product, account: Account, other: Account
) -> None:
    slug, old = f"jane-{secrets.token_hex(4)}", f"former-{secrets.token_hex(4)}"
    email = f"{slug}@home.example"
    person = await product.person(slug, personal_emails=[email], full_name=f"Name {slug}")
    await product.db.execute(
        "insert into personalias (profilekey, personid) values ($1, $2)", f"in/{old}", person.personid
    )
    url = f"https://www.linkedin.com/in/{slug}"
    for owner in (account.owner, other.owner):
        for kind in ("directdial", "personalemail"):
            body = {"linkedinurl": url, "type": kind, "action": "reveal"}
            headers = {"Idempotency-Key": secrets.token_hex(8)}
            assert (await owner.http.post(API + "getcontact", json=body, headers=headers)).json()["charged"] == 1
        await owner.post("searchurl", linkedinurl=url, phone=True)
        vote = {"linkedin_url": url, "info": email, "action": "downvote", "type": "personalemail"}
        vote |= {"downvotereason": "others", "reasonnote": f"met {slug}"}
        assert (await owner.table("POST", "contactfeedback", vote)).status_code == 200
        (contact,) = (await owner.table("GET", "usercontact")).json()["resource"]
        meta = {"contactid": contact["contactid"], "tags": [slug], "note": f"call {slug}"}
        assert (await owner.post("contactmeta_addupdate", **meta)).status_code == 200
    # Looked-up addresses: found, found by an old address, not started, and in other spellings.
    typed = [
        url,
        f"linkedin.com/in/{old}",
        f"LINKEDIN.com/in/{slug.upper()}/?x=1",
        f"linkedin.com/in/{quote(slug[:4])}%{ord(slug[4]):02x}{slug[5:]}",
    ]
    job = await account.owner.post("bulklookup", urls=typed, kinds=["businessemail"], max_credits=0)
    assert job.status_code == 202, job.text
    await product.work()

    code = await _remove(product, email, url)
    places = []
    for row in await product.db.fetch(
        "select format('%I', relname) as name from pg_class where relkind in ('r', 'p')"
        " and relnamespace = 'public'::regnamespace"
    ):
        for text in (slug, old, email, code):
            sql = f"select count(*) from {row['name']} t where position($1 in lower(t::text)) > 0"
            if await product.db.fetchval(sql, text):
                places.append((row["name"], text))
    assert places == []
    kept = "select count(*) from contactmeta m join usercontact c using (contactid) where c.personid = $1"
    assert await product.db.fetchval(kept, person.personid) == 0
    # Neither address finds the person again, and a repeated Idempotency-Key returns no data.
    for address in (slug, old):
        again = await account.owner.post("searchurl", linkedinurl=f"linkedin.com/in/{address}", phone=True)
        assert again.json() == {"data": []}
    rows = await account.owner.http.get(API + f"bulklookup/{job.json()['jobid']}")
    assert {row["linkedinurl"] for row in rows.json()["rows"]} == {""}


async def test_no_stored_response_names_a_removed_person(product: Product, account: Account, other: Account) -> None:
    """Every call that can name a person runs once with an Idempotency-Key, by accounts with and without a contact."""
    slug = f"kept-{secrets.token_hex(4)}"
    email, work, phone = f"{slug}@home.example", f"{slug}@acme.example", f"+1 415 {secrets.randbelow(10**7):07}"
    name = f"Name {slug}"
    await product.person(
        slug, full_name=name, personal_emails=[email], business_emails=[f"{work}:valid"], phones=[phone],
        company=f"Co {slug}", company_domain=f"{slug}.example",
    )  # fmt: skip
    url = f"https://www.linkedin.com/in/{slug}"
    owner = account.owner
    record = {"purpose": "CRM", "scopes": ["lookup", "enrich", "search", "contacts"]}
    lists, keys = {}, {}
    for each in (account, other):
        made = await each.owner.table("POST", "contactlist", {"name": "Leads"})
        lists[each] = made.json()["resource"][0]["listid"]
        key = (await each.owner.table("POST", "apikeys", record)).json()["resource"][0]["apikey"]
        keys[each] = product.caller(key=key)

    async def sent(http: httpx2.AsyncClient, path: str, body: dict[str, Any], method: str = "POST") -> httpx2.Response:
        headers = {"Idempotency-Key": f"{slug} {len(asked)}"}
        asked.append((http, path, body, method, headers))
        response = await http.request(method, API + path, json=body, headers=headers)
        assert response.status_code in (200, 201, 202), (path, response.text)
        return response

    asked: list[tuple[httpx2.AsyncClient, str, dict[str, Any], str, dict[str, str]]] = []
    kinds = ["businessemail", "directdial"]
    reveal = {"linkedinurl": url, "type": "personalemail", "action": "reveal"}
    contact = (await sent(owner.http, "getcontact", reveal)).json()["contactdata"][0]
    await sent(owner.http, "revealmany", {"linkedinurls": [url], "kinds": kinds})
    await sent(owner.http, "searchurl", {"linkedinurl": url, "personal": True})
    await sent(owner.http, "searchname", {"searchtext": slug})
    meta = {"contactid": contact["contactid"], "tags": [slug], "note": f"call {slug}"}
    await sent(owner.http, "contactmeta_addupdate", meta)
    vote = {"linkedin_url": url, "info": email, "action": "upvote", "type": "personalemail"}
    await sent(owner.http, "leads/_table/contactfeedback", {"resource": [vote]})
    change = {"resource": [{"contactid": contact["contactid"], "deleted": 0}]}
    await owner.http.request("PATCH", f"{TABLE}usercontact", json=change, headers={"Idempotency-Key": f"{slug} patch"})
    reads = [{"id": "a", "path": "_table/usercontact"}, {"id": "b", "path": "_table/contactmeta"}]
    await sent(owner.http, "leads/_batch", {"requests": reads})
    for each in (account, other):
        http, listid = each.owner.http, lists[each]
        await sent(http, "searchpeople", {"name": slug})
        item = {"listid": listid, "linkedinurl": url, "note": f"met {slug}"}
        added = (await sent(http, "leads/_table/contactlistitem", {"resource": [item]})).json()["resource"][0]
        change = {"resource": [{"itemid": added["itemid"], "note": f"also {slug}"}]}
        await sent(http, "leads/_table/contactlistitem?fields=*", change, "PATCH")
        await sent(http, "listimport", {"listid": listid, "text": url})
        await sent(http, "listimport", {"listid": listid, "text": f"{url}?", "dry_run": True})
        await sent(http, "agent/price", {"linkedinurls": [url], "kinds": kinds})
        await sent(http, "revealmany", {"linkedinurls": [url], "kinds": kinds, "dry_run": True})
        await sent(http, "leads/_batch", {"requests": [{"id": "c", "path": "_table/contactlistitem"}]})
        saved = {"name": slug, "kind": "people", "filters": {"name": slug}}
        await sent(http, "leads/_table/savedsearch", {"resource": [saved]})
        await sent(http, "bulklookup", {"urls": [url], "kinds": kinds, "max_credits": 0})
        by_name = {"people": [{"reference": slug, "name": name, "company": f"Co {slug}"}], "kinds": kinds}
        await sent(keys[each], "enrich", by_name | {"dry_run": True})
        await sent(keys[each], "verifyemail", {"email": work})
    await sent(keys[account], "enrich", by_name)
    await sent(keys[account], "findemail", {"name": name, "domain": f"{slug}.example"})
    stored = await product.db.fetch("select route, body from idempotency where body is not null")
    named = {row["route"] for row in stored if slug in product.scripts.vault.open_bytes(row["body"]).decode().lower()}
    assert len(named) >= 12, named  # the responses do name the person before

    await _remove(product, email, url)
    for row in await product.db.fetch("select route, headers::text as headers, body from idempotency"):
        text = product.scripts.vault.open_bytes(row["body"]).decode().lower() if row["body"] else ""
        assert slug not in text + (row["headers"] or ""), row["route"]
        assert phone not in text, row["route"]
    for http, path, body, method, headers in asked:
        repeat = await http.request(method, API + path, json=body, headers=headers)
        shown = repeat.text.lower()
        assert repeat.status_code < 500, (path, shown)
        assert not [value for value in (name, email, phone, f"co {slug}") if value.lower() in shown], (path, shown)


async def test_an_address_found_only_in_contacts_is_erased(product: Product, account: Account, other: Account) -> None:
    slug = f"kim-{secrets.token_hex(4)}"
    email = f"{slug}@work.example"
    person = await product.person(slug, business_emails=[email], phones=[])
    for owner in (account.owner, other.owner):
        await owner.post("getcontact", linkedinurl=f"linkedin.com/{person.key}", type="businessemail", action="reveal")
    await product.db.execute("update person set businesscipher = null where personid = $1", person.personid)
    await _remove(product, email)
    for owner in (account.owner, other.owner):
        (contact,) = (await owner.table("GET", "usercontact")).json()["resource"]
        assert (contact["linkedinurl"], contact["emails"], contact["business_emails"]) == ("", None, None)
    key = await product.db.fetchval("select profilekey from person where personid = $1", person.personid)
    assert slug not in key


async def test_a_code_may_begin_with_any_of_its_characters(product: Product) -> None:
    """One in 64 begins with `_`, as the resources of a dataset do."""
    browser = product.caller(key="")
    for code in ("abc", "_abc", "-abc", "_table", "_changes"):
        for response in (
            await browser.get(f"{API}removalrequest/{code}"),
            await browser.post(f"{API}removalrequest/{code}"),
        ):
            assert response.status_code == 404
            assert response.headers["content-type"].startswith("text/html"), (code, response.text)
    assert (await browser.get(f"{API}laeds/_table/appuser")).json()["error"]["context"]["reason"] == "unknown_service"


async def test_a_removal_decrypts_only_rows_with_the_address(product: Product, account: Account) -> None:
    """Other values are sealed with a key that the server lacks, so decrypting one of them would fail the job."""
    word, foreign = secrets.token_hex(4), Vault(["another secret of 32 characters...."])
    people = [await product.person(f"{word}-{n}", personal_emails=[f"{word}.{n}@home.example"]) for n in range(12)]
    for person in people[:6]:
        body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "personalemail", "action": "reveal"}
        assert (await account.owner.post("getcontact", **body)).json()["charged"] == 1
    await product.scripts.run_job("indexpeople", {})
    others = [person.personid for person in people[2:]]
    await product.db.execute(
        "update person set personalcipher = $2, businesscipher = null where personid = any($1)",
        others, foreign.seal_bytes(b"[]"),
    )  # fmt: skip
    for column, value in (("emails", foreign.seal("[]")), ("emailhashes", [])):  # the first empties the second
        sql = f"update usercontact set {column} = $2 where personid = any($1)"
        await product.db.execute(sql, others, value)
    try:
        # Of the addresses, one is in the directory, one only in a contact, and the rest nowhere.
        await product.db.execute("update person set personalcipher = null, searchable = to_tsvector('simple', 'x')"
                                 " where personid = $1", people[1].personid)  # fmt: skip
        for n in range(2):
            await _remove(product, f"{word}.{n}@home.example")
        for n in range(3):
            await _remove(product, f"nobody.{n}.{word}@home.example")
        names = await product.db.fetch("select full_name from person where profilekey like 'in/' || $1 || '%'", word)
        assert len(names) == len(others)
        gone = [person.personid for person in people[:2]]
        rows = await product.db.fetch("select full_name, searchable::text from person where personid = any($1)", gone)
        assert [tuple(row) for row in rows] == [("", "")] * 2
        hashes = "select count(*) from usercontact where personid = any($1) and emailhashes is not null"
        assert await product.db.fetchval(hashes, gone) == 0
        waiting = "select count(*) from suppression where kind = 'email' and erasedon is null"
        assert await product.db.fetchval(waiting) == 0
    finally:
        await product.db.execute("delete from reveal where personid = any($1)", others)
        await product.db.execute("delete from usercontact where personid = any($1)", others)
        await product.db.execute("delete from person where personid = any($1)", others)


async def test_a_contact_is_found_by_its_newest_addresses(product: Product, account: Account) -> None:
    """The hashes of a contact follow its addresses, and a removal fills in those that are still missing."""
    word = secrets.token_hex(4)
    person = await product.person(word, business_emails=[f"{word}@work.example"], personal_emails=[])
    body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
    await account.owner.post("getcontact", **body)
    hashes = "select emailhashes from usercontact where personid = $1"
    assert await product.db.fetchval(hashes, person.personid) is None
    await product.scripts.run_job("indexpeople", {})
    (old,) = await product.db.fetchval(hashes, person.personid)
    sealed = product.scripts.vault.seal(f'[{{"address":"new.{word}@work.example","type":"business"}}]')
    await product.db.execute("update usercontact set emails = $2 where personid = $1", person.personid, sealed)
    assert await product.db.fetchval(hashes, person.personid) is None
    await product.scripts.run_job("indexpeople", {})
    (new,) = await product.db.fetchval(hashes, person.personid)
    assert old != new
    for query in ({"fields": "emailhashes"}, {"filter": "emailhashes is not null"}, {"order": "emailhashes"}):
        assert (await account.owner.table("GET", "usercontact", **query)).status_code == 400
    await product.db.execute("update usercontact set emailhashes = null where personid = $1", person.personid)
    await _remove(product, f"new.{word}@work.example")
    assert await product.db.fetchval("select full_name from person where personid = $1", person.personid) == ""


async def test_a_removal_does_not_affect_others(product: Product, account: Account) -> None:
    slug = f"sam-{secrets.token_hex(4)}"
    gone = await product.person(slug, personal_emails=[f"{slug}@home.example"])
    stays = await product.person(f"{slug}-2", personal_emails=["stays@home.example"])
    for person in (gone, stays):
        body = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
        await account.owner.post("getcontact", **body)
    job = await account.owner.post(
        "bulklookup", urls=[f"linkedin.com/{stays.key}"], kinds=["personalemail"], max_credits=0
    )
    await product.work()
    await _remove(product, f"{slug}@home.example")
    kept = (await account.owner.table("GET", "usercontact", filter="(deleted=0)")).json()["resource"]
    assert [row["linkedinurl"] for row in kept] == [f"https://www.linkedin.com/{stays.key}"]
    rows = await account.owner.http.get(API + f"bulklookup/{job.json()['jobid']}")
    assert [row["linkedinurl"] for row in rows.json()["rows"]] == [f"linkedin.com/{stays.key}"]


async def test_a_code_in_a_path_is_in_no_log_and_no_metric(
    product: Product, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    email = f"log-{secrets.token_hex(4)}@home.example"
    await product.caller().post(API + "removalrequest", json={"email": email})
    path, _ = await product.link(email)
    code = path.rpartition("/")[2]
    encoded = "".join(f"%{ord(character):02x}" for character in code)
    file = os.open(tmp_path / "log", os.O_WRONLY | os.O_CREAT)
    monkeypatch.setattr(observe, "sink", observe.Sink(file))
    monkeypatch.setattr(product.app.access_log, "enabled", True)
    short = code[:20]  # truncated by a mail program
    for where in (path, path + "/", path.replace("/v2/", "/"), path.replace("request/", "request//"), f"{path}/x",
                  path.replace(code, encoded), path.replace(code, short), f"/removalrequest/{code}",
                  f"{API}user/session/{code}", f"{API}{code}", path.upper(), f"{path}?code={code}&email={email}",
                  f"{API}leads/_table/appuser/{email}?id_field=email", f"{API}userimage/{code}"):  # fmt: skip
        for method in ("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "POST"):
            response = await product.caller(key="").request(method, where)
            assert response.status_code < 500
    os.close(file)
    log = (tmp_path / "log").read_text()
    assert '"path":"/api/v2/removalrequest/***"' in log
    text = prometheus.text().decode()
    for secret in (code, short, code.upper(), email):
        assert secret not in log
        assert secret not in text


async def test_requests_in_flight_store_nothing_of_a_person_removed_meanwhile(
    product: Product, product_url: str, account: Account, other: Account
) -> None:
    """Both requests find the person and wait for a lock; the removal is confirmed and done before they get it."""
    slug = f"late-{secrets.token_hex(4)}"
    email = f"{slug}@home.example"
    await product.person(slug, personal_emails=[email], full_name=f"Name {slug}")
    url = f"https://www.linkedin.com/in/{slug}"
    made = await other.owner.table("POST", "contactlist", {"name": "Late"})
    listid = made.json()["resource"][0]["listid"]
    reveal = {"linkedinurl": url, "type": "personalemail", "action": "reveal"}
    headers = {"Idempotency-Key": secrets.token_hex(8)}
    connection = await asyncpg.connect(product_url)
    try:
        async with connection.transaction():
            await connection.execute("select from usercredit where clientid = $1 for update", account.clientid)
            await connection.execute("select from contactlist where listid = $1 for update", listid)
            waiting = [
                asyncio.create_task(account.owner.http.post(API + "getcontact", json=reveal, headers=headers)),
                asyncio.create_task(
                    other.owner.table("POST", "contactlistitem", {"listid": listid, "linkedinurl": url})
                ),
            ]
            await until(lambda: _blocked(product, connection.get_server_pid(), 2))
            await _remove(product, email, url)
        for request in waiting:
            assert (await request).status_code == 200
    finally:
        await connection.close()

    await product.scripts.run_job("indexpeople", {})
    sql = "select count(*) from {} t where position($1 in lower(t::text)) > 0"
    for table in ("person", "usercontact", "contactlistitem", "suppression", "contactfeedback", "auditlog"):
        assert await product.db.fetchval(sql.format(table), slug) == 0, table
    (contact,) = (await account.owner.table("GET", "usercontact", filter="deleted = 1")).json()["resource"]
    assert (contact["name"], contact["emails"], contact["linkedinurl"]) == ("Removed", None, "")
    assert (await other.owner.table("GET", "contactlistitem")).json()["resource"] == []
    again = await account.owner.http.post(API + "getcontact", json=reveal, headers=headers)
    assert again.json()["contactdata"] == []
    assert await account.ledger_fits()


async def test_a_note_in_flight_is_erased_with_its_contact(
    product: Product, product_url: str, account: Account
) -> None:
    """The note holds its contact, and so the removal waits for it."""
    slug = f"note-{secrets.token_hex(4)}"
    email = f"{slug}@home.example"
    await product.person(slug, personal_emails=[email], full_name=f"Name {slug}")
    url, owner = f"https://www.linkedin.com/in/{slug}", account.owner
    revealed = await owner.post("getcontact", linkedinurl=url, type="personalemail", action="reveal")
    contactid = revealed.json()["contactdata"][0]["contactid"]
    connection = await asyncpg.connect(product_url)
    try:
        transaction = connection.transaction()
        await transaction.start()
        meta = "insert into contactmeta (contactid, appuserid, clientid) values ($1, $2, $3)"
        await connection.execute(meta, contactid, owner.appuserid, account.clientid)
        noting = asyncio.create_task(owner.post("contactmeta_addupdate", contactid=contactid, note=f"Is {slug}"))
        await until(lambda: _blocked(product, connection.get_server_pid(), 1))
        [note] = await product.db.fetch(_BLOCKED, connection.get_server_pid())
        removing = asyncio.create_task(_remove(product, email, url))
        await until(lambda: _blocked(product, note["pid"], 1))
        await transaction.rollback()
    finally:
        await connection.close()
    assert (await noting).status_code == 200
    await removing
    assert await product.db.fetchval("select count(*) from contactmeta where contactid = $1", contactid) == 0


_BLOCKED = "select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))"


async def _blocked(product: Product, pid: int, count: int) -> bool:
    return len(await product.db.fetch(_BLOCKED, pid)) == count
