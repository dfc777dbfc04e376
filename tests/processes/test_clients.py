"""Clients made by `_spec?client=`: programs in TypeScript and Python against a running server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from tests.helpers.support import DATA, ROOT, NewDatabase, Serve, Server, clean_environment, tableapi

CLIENTS = DATA / "clients"
MODULES = ROOT / "frontend" / "node_modules"
SHOP = ROOT / "docs" / "tutorial" / "shop.sql"
ODD = (
    """
create table "odd table" (id integer primary key, "class" text not null, "a b" integer, "quote""d" text, "{x}" text,
    "é" text, amount numeric);
comment on table "odd table" is E'ends */ the comment \\\\ """
    + '"""'
    + """ ''';
"""
)
ODD_PYTHON = """
import json, sys
from shop import Client
table = Client(sys.argv[1], key="KEY").tables.odd_table
table.create([{"id": 1, "class": "x", "a b": 7, 'quote"d': "q", "{x}": "b", "é": "e", "amount": "1.50"}], upsert=True)
c = table.c
same = (c.class_ == "x") & (c.a_b == 7) & (c.quote_d == "q") & (c._x_ == "b") & (c.é == "e")
rows = table.read(same, order=[c.class_])
print(json.dumps([[row["class"], row["amount"], row["a b"]] for row in rows]))
"""
ODD_TYPESCRIPT = """
import { Client } from "./shop.ts";
const table = new Client(process.argv[2]!, { key: "KEY" }).tables["odd table"];
const record = { id: 1, class: "x", "a b": 7, 'quote"d': "q", "{x}": "b", "é": "e", amount: "1.50" };
await table.create([record], { upsert: true });
const rows = await table.read({
  where: (c) => c.class.eq("x").and(c["a b"].eq(7)).and(c['quote"d'].eq("q")).and(c["{x}"].eq("b")).and(c["é"].eq("e")),
  fields: ["class", "amount", "a b"], order: (c) => [c.class],
});
console.log(JSON.stringify(rows.map((row) => [row.class, row.amount, row["a b"]])));
"""
EXPECTED = [
    [401, "no_key"], [404, "not_found"], [400, "batch"],
    [{"id": 3, "name": "Cleo Diaz"}], ["Dan Egede", "Ben O'Neil"], [2, "Ada Berg", ["paid", "open"]], 1,
    ["Ada Berg", "Ben O'Neil", "Cleo Diaz"], "Ada Berg", 2,
    "Rome", 1, "Rome", 0,
    [True, 3], [[400, "batch_step"], [400, "batch_step"], "Rome"], 1, "Eva",
    ["reset", {}], ["row", {"id": 1, "city": "Live"}],
]  # fmt: skip


