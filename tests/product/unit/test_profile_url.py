"""Every spelling of one profile URL yields one key; other texts are rejected."""

from __future__ import annotations

import pytest

from product.people.profile_url import NotAProfile, key_of, url_of

SPELLINGS = [
    "https://www.linkedin.com/in/jane-doe",
    "https://www.linkedin.com/in/jane-doe/",
    "http://linkedin.com/in/jane-doe",
    "linkedin.com/in/jane-doe",
    "www.linkedin.com/in/jane-doe/",
    "//www.linkedin.com/in/jane-doe",
    "  https://uk.linkedin.com/in/jane-doe  ",
    "https://de.linkedin.com/in/jane-doe/?originalSubdomain=de",
    "HTTPS://WWW.LinkedIn.COM/in/jane-doe",
    "https://www.linkedin.com:443/in/jane-doe",
    "https://www.linkedin.com./in/jane-doe",
    "https://www.linkedin.com/in/jane-doe#experience",
    "https://www.linkedin.com/in/jane-doe?trk=a#b",
    "https://www.linkedin.com/in/jane-doe//",
    "https://www.linkedin.com//in//jane-doe",
    "https://www.linkedin.com/in/jane%2Ddoe/",
    "https://www.linkedin.com/in/Jane-Doe/",
    "https://www.linkedin.com/in/jane-doe/de",
    "https://www.linkedin.com/in/jane-doe/details/skills/",
    "https://www.linkedin.com/mwlite/in/jane-doe",
    "https://m.linkedin.com/m/in/jane-doe/",
    "\ufeffhttps://www.linkedin.com/in/jane-doe\u200b",
    "\u200ehttps://www.linkedin.com/in/ja\u00adne-doe\u200e",
    "https://www.linkedin.com/in/jane-doe%E2%80%8B",
    "https://www.linkedin.com/in/jane-doe).",
]
REJECTED = [
    "",
    "   ",
    "jane-doe",
    "https://example.com/in/jane-doe",
    "https://linkedin.com.example.com/in/jane-doe",
    "https://notlinkedin.com/in/jane-doe",
    "https://example.com/linkedin.com/in/jane-doe",
    "https://linkedin.com@example.com/in/jane-doe",
    "https://jane@linkedin.com/in/jane-doe",
    "https://www.linkedin.com",
    "https://www.linkedin.com/",
    "https://www.linkedin.com/in/",
    "https://www.linkedin.com/in/jane doe",
    "https://www.linkedin.com/in/jane\x00doe",
    "https://www.linkedin.com/in/%ff%fe",
    "https://www.linkedin.com/in/" + "x" * 500,
    "https://www.linkedin.com/in/jane-doe?miniProfileUrn=urn%3Ali%3Afs_miniProfile%3AACoAA",
    "https://www.linkedin.com/in/jane-doe?a=b&MINIPROFILEURN=x",
    "https://www.linkedin.com/in/jane-doe?mini%50rofileUrn=x",
    "https://www.linkedin.com/in/jane-doe#miniProfileUrn=x",
    "https://www.linkedin.com/in/..",
    "https://www.linkedin.com/in/./jane-doe",
    "https://www.linkedin.com/mwlite/in/",
    "ftp://www.linkedin.com/in/jane-doe",
    "javascript:alert(1)//linkedin.com/in/x",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_every_spelling_has_the_same_key(text: str) -> None:
    assert key_of(text) == "in/jane-doe"


@pytest.mark.parametrize("text", REJECTED)
def test_everything_else_is_rejected(text: str) -> None:
    with pytest.raises(NotAProfile):
        key_of(text)


def test_percent_encoding_and_unicode_forms_have_the_same_key() -> None:
    assert key_of("linkedin.com/in/jos%C3%A9") == key_of("linkedin.com/in/josé") == key_of("linkedin.com/in/jose\u0301")


def test_the_address_of_a_key_has_that_key() -> None:
    assert key_of(url_of("in/josé-1")) == "in/josé-1"


def test_another_profile_host_can_be_configured() -> None:
    assert key_of("https://www.people.test/in/x", "people.test") == "in/x"
    with pytest.raises(NotAProfile):
        key_of("https://www.linkedin.com/in/x", "people.test")
