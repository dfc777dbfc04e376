"""Records under the names of their table, and suggestions for misspelt names."""

from __future__ import annotations

from typing import Any

import pytest

from tableapi.auth.rights import Right
from tableapi.errors import DuplicateField
from tableapi.query.spelling import MAX_CANDIDATES, spelled, suggestion, unknown_field
from tests.helpers.memory_schema import shop

PERSON = shop().tables["person"]


@pytest.mark.parametrize(
    ("record", "row"),
    [
        ({"name": 1}, {"name": 1}),
        ({"NAME": 1, "Company_By_Company_Id": {}}, {"name": 1, "company_by_company_id": {}}),
        ({"Colour": 1}, {"Colour": 1}),
    ],
)
def test_a_record_gets_the_names_of_its_table(record: dict[str, Any], row: dict[str, Any]) -> None:
    assert spelled(PERSON, record) == row


def test_a_field_in_two_spellings_is_rejected() -> None:
    with pytest.raises(DuplicateField):
        spelled(PERSON, {"name": 1, "Name": 2})


@pytest.mark.parametrize(
    ("name", "candidates", "text"),
    [
        ("nmae", ["name", "age"], " Did you mean 'name'?"),
        ("NAEM", ["Name"], " Did you mean 'Name'?"),
        ("company_by_id", ["company_by_company_id"], ""),
        ("company_by_compny_id", ["company_by_company_id"], " Did you mean 'company_by_company_id'?"),
        ("company", ["company_by_company_id", "company_by_id", "person"], " Did you mean 'company_by_id'?"),
        ("x", ["name"], ""),
        ("", ["name"], ""),
        ("n" * 64, ["n" * 64], ""),
        ("name1", [f"name{number}" for number in range(2, MAX_CANDIDATES + 5)], ""),
    ],
)
def test_the_closest_name_is_suggested(name: str, candidates: list[str], text: str) -> None:
    assert suggestion(name, candidates) == text


def test_a_hidden_field_is_never_suggested() -> None:
    assert "email" in unknown_field("emial", PERSON, Right()).message
    assert "Did you mean" not in unknown_field("emial", PERSON, Right(readable=frozenset(("id",)))).message