@pytest.fixture
def server(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> Server:
    url = new_database(SHOP.read_text())
    words = ("--dataset", f"shop={url}")
    assert tableapi("live", "install", "customer", *words, cwd=tmp_path).returncode == 0
    return serve(*words, "--open", "--api-key", "KEY")


def _client(server: Server, folder: Path, language: str, name: str, query: str = "") -> Path:
    answer = httpx2.get(f"{server.url}/api/v2/shop/_spec?client={language}{query}", headers={"X-API-Key": "KEY"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8"), answer.text
    path = folder / name
    path.write_text(answer.text)
    return path


def _run(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    node = subprocess.run([ROOT / "tools" / "node"], capture_output=True, text=True, check=True).stdout.strip()
    environment = clean_environment()
    environment["PATH"] = f"{node}:{environment['PATH']}"
    environment["PYTHONPATH"] = str(folder)
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)


def _compile(folder: Path, *files: str) -> subprocess.CompletedProcess[str]:
    types = folder / "node_modules"
    if not types.exists():
        types.symlink_to(MODULES)
    return _run(
        folder, MODULES / ".bin" / "tsc", "--strict", "--noUncheckedIndexedAccess", "--target", "es2022",
        "--module", "esnext", "--moduleResolution", "bundler", "--rewriteRelativeImportExtensions", "--types", "node",
        "--skipLibCheck", "--outDir", "out", *files,
    )  # fmt: skip


def _wrong_lines(output: str, file: str) -> list[int]:
    return sorted({int(number) for number in re.findall(rf"^{re.escape(file)}[:(](\d+)", output, re.MULTILINE)})


def _mypy(folder: Path, *files: str) -> subprocess.CompletedProcess[str]:
    return _run(folder, sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", ".mypy", *files)


@pytest.mark.parametrize("path", ["shop/_spec", "_spec"])
def test_an_unknown_language_or_caller_is_rejected(server: Server, path: str) -> None:
    address = f"{server.url}/api/v2/{path}?client="
    answer = httpx2.get(f"{address}cobol", headers={"X-API-Key": "KEY"})
    error = answer.json()["error"]
    assert (answer.status_code, error["context"]["reason"], error["context"]["option"]) == (400, "bad_option", "client")
    assert error["message"] == "There is no client in 'cobol'; ask for typescript or python."
    assert httpx2.get(f"{address}python").status_code == 401


def test_typescript(server: Server, tmp_path: Path) -> None:
    _client(server, tmp_path, "typescript", "shop.ts")
    for name in ("program.ts", "wrong.ts"):
        shutil.copy(CLIENTS / f"{name}.txt", tmp_path / name)
    wrong = _compile(tmp_path, "wrong.ts")
    assert _wrong_lines(wrong.stdout, "wrong.ts") == [4, 5, 6, 7, 8, 9, 10, 11], wrong.stdout
    compiled = _compile(tmp_path, "program.ts")
    assert compiled.returncode == 0, compiled.stdout
    (tmp_path / "package.json").write_text('{"type": "module"}')
    ran = _run(tmp_path, "node", "out/program.js", server.url, "KEY")
    assert [json.loads(line) for line in ran.stdout.splitlines()] == EXPECTED, ran.stderr


def test_names_that_are_not_those_of_a_language(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> None:
    url = new_database(ODD)
    server = serve("--dataset", f"shop={url}", "--open", "--api-key", "KEY")
    for language, name in (("typescript", "shop.ts"), ("python", "shop.py")):
        _client(server, tmp_path, language, name, "&numbers=text")
    assert _compile(tmp_path, "shop.ts").returncode == 0
    assert (checked := _mypy(tmp_path, "shop.py")).returncode == 0, checked.stdout
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "odd.py").write_text(ODD_PYTHON)
    (tmp_path / "odd.ts").write_text(ODD_TYPESCRIPT)
    assert (compiled := _compile(tmp_path, "odd.ts")).returncode == 0, compiled.stdout
    assert (checked := _mypy(tmp_path, "odd.py")).returncode == 0, checked.stdout
    for words in ((sys.executable, "odd.py"), ("node", "out/odd.js")):
        ran = _run(tmp_path, *words, server.url)
        assert json.loads(ran.stdout or "null") == [["x", "1.50", 7]], ran.stderr


def test_several_databases(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> None:
    first, second = new_database(SHOP.read_text()), new_database(SHOP.read_text())
    server = serve("--dataset", f"shop={first}", "--dataset", f"other={second}", "--open", "--api-key", "KEY")
    address = f"{server.url}/api/v2/_spec"
    for language, name in (("typescript", "both.ts"), ("python", "both.py")):
        text = httpx2.get(address, params={"client": language}, headers={"X-API-Key": "KEY"}).text
        (tmp_path / name).write_text(text)
    assert (compiled := _compile(tmp_path, "both.ts")).returncode == 0, compiled.stdout
    (tmp_path / "use.py").write_text(
        "import sys\nfrom both import Client\n"
        "tables = Client(sys.argv[1], key='KEY').tables\n"
        "print(tables.other_customer.read(tables.other_customer.c.id == 1)[0]['name'])\n"
    )
    assert (checked := _mypy(tmp_path, "use.py")).returncode == 0, checked.stdout
    assert _run(tmp_path, sys.executable, "use.py", server.url).stdout == "Ada Berg\n"


def test_python(server: Server, tmp_path: Path) -> None:
    _client(server, tmp_path, "python", "shop.py")
    for name in ("program.py", "wrong.py"):
        shutil.copy(CLIENTS / f"{name}.txt", tmp_path / name)
    wrong = _mypy(tmp_path, "wrong.py")
    assert _wrong_lines(wrong.stdout, "wrong.py") == [6, 7, 8, 9, 10, 11, 12], wrong.stdout
    checked = _mypy(tmp_path, "program.py")
    assert checked.returncode == 0, checked.stdout
    ran = _run(tmp_path, sys.executable, "program.py", server.url, "KEY")
    assert [json.loads(line) for line in ran.stdout.splitlines()] == EXPECTED, ran.stderr


def test_the_day_of_an_integrator(new_database: NewDatabase, serve: Serve, tmp_path: Path) -> None:
    server = serve(DEMO="1", DATABASE_URL=new_database(), DATA_DIR=tmp_path / "data", APP_KEYS="0123456789")
    with httpx2.Client(base_url=f"{server.url}/api/v2/", headers={"X-API-Key": "0123456789"}, timeout=60) as http:
        text = http.get("_spec?client=python").raise_for_status().text
        sign_in = {"email": "owner@acme-demo.com", "password": "Demo1234"}
        token = http.post("user/session", json=sign_in).raise_for_status().json()["session_token"]
        record = {"purpose": "CRM", "scopes": ["enrich", "search", "contacts"]}
        created = http.post(
            "leads/_table/apikeys?fields=apikey", json={"resource": [record]}, headers={"X-Session-Token": token}
        )
        key = created.raise_for_status().json()["resource"][0]["apikey"]
        for language, name in (("typescript", "owner.ts"), ("python", "owner.py")):
            owner = http.get(f"_spec?client={language}", headers={"X-Session-Token": token}).raise_for_status().text
            (tmp_path / name).write_text(owner)
    assert (compiled := _compile(tmp_path, "owner.ts")).returncode == 0, compiled.stdout
    assert (checked := _mypy(tmp_path, "owner.py")).returncode == 0, checked.stdout
    (tmp_path / "app.py").write_text(text)
    shutil.copy(CLIENTS / "day.py.txt", tmp_path / "day.py")
    assert (checked := _mypy(tmp_path, "day.py")).returncode == 0, checked.stdout
    ran = _run(tmp_path, sys.executable, "day.py", server.url, key)
    assert [json.loads(line) for line in ran.stdout.splitlines()] == [
        ["found", 5, True],
        ["price", True, 0],
        ["ceiling", 402, "over_ceiling"],
        ["bought", True, ["0", "1", "2", "3", "4"]],
        ["again", 0, True],
        ["contacts", 5],
        ["email", True, 0],
        ["verified", "invalid"],
    ], ran.stderr
