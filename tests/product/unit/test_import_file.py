"""Lines of the people file: accepted rows, and skipped lines with reasons."""

from __future__ import annotations

import pytest

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
        (b"linkedin.com/in/x,Jane,,,,,nonsense,,", "e-mail"),
        (b"linkedin.com/in/x,Jane,,,,,,j@acme.example:perhaps,", "validity"),
        (b"linkedin.com/in/x,Jane,,,,,,,call me", "phone"),
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


def test_people_on_the_removal_list_are_left_out() -> None:
    vault = Vault(["secret"])
    for kind, value in (("profile", "in/jane"), ("email", "j@x.example")):
        parsed = reader(vault.index(kind, value)).block(2, GOOD)
        assert (parsed.good, parsed.suppressed) == (0, 1)
