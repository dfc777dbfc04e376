"""Staff can ask why a user is refused, and get the rule without the user's rows."""

from __future__ import annotations

from tests.helpers.desk import staff
from tests.helpers.product import TABLE, Account, Product
from tests.helpers.support import ok, rejection


async def test_staff_can_see_the_rule_of_a_role(product: Product, account: Account) -> None:
    member = await staff(product)
    asked = {"Prefer": f"explain=rights; role=member; clientid={account.clientid}; appuserid=1"}
    response = await member.http.get(f"{TABLE}savedsearch", headers=asked)
    said = ok(response)
    assert (said["role"], said["allowed"], said["rule"]) == ("member", None, "POLICY['savedsearch'].read")
    assert "clientid = your clientid" in said["rows"]
    assert "refusal" not in said


async def test_users_may_not_explain_rights(product: Product, account: Account) -> None:
    response = await account.owner.http.get(f"{TABLE}appuser", headers={"Prefer": "explain=rights"})
    assert rejection(response) == (403, "no_explain")
