"""Measure the pages and searches of My Contacts, as the app requests them, with 500,000 contacts."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import time
import urllib.request
from collections.abc import Iterator
from statistics import median
from typing import Any

import asyncpg

from bench.contenders import Stage, launch
from bench.load import WrongAnswers
from bench.reveal import SECRET, drop, fresh, settings
from bench.scenarios import KEY
from tableapi.crypto.vault import Vault
from tests.helpers.support import ROOT, free_port

NAME, CONTACTS = "bench_mycontacts", 500_000
OWNER, TOKEN = 1_000_001, "my-contacts"
FILL = f"""
insert into client (clientid, companyname) values ({OWNER}, 'Large');
insert into appuser (appuserid, clientid, name, email, isverified) values
    ({OWNER}, {OWNER}, 'Owner', 'owner@bench.example', 1);
insert into usercredit (clientid) values ({OWNER});
insert into person (personid, profilekey, full_name)
    select n, 'in/person-' || n,
           initcap(translate(left(md5(n::text), 6), '0123456789', 'aeioulnrst')) || ' '
           || initcap(translate(left(md5('x' || n), 8), '0123456789', 'aeioulnrst')) || case n when 7 then ' Quixote'
           else '' end
    from generate_series(1, {CONTACTS}) n;
insert into usercontact (clientid, personid, name, linkedinurl, emails, business_emails, phone_numbers,
                         bus_email_validation, phonecost, businessemailcost, personalemailcost, revealedby, createdon)
    select {OWNER}, personid, full_name, 'https://www.linkedin.com/' || profilekey, '{{emails}}', '{{business}}',
           '{{phones}}', 'valid', 1, 1, 1, {OWNER}, '2026-01-01'::timestamptz + personid * interval '37 seconds'
    from person;
insert into usercontactlink (appuserid, contactid, clientid, createdon, listedon, searchname)
    select revealedby, contactid, clientid, createdon, createdon, lower(name) from usercontact;
"""
# From one letter to a whole name, a name without a match, and one at the end of the list.
SEARCHES = ("e", "an", "q", "eli", "buda", "quixote", "nobody has this name")


async def _filled(stage: Stage, server: str) -> str:
    url = await fresh(stage, server, NAME)
    vault = Vault([SECRET])
    address = {"address": "somebody@company.example", "type": "business"}
    sealed = {
        "emails": vault.seal(json.dumps([address])),
        "business": vault.seal(address["address"]),
        "phones": vault.seal("+12025550123"),
    }
    connection = await asyncpg.connect(url)
    await connection.execute(FILL.format(**sealed))
    hashed = hashlib.sha256(TOKEN.encode()).digest()
    session = f"insert into usersession (tokenhash, appuserid, clientid) values ($1, {OWNER}, {OWNER})"
    await connection.execute(session, hashed)
    await connection.execute("vacuum (analyze)")
    await connection.execute("checkpoint")
    await connection.close()
    return url


def _questions() -> Iterator[tuple[str, str, Any]]:
    """Return (name, path, body) of each request."""
    table = "leads/_table/usercontact?order=createdon%20DESC&include_count=true"
    for page, offset in (("first page", 0), ("page 1,000", 24_975), ("page 4,001", 100_000)):
        yield page, f"{table}&limit=25&offset={offset}", None
    yield "last page", table.replace("DESC", "ASC") + "&limit=25&offset=0", None
    yield "first page of 100", f"{table}&limit=100&offset=0", None
    yield "100 at 99,900", f"{table}&limit=100&offset=99900", None
    newest, present = "order=createdon%20DESC", "(deleted%3D0)"
    for name, options in (
        ("newest, deleted=0", f"{newest}&filter={present}"),
        ("newest, deleted=0, counted", f"{newest}&filter={present}&include_count=true"),
        ("newest with a phone", f"{newest}&filter=(phonecost%3D1)%20and%20{present}&include_count=true"),
        ("by name", "order=name%20ASC&include_count=true"),
    ):
        yield name, f"leads/_table/usercontact?limit=25&{options}", None
    since = "(revealedby%3D1000001)%20and%20(createdon%3E'2026-02-01')"
    yield "dashboard count", f"leads/_table/usercontact?include_count=true&limit=1&filter={since}", None
    for text in SEARCHES:
        yield f"search {text}", "searchname", {"limit": 25, "offset": 0, "searchtext": text}
    for text in ("e", "an"):
        yield f"search {text} at 40,000", "searchname", {"limit": 100, "offset": 40_000, "searchtext": text}
    yield "search e at 100,000", "searchname", {"limit": 25, "offset": 100_000, "searchtext": "e"}


def _ask(url: str, path: str, body: Any) -> tuple[float, int]:
    """Return the milliseconds to the last byte and the reported count."""
    headers = {"X-API-Key": KEY, "X-Session-Token": TOKEN, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url}/api/v2/{path}", headers=headers, data=data)
    began = time.perf_counter()
    with urllib.request.urlopen(request, timeout=30) as response:
        content = response.read()
    took = (time.perf_counter() - began) * 1000
    meta = json.loads(content).get("meta", {})
    return took, int(meta.get("count", 0))


async def _counts(url: str) -> dict[str, int]:
    """Count the names that contain each text, with a statement unlike the engine's."""
    connection = await asyncpg.connect(url)
    value = {
        text: await connection.fetchval("select count(*) from usercontact where strpos(lower(name), $1) > 0", text)
        for text in SEARCHES
    }
    await connection.close()
    return value


def measure(stage: Stage, server: str, *, times: int = 15) -> dict[str, Any]:
    """Return median and maximum of several sequential requests, in milliseconds."""
    url = asyncio.run(_filled(stage, server))
    right = asyncio.run(_counts(url))
    port = free_port()
    more = {"PORT": str(port), "WORKERS": "1"}
    words = [sys.executable, "-m", "tableapi", "serve"]
    launch(stage, "mycontacts", words, port, ROOT, **settings(stage, url, **more))
    results: dict[str, Any] = {}
    for name, path, body in _questions():
        here = f"http://127.0.0.1:{port}"
        count = _ask(here, path, body)[1]
        if body and count != right[body["searchtext"]]:
            raise WrongAnswers(f"{name}: {count} told, {right[body['searchtext']]} there")
        took = sorted(_ask(here, path, body)[0] for _ in range(times))
        results[name] = {"median_ms": round(median(took), 1), "worst_ms": round(took[-1], 1), "count": count}
        print(f"mycontacts: {name:<28} {count:>8,} found, {median(took):7.1f} ms, worst {took[-1]:7.1f}", flush=True)
    asyncio.run(drop(server, NAME))
    return results
