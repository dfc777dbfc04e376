"""Render PDFs from typst templates with packaged fonts: reproducible, and without network access.

The template reads JSON text from `sys.inputs.data`, the colors of `design` from `sys.inputs.colors`, and the logo, an
SVG, from `sys.inputs.logo`. Text in the data is never interpreted as typst markup.
"""

from __future__ import annotations

import asyncio
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import orjson

from product.design import FOLDER, LIGHT, LOGO

if TYPE_CHECKING:
    import typst

# For letters that the typeface of the design lacks: Greek, Cyrillic, Vietnamese; Chinese, Japanese, Korean.
FONTS = ("fontpkg_inter", "cvttf_NotoSansCJK_Regular")


@cache
def _fonts() -> typst.Fonts:
    import typst  # large, and unused by many processes

    packages = [find_spec(name) for name in FONTS]
    folders = [str(folder) for spec in packages if spec for folder in spec.submodule_search_locations or ()]
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(FOLDER), *folders])


async def pdf(template: Path, data: object) -> bytes:
    """Return the document as PDF bytes, rendered in a thread."""
    document = await asyncio.to_thread(render, template, data)
    assert isinstance(document, bytes)  # only pictures come as a list
    return document


def render(template: Path, data: object, *, form: Literal["pdf", "png"] = "pdf") -> bytes | list[bytes] | None:
    """Return PDF bytes; with `form` png a picture, or a list of pictures for several pages."""
    import typst

    inputs = {"data": orjson.dumps(data).decode(), "colors": orjson.dumps(LIGHT).decode(), "logo": LOGO}
    compiler = typst.Compiler(str(template), root=str(template.parent), font_paths=_fonts(), sys_inputs=inputs)
    return compiler.compile(format=form, ppi=80 if form == "png" else None)
