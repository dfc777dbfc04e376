"""Nested records are subject to the hooks and rights of their own table."""

from __future__ import annotations

from tests.helpers.product import Account, Product


async def test_a_seat_cannot_be_created_or_changed_inside_another_record(product: Product, account: Account) -> None:
    owner = account.owner
    member = await account.user()
    before = await product.db.fetch("select * from appuser where clientid = $1 order by appuserid", account.clientid)
    fresh = {"name": "By The Back Door", "email": "door@test-company.example", "role": "member"}
    for nested in (
        fresh,
        {"appuserid": member.appuserid, "isactive": 0},
        {"appuserid": member.appuserid, "role": "admin"},
    ):
        record = {"clientid": account.clientid, "companyname": "Same", "appuser_by_clientid": [nested]}
        response = await owner.table("PATCH", "client", record)
        assert response.status_code in (400, 403), response.text
    after = await product.db.fetch("select * from appuser where clientid = $1 order by appuserid", account.clientid)
    assert after == before


async def test_a_paid_contact_cannot_be_created_inside_another_record(product: Product, account: Account) -> None:
    record = {"clientid": account.clientid, "usercontact_by_clientid": [{"name": "X", "phonecost": 1}]}
    response = await account.owner.table("PATCH", "client", record)
    assert response.status_code in (400, 403), response.text
    assert await product.db.fetchval("select count(*) from usercontact where clientid = $1", account.clientid) == 0
