"""Lines of the people file: accepted rows, and skipped lines with reasons."""

from __future__ import annotations

import orjson
import pytest

from product.people import phones
from product.people.import_file import LineReader
from tableapi.crypto.vault import Vault

GOOD = (
    b"https://www.linkedin.com/in/jane,Jane Doe,CEO,Acme,acme.example,USA,j@x.example,j@acme.example:valid,+12025550100"
)


def reader(*suppressed: bytes) -> LineReader:
    return LineReader(("secret",), "linkedin.com", frozenset(suppressed))


def test_a_row_has_no_contact_value_in_clear() -> None:
    parsed = reader().block(2, GOOD + b"\n")
    assert (parsed.good, parsed.bad) == (1, [])
    assert parsed.rows.startswith(
        b"2\tin/jane\tJane Doe\tCEO\tAcme\tacme.example\tUSA\t\t\t\tc_suite\tmanagement\tvalid\t\\\\x"
    )
    assert b"j@" not in parsed.rows
    assert b"2025550100" not in parsed.rows


def test_quotes_and_empty_values_are_escaped() -> None:
    parsed = reader().block(2, b'linkedin.com/in/x,"Doe, Jane","a\\b",,,,,,\r\n')
    assert b"\tDoe, Jane\ta\\\\b\t\t\t\t\t\t\tstaff\t\t\\N\t\\N\t\\N\t\\N\t" in parsed.rows


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"a,b,c", "expected 9 fields, found 3"),
        (b"example.com/in/x,Jane,,,,,,,", "not a profile address"),
        (b"linkedin.com/in/x,,,,,,,,", "full_name is empty"),
        (b'"linkedin.com/in/x,Jane,,,,,,,', "quote"),
        (b"linkedin.com/in/x,Jane\0,,,,,,,", "NUL"),
        (b"linkedin.com/in/x,\xff\xfe,,,,,,,", "UTF-8"),
        (b"linkedin.com/in/x," + b"x" * 400 + b",,,,,,,", "longer"),
    ],
)
def test_an_invalid_line_is_reported_by_number_and_does_not_stop_others(line: bytes, why: str) -> None:
    parsed = reader().block(7, GOOD + b"\n" + line + b"\n" + GOOD)
    assert parsed.good == 2
    assert parsed.bad[0][0] == 8
    assert why in parsed.bad[0][1]


@pytest.mark.parametrize(
    ("country", "typed", "kept"),
    [
        ("", "+12025550100", ["+12025550100"]),
        ("", "+1 (415) 555-0132", ["+1 (415) 555-0132"]),
        ("", "+44 (0)20 7946 0018", ["+44 (0)20 7946 0018"]),
        ("USA", "(415) 555-0132", ["+14155550132"]),
        ("United States", "415.555.0132", ["+14155550132"]),
        ("us", "1-415-555-0132", ["+14155550132"]),
        ("DEU", "0151/12345678", ["+4915112345678"]),
        ("ITA", "06 1234 5678", ["+390612345678"]),  # the zero is a part of Italian numbers
        ("", "+1-608-271-9000-x11", ["+16082719000 ext. 11"]),
        ("USA", "415-555-0132 ext. 12; (202) 555-0100", ["+14155550132 ext. 12", "+12025550100"]),
        ("", "tel:+1-201-555-0123;ext=4", ["+12015550123 ext. 4"]),  # RFC 3966
        ("", "tel:+4722123456; +4722123457", ["+4722123456", "+4722123457"]),
        ("", "+47\u00a022\u00a012\u00a034\u00a056", ["+4722123456"]),
        ("", "+33\u202f1\u202f23\u202f45\u202f67\u202f89", ["+33123456789"]),
        ("", "+1 415\u2011555\u20110132", ["+14155550132"]),
        ("", "\uff0b49 30 123456", ["+4930123456"]),
        ("", "\u202a+4722123456\u202c", ["+4722123456"]),  # as copied from an address book
        ("USA", "00 47 22 12 34 56", ["+4722123456"]),
        ("MEX", "044 55 1234 5678", ["+525512345678"]),
        ("ARG", "011 15-2345-6789", ["+5491123456789"]),
        ("", "'+4722123456", ["+4722123456"]),
        ("", '=""+4722123456""', ["+4722123456"]),
        ("", "0151 12345678", []),  # of an unknown country
        ("Atlantis", "0151 12345678", []),
        ("USA", "4.15556E+09", []),
        ("USA", "14155550132.0", []),
        ("USA", "call me", []),
        ("USA", "+1 415 555 0132 / 555 0133", []),
        ("USA", "n/a; +12025550100", ["+12025550100"]),
    ],
)
def test_a_phone_number_is_read_or_left_out_and_never_costs_the_person(
    country: str, typed: str, kept: list[str]
) -> None:
    line = f'linkedin.com/in/x,Jane,,,,{country},,,"{typed}"'.encode()
    parsed = reader().block(7, line)
    assert (parsed.good, parsed.bad) == (1, [])
    sealed = parsed.rows.decode().rstrip("\n").split("\t")[15].removeprefix("\\\\x")
    stored = [] if sealed == "\\N" else orjson.loads(Vault(["secret"]).open_bytes(bytes.fromhex(sealed)))
    assert stored == kept
    lost = len(phones.split(typed)) - len(kept)
    assert [number for number, _ in parsed.left_out] == [7] * lost
    assert not any("555" in reason for _, reason in parsed.left_out)


def test_people_on_the_removal_list_are_left_out() -> None:
    vault = Vault(["secret"])
    for kind, value in (("profile", "in/jane"), ("email", "j@x.example")):
        parsed = reader(vault.index(kind, value)).block(2, GOOD)
        assert (parsed.good, parsed.suppressed) == (0, 1)
