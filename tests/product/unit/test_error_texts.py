"""Errors have a text in each language of the app, by their case or reason and never by the English sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import get_args

import pytest
from pydantic_core.core_schema import ErrorType

from product.language import DEFAULT, LANGUAGES
from sandbox.stripe import cards
from tests.helpers.messages import Message, messages
from tests.helpers.support import ROOT

# Modules with messages for staff, commands, providers, agents and settings, but not for screens of the app.
ELSEWHERE = re.compile(
    r"scripts/(desk|jobs|webhooks)\b|product/(desk|demo|people|sample|settings|idempotent)\b|product/vendors/(drop|mail)\b"
    r"|product/authorization/(documents|form|grants)\b|scripts/oauth/(register|token|revoke)\b"
)
# Errors of requests that no screen sends.
FOR_PROGRAMS = {
    "app_key_alone", "bad_client", "bad_signature", "card_number", "column_unknown", "cursor_of_another_list",
    "deleted", "desk_only", "field_fixed", "field_not_writable", "file_too_large", "file_type", "key_elsewhere",
    "key_fixed", "key_misnamed", "key_missing", "key_of_app", "test_key",
    "no_downgrade_record", "no_key", "no_such_file", "no_such_payment", "no_such_picture", "no_such_transaction",
    "not_0_or_1", "not_a_date", "not_downgrade", "not_one_line", "not_register_or_social", "one_key", "one_list",
    "one_member", "one_record", "one_search", "people_or_companies", "reveals_of_owner",
    "reveals_of_team", "role_unknown", "scope",
    "string_type", "text_not_utf8", "token_or_credential", "too_many_changes", "too_many_people", "too_many_votes",
    "urls_or_search", "which_member", "which_session", "which_user",
}  # fmt: skip
# Reasons with several messages that one text fits: to sign in again, to try again, and that it belongs to another.
GENERAL = {"no_session", "busy", "tenant_mismatch"}
# Codes of Stripe that its sandbox does not send.
STRIPE = {
    "card_declined", "card_not_supported", "do_not_honor", "incorrect_cvc", "incorrect_number", "processing_error",
}  # fmt: skip

OTHERS = [language for language in LANGUAGES if language != DEFAULT]


def raised(*more: str) -> tuple[Message, ...]:
    return messages("product", "scripts", "policy.py", *more)


def translated(language: str) -> dict[str, str]:
    source = (ROOT / f"frontend/src/texts/{language}/errors.ts").read_text()
    return dict(re.findall(r'^  (\w+): "(.*)",$', source, re.MULTILINE))


@pytest.mark.parametrize("language", OTHERS)
def test_every_error_shown_on_screens_is_translated(language: str) -> None:
    shown = {message.word for message in raised() if not ELSEWHERE.match(message.place)}
    assert shown - translated(language).keys() == FOR_PROGRAMS


@pytest.mark.parametrize("language", OTHERS)
def test_every_translation_belongs_to_an_error(language: str) -> None:
    known = {message.word for message in raised("tableapi")}
    known |= {*get_args(ErrorType), *cards._MESSAGES, *STRIPE}
    assert translated(language).keys() - known == set()


@pytest.mark.parametrize("language", OTHERS)
def test_a_translated_case_has_one_message(language: str) -> None:
    texts = defaultdict(set)
    for message in raised("tableapi"):
        texts[message.word].add(re.sub(r"\{\w*\}", "{}", message.text))
    words = translated(language).keys() - GENERAL
    assert {word: texts[word] for word in words if len(texts[word]) > 1} == {}


def test_a_case_of_the_product_has_one_message() -> None:
    texts = defaultdict(set)
    for message in raised():
        texts[message.word].add(message.text)
    several = {word for word, found in texts.items() if len(found) > 1}
    # Reasons of commands and of a platform that only operators deal with.
    assert several == {"bad_archive", "bad_file", "drop_unavailable"}
