"""PDF from a typst template and plain data, with fonts of our own: the same on every machine, no network.

The template reads `sys.inputs.data`, JSON text. Text of the data is text for typst too, never markup.
"""

from __future__ import annotations

import asyncio
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import orjson

if TYPE_CHECKING:
    import typst

FONTS = ("fontpkg_inter", "cvttf_NotoSansCJK_Regular")  # Latin, Greek, Cyrillic, Vietnamese; Chinese, Japanese, Korean


@cache
def _fonts() -> typst.Fonts:
    import typst  # large, and only some processes typeset

    found = [find_spec(name) for name in FONTS]
    folders = [str(folder) for spec in found if spec for folder in spec.submodule_search_locations or ()]
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=folders)


async def pdf(template: Path, data: Any) -> bytes:
    """The document as PDF bytes."""
    return await asyncio.to_thread(render, template, data)


def render(template: Path, data: Any, *, form: Literal["pdf", "png"] = "pdf") -> Any:
    """PDF bytes; for a look at it `form` png gives a picture, or a list of them when there are several pages."""
    import typst

    inputs = {"data": orjson.dumps(data).decode()}
    compiler = typst.Compiler(str(template), root=str(template.parent), font_paths=_fonts(), sys_inputs=inputs)
    return compiler.compile(format=form, ppi=80 if form == "png" else None)
