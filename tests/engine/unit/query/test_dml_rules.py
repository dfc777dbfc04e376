"""Which fields a row rule reads, and whether it may reject a row after it is written."""

from __future__ import annotations

import pytest

from tableapi.auth.rights import Right
from tableapi.query.dml.target import may_reject, touches
from tests.engine.unit.query.test_dml import ANY, OWN, PERSON


@pytest.mark.parametrize(
    ("right", "names", "reads"),
    [(ANY, ("company_id",), False), (OWN, ("company_id", "name"), True), (OWN, ("name",), False)],
)
def test_a_row_rule_touches_the_fields_that_it_reads(right: Right, names: tuple[str, ...], reads: bool) -> None:
    assert touches(right, PERSON, names) is reads


@pytest.mark.parametrize(
    ("right", "verb", "names", "refuses"),
    [
        (ANY, "POST", ("name",), False),
        (OWN, "POST", ("name",), False),  # the value set on create satisfies the rule
        (Right(rows=OWN.rows), "POST", ("name",), True),
        (Right(rows=lambda table, actor: actor.companyid == 7), "POST", ("name",), True),
        (OWN, "PATCH", ("name",), False),
        (OWN, "PATCH", ("company_id",), True),
    ],
)
def test_a_row_rule_may_reject_a_written_row(right: Right, verb: str, names: tuple[str, ...], refuses: bool) -> None:
    assert may_reject(right, PERSON, verb, names) is refuses
