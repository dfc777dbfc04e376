"""Errors of calls have a text in each language of the app, which finds it by the English wording."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from product.language import DEFAULT, LANGUAGES
from tests.helpers.support import ROOT

# Modules with messages for staff, commands, providers, agents and settings, but not for screens of the app.
ELSEWHERE = re.compile(
    r"scripts/(desk|jobs|webhooks|oauth)\b|product/(desk|demo|vendors|people|settings)\b"
    r"|product/authorization/(documents|form|grants)\b"
)
# Errors of requests that no screen sends.
FOR_PROGRAMS = {
    "Create one list at a time.",
    "Idempotency-Key must have 1 to 64 characters.",
    "Save one search at a time.",
    "Send either linkedinurls or search",
    "The first request with this key has not ended. Try again later.",
    "A key cannot be changed.",
    "A member can be member or admin.",
    "A text file must be UTF-8.",
    "A valid API key is needed in X-API-Key.",
    "Add one member at a time.",
    "Create one key at a time.",
    "Field required",
    "Must be 0 or 1",
    "Must be a date",
    "Must be downgrade",
    "Must be one line",
    "Must be register or social",
    "Must be text",
    "Never send card numbers here: use the card form, which gives a token.",
    "Record the downgrade first.",
    "Say which member to delete.",
    "Say which session: usersessionid.",
    "Say which user: appuserid.",
    "Send access_token, or credential and nonce",
    "Send one record.",
    "The cursor is not one of this list. Begin without one.",
    "The file is larger than 10 MB.",
    "The owner of the account counts the reveals of the team.",
    "There is no such file.",
    "There is no such payment.",
    "There is no such picture.",
    "There is no such transaction.",
    "Too many changes at once.",
    "You can count your own reveals and those of your team.",
}
NUMBER = re.compile(r"\d[\d,]*")


def messages(path: Path) -> Iterator[str]:
    """Yield the texts that a module raises: literals, and constants of the module."""
    tree = ast.parse(path.read_text())
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    calls = (
        call
        for raised in ast.walk(tree)
        if isinstance(raised, ast.Raise)
        for call in ast.walk(raised)
        if isinstance(call, ast.Call)
    )
    for call in calls:
        for argument in call.args:
            for value in argument.values if isinstance(argument, ast.Dict) else [argument]:
                text = constants.get(value.id) if isinstance(value, ast.Name) else value
                if isinstance(text, ast.Constant) and isinstance(text.value, str) and " " in text.value:
                    yield text.value


def translated(language: str) -> set[str]:
    source = (ROOT / f"frontend/src/texts/{language}/refusals.ts").read_text()
    return set(re.findall(r'^  "(.*?)": "', source, re.MULTILINE))


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != DEFAULT])
def test_every_error_shown_on_screens_is_translated(language: str) -> None:
    known = translated(language)
    sources = [path for folder in ("product", "scripts") for path in (ROOT / folder).rglob("*.py")]
    paths = [path for path in sources if not ELSEWHERE.match(str(path.relative_to(ROOT)))]
    raised = {text for path in paths for text in messages(path)}
    missing = {text for text in raised if not {text, NUMBER.sub("{{number}}", text)} & known}
    assert missing == FOR_PROGRAMS


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != DEFAULT])
def test_every_translation_belongs_to_a_text_of_the_server(language: str) -> None:
    paths = [path for folder in ("product", "sandbox", "scripts", "tableapi") for path in (ROOT / folder).rglob("*.py")]
    code = "".join(path.read_text() for path in [*paths, ROOT / "policy.py"])
    patterns = re.sub(r"\{[^{}\n]*\}", "{{number}}", code)  # of f-strings
    assert [text for text in translated(language) if text not in code and text not in patterns] == []
