"""Texts by language and name, from `<language>/<file>.toml` in this folder.

A text inserts values as `{name}`. One that depends on a count has two forms: `name_one` and `name_other`. Values are
inserted unchanged and never interpreted as texts.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal, Protocol

from product.language import Language, formats

FOLDER = Path(__file__).parent
File = Literal["mails", "documents"]
COMMON = "common"  # the section with texts shared by all sections of a file


class Translator(Protocol):
    """Returns the text with a name; `count` selects its form."""

    def __call__(self, name: str, **values: object) -> str: ...


@cache
def sections(language: Language, file: File) -> dict[str, dict[str, str]]:
    """Return the texts of a file by section and name."""
    return tomllib.loads((FOLDER / language / f"{file}.toml").read_text(encoding="utf-8"))


def translator(language: Language, file: File, section: str, **shared: object) -> Translator:
    """Return a function that looks up a text of a section, or a common one, and inserts values.

    Args:
        shared: values for every text; whole numbers are formatted for the language.
    """
    texts = sections(language, file).get(COMMON, {}) | sections(language, file)[section]

    def translate(name: str, **values: object) -> str:
        if "count" in values:
            name = f"{name}_{'one' if values['count'] == 1 else 'other'}"
        return texts[name].format_map({key: _written(value, language) for key, value in (shared | values).items()})

    return translate


def _written(value: object, language: Language) -> object:
    return formats.number(value, language) if type(value) is int else value
