"""Back up and restore as in docs/guides/backup.md (pg_dump, a copy of DATA_DIR), then run the product on the copy."""

from __future__ import annotations

import asyncio
import io
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx2
import pytest
from PIL import Image

from product.people.profile_url import key_of
from tableapi import Vault
from tableapi.server.postgres.server import binaries
from tests.docs import pages
from tests.helpers.copied_product import product_tests
from tests.helpers.support import ROOT, NewDatabase, Serve, Server, clean_environment, ok

KEY = "test-app-key"  # the key of the product's tests, which run on the copy
OWNER = {"email": "owner@acme-demo.com", "password": "Demo1234"}
CONTACTS = "/api/v2/leads/_table/usercontact?limit=50&order=contactid"


def program(name: str, *words: str | Path) -> None:
    """Return the path of a PostgreSQL program, of the newest installed version."""
    path_of = next(path / name for path in binaries() if (path / name).exists())
    done = subprocess.run([path_of, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def run_page(words: str, folder: Path, **environment: str | Path) -> None:
    """Run the commands of docs/guides/backup.md that contain some words."""
    [commands] = [fence.text for fence in pages.fences(pages.read("guides/backup.md")) if words in fence.text]
    programs = next(path for path in binaries() if (path / "psql").exists())
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands], cwd=folder, capture_output=True, text=True, check=False,
        env=clean_environment(PATH=f"{programs}:/usr/bin:/bin", **environment),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def ask(url: str, sql: str) -> Any:
    async def run() -> Any:
        connection = await asyncpg.connect(url)
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()

    return asyncio.run(run())


@contextmanager
def signed_in(server: Server) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=server.url, headers={"X-API-Key": KEY}, timeout=30) as http:
        response = http.post("/api/v2/user/session", json=OWNER)
        http.headers["X-Session-Token"] = ok(response)["session_token"]
        yield http


def revealed(http: httpx2.Client) -> dict[str, Any]:
    """Reveal the first contact, possibly again."""
    record = http.get(CONTACTS).json()["resource"][0]
    body = {"linkedinurl": record["linkedinurl"], "type": "businessemail", "action": "reveal"}
    return dict(http.post("/api/v2/getcontact", json=body).json())


@pytest.fixture
def backup(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> dict[str, Any]:
    """Use a demo, back it up while it runs, and return its responses."""
    url = new_database()
    (tmp_path / "old_url").write_text(url)
    with_data = {"DATABASE_URL": url, "DATA_DIR": tmp_path / "data"}
    server = serve(cwd=ROOT, DEMO="1", APP_KEYS=KEY, WORKER="off", RATE_LIMITS="off", **with_data)
    with signed_in(server) as http:
        first = revealed(http)
        picture = io.BytesIO()
        Image.new("RGB", (40, 30), "teal").save(picture, "PNG")
        sent = http.post("/api/v2/userimage", files={"files": ("me.png", picture.getvalue())})
        path = sent.json()["resource"][0]["path"]
        counts = {
            "token": http.headers["X-Session-Token"], "contacts": http.get(CONTACTS).json(), "picture": path,
            "pixels": http.get(path).content, "charged": first["charged"],
        }  # fmt: skip
        run_page("pg_dump --format=custom", tmp_path, DATABASE_URL=url, DATA_DIR=tmp_path / "data")
        (tmp_path / "files").mkdir()
        subprocess.run(["tar", "-xzf", tmp_path / "files.tgz", "-C", tmp_path / "files"], check=True)
    server.stop()
    counts["ledger"] = ask(url, "select sum(delta) from creditledger")
    return counts


@pytest.mark.slow
def test_a_backup_can_be_restored_into_an_empty_installation(
    backup: dict[str, Any], new_database: NewDatabase, serve: Serve, tmp_path: Path
) -> None:
    url = new_database()
    program("pg_restore", "--exit-on-error", "--no-owner", "--dbname", url, tmp_path / "database.dump")
    settings = {"DATABASE_URL": url, "APP_KEYS": KEY, "WORKER": "off", "RATE_LIMITS": "off"}
    before = ask(url, "select max(version) from schemaversion")
    server = serve(cwd=ROOT, DEMO="1", DATA_DIR=tmp_path / "files", **settings)
    with signed_in(server) as http:
        assert http.get(CONTACTS).json() == backup["contacts"]
        assert revealed(http)["charged"] == 0
        assert http.get(backup["picture"]).content == backup["pixels"]
        http.headers["X-Session-Token"] = backup["token"]
        assert http.get("/api/v2/user/session").status_code == 200  # sessions stay valid
    server.stop()
    assert ask(url, "select max(version) from schemaversion") == before
    assert ask(url, "select sum(delta) from creditledger") == backup["ledger"]
    wrong = """
        select count(*) from usercredit c where contactcredit + emailcredit
            <> (select coalesce(sum(delta), 0) from creditledger l where l.clientid = c.clientid)
    """
    assert ask(url, wrong) == 0
    done = product_tests(url)
    assert done.returncode == 0, done.stdout[-3000:]


def test_people_who_were_removed_after_the_dump_are_removed_from_the_copy(
    backup: dict[str, Any], new_database: NewDatabase, serve: Serve, tmp_path: Path
) -> None:
    """Run the commands of the page, with a removal and a deletion request since the dump, and an open one."""
    old, url = (tmp_path / "old_url").read_text(), new_database()
    program("pg_restore", "--exit-on-error", "--no-owner", "--dbname", url, tmp_path / "database.dump")
    contact, other = backup["contacts"]["resource"][:2]
    secret = (tmp_path / "files" / "secrets" / "secret_key").read_text().strip()
    vault = Vault([secret])
    ask(old, f"insert into suppression values ('{_bytea(vault, key_of(contact['linkedinurl']))}', 'profile')")
    batch = "insert into dropbatch (name, reportedon) values ('batch', now())"
    item = "insert into dropitem values ('{}', (select max(batchid) from dropbatch), 'Email', '\\x{}', {})"
    for database, statements in (
        (url, [batch, item.format("open", "01", "null")]),
        (old, [batch, item.format("open", "01", "3"), item.format("new", "02", "4")]),
    ):
        for statement in statements:
            ask(database, statement)

    run_page("suppression.copy", tmp_path, OLD_URL=old, NEW_URL=url)

    assert ask(url, "select array_agg(itemid || status order by itemid) from dropitem") == ["new5", "open5"]
    server = serve(
        cwd=ROOT, DEMO="1", DATA_DIR=tmp_path / "files", DATABASE_URL=url, APP_KEYS=KEY, WORKER="off", RATE_LIMITS="off"
    )
    with signed_in(server) as http:
        found = [
            bool(
                http.post("/api/v2/searchurl", json={"linkedinurl": one["linkedinurl"], "business": True}).json()[
                    "data"
                ]
            )
            for one in (contact, other)
        ]
    assert found == [False, True]


def _bytea(vault: Vault, key: str) -> str:
    return f"\\x{vault.index('profile', key).hex()}"


def test_a_backup_without_its_secrets_cannot_be_decrypted(
    backup: dict[str, Any], new_database: NewDatabase, serve: Serve, tmp_path: Path
) -> None:
    url = new_database()
    program("pg_restore", "--exit-on-error", "--no-owner", "--dbname", url, tmp_path / "database.dump")
    with pytest.raises(AssertionError, match=r"SECRET_KEYS do not open .* restore the folder 'secrets' of DATA_DIR"):
        serve(cwd=ROOT, DATABASE_URL=url, APP_KEYS=KEY, WORKER="off", DATA_DIR=tmp_path / "other")
