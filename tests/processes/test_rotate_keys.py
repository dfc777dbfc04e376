"""`tableapi rotate-keys` makes an older key of SECRET_KEYS removable under load, with every value still readable."""

from __future__ import annotations

import asyncio
import re
import subprocess
from pathlib import Path
from typing import Any

import asyncpg
import httpx2

from product.people.import_file import HEADER
from tableapi.crypto.vault import Vault
from tests.helpers.customer import CONTACTS, HEADERS, REVEAL, SETTINGS, books, prepare, reveal
from tests.helpers.load import Request, load
from tests.helpers.support import ROOT, NewDatabase, Serve, Server, clean_environment, tableapi

OLD, NEW = "the key that everything is under at first", "the key that everything shall be under"
PEOPLE, PHONE = 3000, b"+4512345678"
SEALED = {
    "person": "phonecipher", "usercontact": "phone_numbers", "apikeys": "apikey", "contactfeedback": "info",
    "idempotency": "body", "pgqueuer": "payload", "onetimetoken": "datacipher",
}  # fmt: skip
VOTE = {"linkedin_url": "linkedin.com/in/person-1", "info": PHONE.decode(), "action": "upvote", "type": "phone"}
LINE = "https://www.linkedin.com/in/gone/,Gone,CEO,Acme,acme.example,USA,gone@home.example,,+12025550177"


