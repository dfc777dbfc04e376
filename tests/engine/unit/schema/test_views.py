"""The origins of the columns of views, from their stored definitions."""

from __future__ import annotations

import pytest

from tableapi.schema import views


def entry(number: int, origin: tuple[int, int], name: str = "x", expression: str = "{VAR :varno 1}") -> str:
    table, column = origin
    return (
        f"{{TARGETENTRY :expr {expression} :resno {number} :resname {name} :ressortgroupref 0 "
        f":resorigtbl {table} :resorigcol {column} :resjunk false}}"
    )


def query(*entries: str, inner: str = "") -> str:
    return f"({{QUERY :commandType 1 :rtable ({inner}) :targetList ({' '.join(entries)}) :override 0}})"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (query(entry(1, (5, 2)), entry(2, (5, 3))), {1: (5, 2), 2: (5, 3)}),
        (query(entry(1, (0, 0)), entry(2, (5, 3))), {2: (5, 3)}),
        (query(entry(1, (5, 2)).replace(":resjunk false", ":resjunk true")), {}),
        (query(entry(1, (5, 2), r"odd\ \{name\)")), {1: (5, 2)}),
        # target lists of sub-selects do not count, whether before or inside the view's own
        (query(entry(1, (5, 2)), inner=f"{{RTE :subquery {query(entry(1, (9, 9)))[1:-1]}}}"), {1: (5, 2)}),
        (query(entry(1, (0, 0), expression="{SUBLINK :subselect " + query(entry(1, (9, 9)))[1:-1] + "}")), {}),
        ("", {}),
    ],
)
def test_columns_are_found_in_a_definition(text: str, columns: dict[int, tuple[int, int]]) -> None:
    assert views.targets(text) == columns


def test_an_origin_is_followed_through_views() -> None:
    definitions = {10: query(entry(1, (5, 2)), entry(2, (0, 0))), 11: query(entry(1, (10, 1)), entry(2, (10, 2)))}
    assert views.origins(definitions) == {10: {1: (5, 2)}, 11: {1: (5, 2)}}


def test_mutually_recursive_views_terminate() -> None:
    assert views.origins({10: query(entry(1, (11, 1))), 11: query(entry(1, (10, 1)))}) == {10: {}, 11: {}}
