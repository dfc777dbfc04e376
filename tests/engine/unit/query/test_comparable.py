"""Capabilities of a field's type."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tableapi.errors import BadRequest
from tableapi.query.filter.comparable import check_operator, check_sortable
from tests.helpers.memory_schema import pg_type, shop

EQUAL_ONLY = replace(pg_type("text"), signs=frozenset(("=", "<>")))


@pytest.mark.parametrize("operator", ["=", "!=", "<>"])
def test_an_operator_of_the_type_passes(operator: str) -> None:
    check_operator(EQUAL_ONLY, operator, "name")
    check_operator(pg_type("text"), "<", "name")


@pytest.mark.parametrize("operator", ["<", "<=", ">"])
def test_an_operator_that_the_type_lacks_is_rejected(operator: str) -> None:
    with pytest.raises(BadRequest, match="Field 'name' has the type text") as refused:
        check_operator(EQUAL_ONLY, operator, "name")
    assert (refused.value.reason, refused.value.context) == ("bad_operator", {"field": "name"})


@pytest.mark.parametrize(("sorts", "groups", "grouped"), [(False, True, False), (True, False, True)])
def test_an_unsortable_field_is_rejected(sorts: bool, groups: bool, grouped: bool) -> None:
    column = shop().tables["person"].columns["name"]
    check_sortable(column, grouped=grouped)
    column.type = replace(column.type, sorts=sorts, groups=groups)
    check_sortable(column, grouped=not grouped)
    with pytest.raises(BadRequest) as refused:
        check_sortable(column, grouped=grouped)
    assert refused.value.reason == "bad_type"
