"""The pages of `docs/` as tests read them: code fences, headings, links and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.support import ROOT

DOCS = ROOT / "docs"
TOP = ("README.md", "CONTRIBUTING.md", "SECURITY.md")

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
_HEADING = re.compile(r"^#{1,6} +(.+?)(?: *\{#([\w-]+)\})?$", re.MULTILINE)
_LINK = re.compile(r"(?<!\\)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")
_INLINE_CODE = re.compile(r"`[^`\n]+`")


@dataclass(frozen=True, slots=True)
class Fence:
    """One code block. `note` is the HTML comment on the line before it, `line` counts from 1."""

    language: str
    title: str
    text: str
    note: str
    line: int


def pages() -> list[Path]:
    """Every page that a reader can open, those at the top included."""
    return [*(ROOT / name for name in TOP), *sorted(DOCS.rglob("*.md"))]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def read(name: str) -> str:
    """The text of a page by its path below `docs/`."""
    return (DOCS / name).read_text()


def fences(text: str) -> list[Fence]:
    """The code blocks of a page, in order."""
    blocks = []
    for match in _FENCE.finditer(text):
        info = match["info"].strip()
        before = text[: match.start()].rstrip("\n").rpartition("\n")[2].strip()
        comment = _COMMENT.fullmatch(before)
        title = _TITLE.search(info)
        blocks.append(
            Fence(
                language=info.split()[0] if info else "",
                title=title[1] if title else "",
                text=match["text"],
                note=comment[1].strip() if comment else "",
                line=text.count("\n", 0, match.start()) + 1,
            )
        )
    return blocks


def prose(text: str) -> str:
    """A page without its code blocks."""
    return _FENCE.sub("", text)


def anchors(text: str) -> set[str]:
    """The ids that the headings of a page get."""
    seen: dict[str, int] = {}
    names = set()
    for match in _HEADING.finditer(prose(text)):
        slug = match[2] or slug_of(match[1])
        number = seen.get(slug, 0)
        seen[slug] = number + 1
        names.add(f"{slug}_{number}" if number else slug)
    return names


def slug_of(heading: str) -> str:
    """The id of a heading, as Python-Markdown makes it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    plain = re.sub(r"[^\w\s-]", "", plain.encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", plain)


def links(text: str) -> list[str]:
    """The targets of the links of a page."""
    return _LINK.findall(_INLINE_CODE.sub("", prose(text)))


def rows(text: str) -> Iterator[list[str]]:
    """Yield the cells of every table row on a page, without headers and rules."""
    lines = prose(text).splitlines()
    for number, line in enumerate(lines):
        if not line.startswith("|") or re.fullmatch(r"[|\s:-]+", line):
            continue
        if number + 1 < len(lines) and re.fullmatch(r"\|[|\s:-]+", lines[number + 1]):
            continue  # the head of the table
        yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