def rotate_keys(url: str, keys: str, *words: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return tableapi("rotate-keys", *words, cwd=ROOT, DATABASE_URL=url, SECRET_KEYS=keys, DATA_DIR=folder)


async def kept(url: str) -> dict[str, list[Any]]:
    """Return every value encrypted with SECRET_KEYS, by table."""
    db = await asyncpg.connect(url)
    try:
        return {
            table: [row[0] for row in await db.fetch(f"select {column} from {table} where {column} is not null")]
            for table, column in SEALED.items()
        }
    finally:
        await db.close()


def opened(values: dict[str, list[Any]], key: str) -> dict[str, int]:
    """Return how many values one key alone decrypts. Raises CannotOpen."""
    vault = Vault([key])
    for value in (token for many in values.values() for token in many):
        _ = vault.open(value) if isinstance(value, str) else vault.open_bytes(value)
    return {table: len(many) for table, many in values.items()}


async def use(server: Server) -> str:
    """Create contacts, a vote, an API key, a queued mail and a removal link."""
    async with httpx2.AsyncClient(base_url=f"{server.url}/api/v2", headers=HEADERS) as http:
        for number in range(1, 40):
            again = {"Idempotency-Key": f"again-{number}"}
            response = await http.post("getcontact", content=reveal(number), headers=again)
            assert response.status_code == 200, response.text
        voted = await http.post("leads/_table/contactfeedback", json={"resource": [VOTE]})
        assert voted.status_code == 200, voted.text
        asked = await http.post("removalrequest", json={"email": "who@home.example"})
        assert asked.status_code == 200, asked.text
        response = await http.post("leads/_table/apikeys", json={"resource": [{"purpose": "CRM"}]})
        return str(response.json()["resource"][0]["apikey"])


async def look(server: Server, apikey: str) -> None:
    """Check that all of it is readable, and that nothing counts as new."""
    async with httpx2.AsyncClient(base_url=f"{server.url}/api/v2", headers=HEADERS) as http:
        listed = (await http.get("leads/_table/usercontact?limit=1000")).json()["resource"]
        assert len(listed) >= 39
        assert all(contact["phone_numbers"] == PHONE.decode() for contact in listed)
        again = await http.post("getcontact", content=reveal(7), headers={"Idempotency-Key": "again-7"})
        assert again.headers["idempotency-replayed"] == "true"
        assert PHONE in again.content
        before = (await http.get("leads/_table/contactfeedback")).json()["resource"]
        assert [contact["info"] for contact in before] == [PHONE.decode()]
        voted = await http.post("leads/_table/contactfeedback", json={"resource": [VOTE]})
        assert voted.status_code == 200
        after = (await http.get("leads/_table/contactfeedback")).json()["resource"]
        assert [contact["feedbackid"] for contact in after] == [contact["feedbackid"] for contact in before]
        response = await http.get(f"keylookup?linkedinurl=linkedin.com/in/person-900&type=directdials&apikey={apikey}")
        assert PHONE in response.content, response.text


async def test_a_rejected_rotation_changes_nothing(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database)
    environment = SETTINGS | {"DATABASE_URL": url, "WORKER": "off", "SECRET_KEYS": OLD, "DATA_DIR": tmp_path / "data"}
    server = await asyncio.to_thread(serve, cwd=ROOT, **environment)
    await prepare(url, 50, OLD)
    await use(server)
    before = await kept(url)

    no_key = await asyncio.to_thread(rotate_keys, url, "", folder=tmp_path / "other")
    assert no_key.returncode == 1
    assert no_key.stderr.startswith("tableapi: SECRET_KEYS is not set")
    assert not (tmp_path / "other").exists()
    # No command starts with keys that do not open what is stored: an import would bring removed people back.
    people = tmp_path / "people.csv"
    people.write_text(f"{','.join(HEADER)}\n{LINE}\n")
    for words in (
        ("serve", "--port", "20001"),
        ("worker",),
        ("init",),
        ("run", "importpeople", f"file={people}"),
        ("check",),
    ):
        stopped = await asyncio.to_thread(
            tableapi, *words, cwd=ROOT, DATABASE_URL=url, SECRET_KEYS=NEW, DATA_DIR=tmp_path / "data"
        )
        assert stopped.returncode in (1, 2), stopped.stdout
        assert "SECRET_KEYS do not open" in stopped.stderr + stopped.stdout, (words, stopped.stderr)
    unknown = await asyncio.to_thread(rotate_keys, url, NEW)
    assert unknown.returncode == 1
    message = r"tableapi: apikey of apikeys \(keyid 1\) is under key [0-9a-f]{8}, which is not in SECRET_KEYS"
    assert re.match(message, unknown.stderr), unknown.stderr
    db = await asyncpg.connect(url)
    strange = Vault(["a key that nobody here knows"]).seal_bytes(b"[]")
    await db.execute("update person set phonecipher = $1 where personid >= 49", strange)
    third = await asyncio.to_thread(rotate_keys, url, f"{NEW},{OLD}")
    assert third.returncode == 1
    assert "phonecipher of person (personid " in third.stderr
    assert "(one of 2). Nothing was changed." in third.stderr
    good = "(select phonecipher from person where personid = 1)"
    await db.execute(f"update person set phonecipher = {good} where personid >= 49")
    hashes_first = await asyncio.to_thread(rotate_keys, url, "hashes:x")
    assert (hashes_first.returncode, "the first key encrypts values" in hashes_first.stderr) == (2, True)
    assert await kept(url) == before

    await db.execute(
        "update person set phonecipher = set_byte(phonecipher, length(phonecipher) - 1,"
        " get_byte(phonecipher, length(phonecipher) - 1) # 1) where personid = (select max(personid) from person)"
    )
    changed = await asyncio.to_thread(rotate_keys, url, f"{NEW},{OLD}")
    assert changed.returncode == 1
    assert re.search(r"(?m)^tableapi: phonecipher of person \(personid \d+\) was changed outside", changed.stderr)
    await db.execute(
        "update usercontact set phone_numbers = 'plain' where contactid = (select max(contactid) from usercontact)"
    )
    plain = await asyncio.to_thread(rotate_keys, url, f"{NEW},{OLD}")
    assert re.match(r"tableapi: phone_numbers of usercontact \(contactid \d+\) is not sealed", plain.stderr), (
        plain.stderr
    )
    await db.close()


async def test_a_key_is_rotated_out_under_load(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> None:
    url = await asyncio.to_thread(new_database)

    async def start(keys: str) -> Server:
        environment = SETTINGS | {
            "DATABASE_URL": url,
            "WORKER": "off",
            "SECRET_KEYS": keys,
            "DATA_DIR": tmp_path / "data",
        }
        return await asyncio.to_thread(serve, cwd=ROOT, **environment)

    def run(keys: str, *words: str) -> subprocess.CompletedProcess[str]:
        return tableapi("run", *words, cwd=ROOT, DATABASE_URL=url, SECRET_KEYS=keys, DATA_DIR=tmp_path / "data")

    people = tmp_path / "people.csv"
    people.write_text(f"{','.join(HEADER)}\n{LINE}\n")
    server = await start(OLD)
    await prepare(url, PEOPLE, OLD)
    assert (await asyncio.to_thread(run, OLD, "importpeople", f"file={people}")).returncode == 0
    gone = await asyncio.to_thread(run, OLD, "erasepeople", "email=gone@home.example", "key=in/gone")
    assert gone.returncode == 0, gone.stderr
    apikey = await use(server)  # now, since an erasure removes the stored responses
    await asyncio.to_thread(server.stop)

    both = f"{NEW},{OLD}"
    opened(await kept(url), OLD)  # the start may queue a job, which is sealed with the new key
    server = await start(both)

    def ask(number: int) -> Request:
        return ("POST", REVEAL, reveal(1000 + number)) if number % 2 else ("GET", f"{CONTACTS}?limit=20", b"")

    async with load(lambda: server.port, ask, headers=HEADERS, clients=3, keep=True, pause=0.01) as seen:
        first = await asyncio.create_subprocess_exec(
            ROOT / ".venv/bin/tableapi", "rotate-keys", cwd=ROOT,
            env=clean_environment(DATABASE_URL=url, SECRET_KEYS=both),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert first.stderr is not None
        await first.stderr.readuntil(b"Sealing again")
        first.kill()  # in the middle of the run
        await first.wait()
        done = await asyncio.to_thread(rotate_keys, url, both)
    assert not seen.wrong(200)
    assert all(PHONE in body for (method, _, _), _, body in seen.bodies if method == "POST")
    assert done.returncode == 0, done.stderr
    assert "Sealing again [" in done.stderr
    *_, last = done.stdout.splitlines()
    assert re.match(r"Re-encrypted [\d,]+ values in [\d,]+ rows; all are under key [0-9a-f]{8}\. ", last), last
    assert re.search(r"You can replace key 2 \([0-9a-f]{8}\) of SECRET_KEYS by ", last), last
    assert "(1 of suppression)" in last or "(2 of suppression)" in last, last
    totals = await books(url)
    assert totals["fits"]
    assert totals["reveals"] == totals["spent"]
    again = await asyncio.to_thread(rotate_keys, url, both)
    assert again.stdout.startswith("Re-encrypted 0 values in 0 rows; "), again.stdout
    await asyncio.to_thread(server.stop)

    counts = opened(await kept(url), NEW)  # none needs the old key
    assert all(counts.values()), counts
    server = await start(NEW)
    await look(server, apikey)
    await asyncio.to_thread(server.stop)

    printed = await asyncio.to_thread(rotate_keys, url, both, "--hash-keys")
    hashes = printed.stdout.strip().removeprefix("SECRET_KEYS=")
    assert OLD not in hashes
    server = await start(hashes)
    await look(server, apikey)
    again = await asyncio.to_thread(run, hashes, "importpeople", f"file={people}")  # removed people stay removed
    assert again.returncode == 0, again.stderr
    async with httpx2.AsyncClient(headers=HEADERS) as http:
        body = {"linkedinurl": "linkedin.com/in/gone", "type": "directdial", "action": "reveal"}
        missing = await http.post(f"{server.url}{REVEAL}", json=body)
    assert b"+12025550177" not in missing.content
