"""Run `python -m tests.e2e.pictures [--accept] [--only-references | --docs]` on a fresh demo; `make pictures` does.

Pictures of every screen, state and mail go to build/pictures with a contact sheet, index.html. Screens that differ from
their pictures in frontend/e2e/references are listed with exit code 1; with --accept they replace them. --docs takes the
pictures of docs/ and README.md instead, with the sample shop in Studio.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from itertools import groupby, product
from pathlib import Path
from urllib.parse import urlsplit

from product.language import LANGUAGES
from product.settings import Settings
from tableapi.server import demo
from tableapi.server.postgres.server import Embedded
from tests.helpers.mails import MAILS, sample
from tests.helpers.support import ROOT, execute, start

FOLDER = ROOT / "build" / "pictures"
DIFFERENCES = ROOT / ".cache" / "pictures"
APPEARANCES = ("light", "dark", "forced", "print")
_STYLE = """
    body { margin: 24px; background: #888; font: 14px system-ui, sans-serif; }
    div { display: flex; flex-wrap: wrap; align-items: start; gap: 12px; }
    figure { margin: 0; } figcaption { font-size: 12px; }
    img { display: block; height: 320px; }
"""


def contact_sheet(folder: Path) -> str:
    """Return an HTML page with every picture of the folder, one row for each screen and state.

    Names are `<screen>.<appearance>.<width>.png`.
    """
    rows = []
    names = sorted(path.name for path in folder.glob("*.png"))
    for screen, pictures in groupby(names, key=lambda name: name.split(".")[0]):
        figures = "".join(_figure(name) for name in sorted(pictures, key=_order))
        rows.append(f"<h2>{html.escape(screen)}</h2>\n<div>{figures}</div>")
    body = "\n".join(rows)
    return f'<!doctype html>\n<html lang="en">\n<title>Pictures</title>\n<style>{_STYLE}</style>\n{body}\n</html>\n'


def _order(name: str) -> tuple[int, int]:
    _, appearance, width, _ = name.split(".")
    return -int(width), APPEARANCES.index(appearance)


def _figure(name: str) -> str:
    _, appearance, width, _ = name.split(".")
    source = html.escape(name)
    return (
        f'<figure><figcaption>{appearance}, {width}</figcaption><a href="{source}">'
        f'<img loading="lazy" alt="" src="{source}"></a></figure>'
    )


def _playwright(url: str, pattern: str, *words: str, **more: str) -> int:
    command = ["node", "node_modules/@playwright/test/cli.js", "test", pattern, *words]
    # Playwright empties the folder of a run first, so each run has its own.
    traces = DIFFERENCES / pattern.strip("/$").removesuffix(r"\.mjs")
    settings = {"BASE_URL": url, "PICTURES": str(FOLDER), "TRACES": str(traces)} | more
    return subprocess.run(command, cwd=ROOT / "frontend", env=os.environ | settings, check=False).returncode


def _documentation(url: str, database: str, folder: Path, stack: ExitStack) -> int:
    """Take the pictures of the documentation, from the demo and from the sample shop."""
    execute(database, "create database shop")
    shop = urlsplit(database)._replace(path="/shop").geturl()
    asyncio.run(demo.load(shop, lambda done, steps, name: None))
    studio = start(stack, folder, "--dataset", f"shop={shop}", "--open", cwd=folder, DATA_DIR=folder / "studio")
    return _playwright(url, r"/docpictures\.mjs$", STUDIO=studio.url, DOCS=str(ROOT / "docs" / "pictures"))


def write_mails(settings: Settings, folder: Path) -> None:
    """Write every mail in every language as a page, `<name>-<language>.html`."""
    folder.mkdir()
    for language, name in product(LANGUAGES, MAILS):
        (folder / f"{name}-{language}.html").write_text(sample(settings, name, language).html)


def main() -> int:
    parser = argparse.ArgumentParser(description="Take pictures of every screen, and compare some with the references.")
    parser.add_argument("--accept", action="store_true", help="replace the references that differ")
    parser.add_argument("--only-references", action="store_true", help="compare only; take no other pictures")
    parser.add_argument("--docs", action="store_true", help="take the pictures of docs/ and README.md only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pictures.") as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL may run as another user
        database = stack.enter_context(Embedded(folder / "pg" / "postgres", durable=False))
        server = start(stack, folder, DEMO="1", RATE_LIMITS="off", DATABASE_URL=database)
        if options.docs:
            return _documentation(server.url, database, folder, stack)
        update = ["--update-snapshots=changed"] if options.accept else []
        failed = _playwright(server.url, r"/references\.mjs$", *update)
        if not options.only_references:
            shutil.rmtree(FOLDER, ignore_errors=True)
            write_mails(Settings(public_url=server.url, data_dir=folder, _env_file=None), folder / "mails")
            failed |= _playwright(server.url, r"/pictures\.mjs$", MAILS=str(folder / "mails"))
            (FOLDER / "index.html").write_text(contact_sheet(FOLDER))
            print(f"Pictures and their contact sheet are in {FOLDER.relative_to(ROOT)}.")
    if failed:
        print("Some pictures differ or are missing. Accept them with: make pictures ACCEPT=1", file=sys.stderr)
    return int(failed != 0)


if __name__ == "__main__":
    sys.exit(main())
