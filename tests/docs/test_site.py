"""The site of `make docs` builds without a warning, is small, loads nothing from other hosts, and is searched well."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tableapi.version import VERSION
from tests.helpers.support import ROOT

# Addresses that a browser would load by itself; links are free.
_LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=\"?(?:https?:)?//|<link\b[^>]*\bhref=\"?(?:https?:)?//"
)
_STYLE = re.compile(r"url\([\"']?(?:https?:)?//|@import [\"'](?:https?:)?//")
_SCRIPT = re.compile(r"(?:fetch|import)\(?\s*[\"'](?:https?:)?//")
MAX_PAGE_BYTES = 150_000  # per page with everything it loads, compressed, without pictures
# What newcomers ask, and pages of which one must be among the first three results.
SEARCHES = {
    "pagination": ("guides/cursors/",),
    "error codes": ("reference/errors/", "use/errors/"),
    "login": ("guides/authentication/",),
    "docker": ("guides/deployment/",),
    "custom endpoint": ("guides/scripts/",),
    "how do I add authentication": ("guides/authentication/",),
    "stored procedure": ("reference/wire/",),
    "DATABASE_URL": ("reference/settings/",),
    "cors": ("guides/cookbook/",),
    "permissions": ("guides/policy/",),
    "api key": ("use/keys/",),
    "rate limit": ("use/errors/",),
    "verify a webhook": ("use/webhooks/",),
    "enrich many": ("use/find/#many-people-at-once",),
    "export contacts": ("use/find/",),
    "python client": ("guides/clients/",),
    "retry": ("use/errors/",),
    "hubspot": ("use/find/", "guides/people-file/"),
    "credits run out": ("use/errors/",),
    "402": ("use/errors/",),
    "delete a person": ("guides/deletion-requests/",),
    "GDPR": ("guides/deletion-requests/",),
    "filter by date": ("guides/filters/",),
    "test key": ("use/test-key/",),
    "no credits": ("use/errors/",),
    "how long results are cached": ("use/find/",),
    "opt out": ("guides/deletion-requests/",),
    "rotate a leaked key": ("use/keys/",),
    "first call": ("use/quick-start/",),
    "claude": ("use/assistants/", "guides/agents/"),
    "count rows": ("guides/cursors/", "guides/filters/", "guides/relations/"),
    "join tables": ("guides/relations/",),
    "upsert": ("guides/writes/",),
    "soft delete": ("guides/cookbook/",),
    "case insensitive search": ("guides/filters/",),
    "restore a backup": ("guides/backup/",),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a site that was just built."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copytree(ROOT / "frontend" / "docs", folder / "frontend" / "docs")
    shutil.copy(ROOT / "zensical.toml", folder)
    built = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "docs"), str(folder)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "build" / "docs"


def test_the_site_loads_nothing_from_other_hosts(site: Path) -> None:
    assert (site / "index.html").exists()
    loading = [
        str(file.relative_to(site))
        for suffix, pattern in ((".html", _LOADED), (".css", _STYLE), (".js", _SCRIPT))
        for file in site.rglob(f"*{suffix}")
        if pattern.search(file.read_text())
    ]
    assert loading == []


def test_no_page_is_large(site: Path) -> None:
    shared = sum(_sent(file) for file in (site / "assets").iterdir() if file.suffix != ".gz")
    large = {
        str(page.relative_to(site)): shared + _sent(page)
        for page in site.rglob("*.html")
        if shared + _sent(page) > MAX_PAGE_BYTES
    }
    assert large == {}


def _sent(file: Path) -> int:
    packed = file.with_name(file.name + ".gz")
    if packed.exists():
        assert gzip.decompress(packed.read_bytes()) == file.read_bytes()
        return packed.stat().st_size
    return file.stat().st_size


def test_the_files_of_the_stock_theme_are_not_published(site: Path) -> None:
    assert not list(site.rglob("bundle.*.js"))


def test_the_site_shows_the_version(site: Path) -> None:
    assert tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["extra"]["release"] == VERSION
    assert f">v{VERSION}<" in (site / "index.html").read_text()


def test_every_table_has_headers_and_scrolls_separately(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text()
        assert text.count("<table>") == text.count('<div class="table"><table>')
        assert not re.search(r"<th[^>]*>\s*</th>", text), page


def test_search_finds_common_questions(site: Path) -> None:
    """The site's scripts rank the built index and know synonyms."""
    program = (
        "import { readFileSync } from 'node:fs';"
        f"const {{ best, indexed }} = await import({json.dumps((site / 'assets' / 'search.js').as_uri())});"
        f"const index = indexed(JSON.parse(readFileSync({json.dumps(str(site / 'search.json'))})).items);"
        f"const asked = {json.dumps(list(SEARCHES))};"
        "console.log(JSON.stringify(asked.map((text) => best(index, text).found.map((item) => item.location))));"
    )
    (site / "assets" / "package.json").write_text('{"type": "module"}')
    done = subprocess.run(
        [_node(), "--input-type=module", "-e", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    found = dict(zip(SEARCHES, json.loads(done.stdout), strict=True))
    wrong = {
        text: locations[:4]
        for text, locations in found.items()
        if not any(location.startswith(SEARCHES[text]) for location in locations[:3])
    }
    assert wrong == {}


def test_curl_examples_are_translated_for_the_language_tabs(site: Path) -> None:
    """Curl commands become Python and JavaScript; commands that do more than send requests are left alone."""
    (site / "assets" / "package.json").write_text('{"type": "module"}')
    program = (
        f"const {{ requests }} = await import({json.dumps((site / 'assets' / 'curl.js').as_uri())});"
        f"const {{ programs }} = await import({json.dumps((site / 'assets' / 'samples.js').as_uri())});"
        'const one = `export T=localhost:8000/t\\ncurl -s "$T/a?x=1" --json \'{"n": null}\'`;'
        "const two = `curl -s localhost:8000/t --get -H 'X-API-Key: K' --data-urlencode 'filter=a = 1'`;"
        "const made = programs([...requests(one), ...requests(two)]);"
        "const others = [requests('curl -s a | jq .'), requests('for a in 1; do curl a; done')];"
        "console.log(JSON.stringify([made.Python, ...others]));"
    )
    done = subprocess.run(
        [_node(), "--input-type=module", "-e", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    python, piped, loop = json.loads(done.stdout)
    assert piped is None
    assert loop is None
    compile(python, "example", "exec")
    assert 'requests.post(\n    "http://localhost:8000/t/a?x=1",\n    json={"n": None},\n)' in python
    assert 'params={"filter": "a = 1"}' in python


def _node() -> str:
    """Return the path of Node: of PATH, or of `make setup`."""
    folder = subprocess.run([str(ROOT / "tools" / "node")], capture_output=True, text=True, check=True).stdout.strip()
    return str(Path(folder) / "node") if folder else str(shutil.which("node"))
