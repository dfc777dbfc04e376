"""Which writes have conditions on single fields."""

from __future__ import annotations

import pytest

from tableapi.auth.rights import Right
from tableapi.query.dml import conditions
from tests.helpers.memory_schema import TableRights, shop

PERSON = shop().tables["person"]
RULE = Right(rows=lambda table, actor: table.c.id == actor.companyid)
LIMITED = Right(editable_in={"vip": lambda table, actor: table.c.age > 5})


@pytest.mark.parametrize(
    ("right", "rights", "names", "concerned"),
    [
        (Right(), TableRights(), ("company_id",), False),
        (Right(), TableRights(company=RULE), ("company_id",), True),
        (Right(), TableRights(company=RULE), ("name",), False),
        (Right(), TableRights(company=None), ("company_id",), False),
        (LIMITED, TableRights(), ("vip",), True),
        (LIMITED, TableRights(), ("name",), False),
    ],
)
def test_a_write_has_conditions_only_if_a_rule_reads_its_fields(
    right: Right, rights: TableRights, names: tuple[str, ...], concerned: bool
) -> None:
    assert conditions.concern(PERSON, right, rights, names) is concerned
