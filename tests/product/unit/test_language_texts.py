"""The texts of the server in every language: complete, with the same values, and all of them used."""

from __future__ import annotations

import re
from datetime import date
from string import Formatter
from typing import get_args

import pytest

from product import mail
from product.billing import plans
from product.language import DEFAULT, LANGUAGES, Language, formats
from product.language.texts import File, sections, translator
from tests.helpers.support import ROOT

FILES: tuple[File, ...] = get_args(File)
TRANSLATIONS = [(language, file) for language in LANGUAGES if language != DEFAULT for file in FILES]
SPACE = "\u00a0"


def flat(language: Language, file: File) -> dict[str, str]:
    """Return the texts of a file by `section.name`."""
    return {
        f"{section}.{name}": text for section, texts in sections(language, file).items() for name, text in texts.items()
    }


def values(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize(("language", "file"), TRANSLATIONS)
def test_a_translation_has_every_text_with_the_same_values(language: Language, file: File) -> None:
    english, translated = flat(DEFAULT, file), flat(language, file)
    assert list(translated) == list(english)
    assert {name: values(text) for name, text in translated.items()} == {
        name: values(text) for name, text in english.items()
    }


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_is_one_line_with_typographic_dashes_and_no_blanks_around(language: Language, file: File) -> None:
    odd = [name for name, text in flat(language, file).items() if not re.fullmatch(r"\S(?:(?! - |  |\n).)*\S", text)]
    assert odd == []


def test_the_german_texts_use_sie() -> None:
    familiar = re.compile(r"\b(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]eine?[mnrs]?|[Ee]uch|[Ee]uer[en]?)\b")
    assert [text for file in FILES for text in flat("de", file).values() if familiar.search(text)] == []


def test_every_template_has_a_section_and_uses_all_its_texts() -> None:
    templates = {path.stem: path.read_text() for path in mail.FOLDER.glob("*.jinja")}
    texts = sections(DEFAULT, "mails")
    assert set(texts) - {"common", "typed", "kinds"} == set(templates)
    unused = {
        f"{name}.{key}"
        for name, template in templates.items()
        for key in texts[name]
        if not _is_used(key, set(re.findall(r'"(\w+)"', template)))
    }
    assert unused == {f"moneyback.payment_{state}" for state in ("refunded", "disputed")}  # by the event


def _is_used(key: str, literals: set[str]) -> bool:
    """Return whether a template names a text, or its beginning before a state or the form for a count."""
    starts = {literal for literal in literals if literal.endswith("_")}
    return bool({key, re.sub(r"_(one|other)$", "", key)} & literals) or key.startswith(tuple(starts))


def test_the_server_supports_every_language_of_the_app() -> None:
    text = (ROOT / "frontend" / "src" / "lib" / "language.ts").read_text()
    names = re.search(r"LANGUAGES = \{(.*?)\}", text)
    assert names is not None
    assert tuple(re.findall(r"(\w+):", names[1])) == LANGUAGES


def test_the_app_translates_every_text_of_the_plans_that_are_shipped() -> None:
    """The texts are stored in English, and the app finds their translation by them."""
    offers = set(re.findall(r': "(.*)",', (ROOT / "frontend/src/texts/en/offers.ts").read_text()))
    stored = {text for plan in plans.CATALOGUE for text in _texts(plan)}
    assert len(stored) > len(offers)
    patterns = {text: re.sub(r"\d[\d,]*", "{{number}}", text) for text in stored if re.search(r"[a-z]", text)}
    assert [text for text, pattern in patterns.items() if not {text, pattern} & offers] == []
    assert offers - set(patterns) - set(patterns.values()) == set()


def _texts(plan: plans.Plan) -> set[str]:
    texts = {plan.details, *(text for feature in plans.features(plan) for text in feature.values())}
    return texts | {plan.name} if plan.isaddon else texts  # names of plans are names


@pytest.mark.parametrize(
    ("day", "english", "german"),
    [("2026-11-05", "5 Nov 2026", "5. Nov. 2026"), ("2026-03-31", "31 Mar 2026", "31. März 2026"),
     ("2027-05-01", "1 May 2027", "1. Mai 2027"), ("2027-09-10", "10 Sep 2027", "10. Sept. 2027")],
)  # fmt: skip
def test_days_are_formatted_as_on_the_screens(day: str, english: str, german: str) -> None:
    assert [formats.day(date.fromisoformat(day), language) for language in LANGUAGES] == [english, german]


@pytest.mark.parametrize(
    ("amount", "currency", "english", "german"),
    [
        (0, "usd", "$0.00", f"0,00{SPACE}$"),
        (123450, "usd", "$1,234.50", f"1.234,50{SPACE}$"),
        (-1234, "usd", "−$12.34", f"−12,34{SPACE}$"),
        (123456789, "eur", "€1,234,567.89", f"1.234.567,89{SPACE}€"),
        (5, "gbp", "£0.05", f"0,05{SPACE}£"),
        (1200, "chf", f"CHF{SPACE}12.00", f"12,00{SPACE}CHF"),
    ],
)
def test_amounts_are_formatted_as_on_the_screens(amount: int, currency: str, english: str, german: str) -> None:
    assert [formats.money(amount, currency, language) for language in LANGUAGES] == [english, german]


def test_a_count_selects_its_form_and_is_written_in_the_language() -> None:
    def left(language: Language, count: int) -> str:
        return translator(language, "mails", "lowcredit", kind="X")("text_low", count=count)

    assert left("en", 1) == "Your account has 1 X credit left."
    assert left("en", 1200) == "Your account has 1,200 X credits left."
    assert left("de", 1) == "in Ihrem Konto ist noch 1 Credit für X übrig."
    assert left("de", 1200) == "in Ihrem Konto sind noch 1.200 Credits für X übrig."
