"""Pages are consistent: links and anchors resolve, named files exist, and the vocabulary is the usual one."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.docs import pages
from tests.helpers.support import ROOT
from tools.pages import text

PAGES = {pages.name_of(page): page for page in pages.pages()}
_PATH = re.compile(
    r"`((?:tableapi|product|sandbox|scripts|tests|docs|frontend|migrations|deploy|tools|bench)/[\w./-]*\w/?)`"
)
# Files of the reader's own project, and names with placeholders.
_EXAMPLES = {"scripts/finish.py", "scripts/jobs/NAME.py", "migrations/0001_name.sql", "frontend/dist"}
# A path below docs/ in any file: in a comment, a message, a Makefile. `/docs/...` and `api/docs/...` are URLs.
_DOCS_PATH = re.compile(r"(?<![\w./-])docs/[\w./-]*\w")
# Personification, riddles, and places that only one machine has.
_WORDS = (
    r"\b[Ww]hoever\b", r"\b[Ss]omebody\b", r"\b[Ee]verybody\b", r"\bnobody (?:can|may|waits|knows|notices)\b",
    r"\bWho \w+s\b", r"\blooked at\b", r"\bsays so\b", r"\blowly\b", r"\bcutoff\b", r"\bunder way\b",
    r"(?<![\w.])/(?:home|root|Users|tmp)/",
)  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_links_have_existing_targets(name: str) -> None:
    page = PAGES[name]
    problems = []
    for target in pages.links(text(page)):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        other = (page.parent / path).resolve() if path else page
        if path.startswith("/") or not other.exists():
            problems.append(f"{name}: {target}: there is no such file")
        elif anchor and other.suffix == ".md" and anchor not in pages.anchors(text(other)):
            problems.append(f"{name}: {target}: the page has no such heading")
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("name", PAGES)
def test_mentioned_files_exist(name: str) -> None:
    page = pages.prose(text(PAGES[name]))
    missing = [
        f"{name}: {path}"
        for path in _PATH.findall(page)
        if path.rstrip("/") not in _EXAMPLES and not (ROOT / path).exists()
    ]
    assert not missing, "\n".join(missing)


def test_pages_mentioned_in_any_file_exist() -> None:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    missing = []
    for name in names.rstrip("\0").split("\0"):
        try:
            text = (ROOT / name).read_text()
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):  # a picture, or a file that was just removed
            continue
        missing += [f"{name}: {path}" for path in _DOCS_PATH.findall(text) if not (ROOT / path).exists()]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("name", PAGES)
def test_pages_contain_no_banned_words(name: str) -> None:
    page = text(PAGES[name])
    refused = [f"{name}: {match[0]!r}" for word in _WORDS for match in re.finditer(word, page)]
    assert not refused, "\n".join(refused)


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("docs/")])
def test_a_page_has_one_title(name: str) -> None:
    page = pages.prose(text(PAGES[name]))
    assert len(re.findall(r"^# ", page, re.MULTILINE)) == 1


def test_the_site_lists_every_page() -> None:
    nav = repr(tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"])
    named = {Path(path) for path in re.findall(r"'([\w/-]+\.md)'", nav)}
    there = {page.relative_to(pages.DOCS) for page in pages.DOCS.rglob("*.md")}
    below = {path for path in there if path.parts[:2] == ("explanation", "decisions")}  # listed by their index
    assert sorted(map(str, there - below - named)) == [], "add them to nav in zensical.toml"
    assert sorted(map(str, named - there)) == [], "remove them from nav in zensical.toml"


def test_the_index_of_decisions_lists_every_decision() -> None:
    folder = pages.DOCS / "explanation" / "decisions"
    named = set(pages.links((folder / "index.md").read_text()))
    missing = {file.name for file in folder.glob("*.md")} - named - {"index.md"}
    assert not missing, f"docs/explanation/decisions/index.md: add {', '.join(sorted(missing))}"
