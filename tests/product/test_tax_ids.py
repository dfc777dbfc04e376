"""Tax numbers of accounts are checked by the rules of their country, at both calls that write them."""

from __future__ import annotations

import httpx2
import pytest

from tests.helpers.product import Account


async def save(account: Account, way: str, **fields: object) -> httpx2.Response:
    """Write company fields of an account: to its own table, or with the profile of its owner."""
    if way == "client":
        return await account.owner.table("PATCH", f"client/{account.clientid}", dict(fields))
    return await account.owner.table("PATCH", "appuser", {"appuserid": account.owner.appuserid, **fields})


async def stored(account: Account) -> str:
    return str(await account.product.db.fetchval("select taxid from client where clientid = $1", account.clientid))


@pytest.mark.parametrize("way", ["client", "appuser"])
@pytest.mark.parametrize(("number", "country", "case"), [
    ("DE136695978", None, "taxid_checksum"), ("DE123", None, "taxid_length"), ("136695978", "DEU", "taxid_checksum"),
    ("EL094259217", None, "taxid_checksum"), ("GR094259", "USA", "taxid_length"),
    ("XI432525178", None, "taxid_checksum"),
    ("CHE-107.787.578 MWST", None, "taxid_checksum"), ("CHE-107.787.578", "CHE", "taxid_checksum"),
    ("07-1234567", "USA", "taxid_component"), ("US 00-0000000", None, "taxid_component"),
    ("12-345678", "USA", "taxid_format"),
    ("XX123456", None, "taxid_prefix"), ("FR40303265046", "FRA", "taxid_checksum"),
    ("ATU1358562A", None, "taxid_format"),
    ("NO995525829MVA", None, "taxid_checksum"), ("BR16.727.230/0001-98", "BRA", "taxid_checksum"),
])  # fmt: skip
async def test_a_wrong_number_is_rejected_with_the_reason(
    account: Account, way: str, number: str, country: str | None, case: str
) -> None:
    fields = {"taxid": number} | ({"country": country} if country else {})
    response = await save(account, way, **fields)
    assert response.status_code == 422, response.text
    error = response.json()["error"]["context"]
    assert (error["field_errors"], list(error["fields"])) == ({"taxid": {"case": case}}, ["taxid"])
    assert await stored(account) == ""


@pytest.mark.parametrize("way", ["client", "appuser"])
@pytest.mark.parametrize("country", ["Narnia", "XX", "ZZZ"])
async def test_a_country_is_a_code_of_iso_3166(account: Account, way: str, country: str) -> None:
    response = await save(account, way, country=country)
    assert response.status_code == 422, response.text
    assert response.json()["error"]["context"]["field_errors"] == {"country": {"case": "country_invalid"}}


@pytest.mark.parametrize("way", ["client", "appuser"])
@pytest.mark.parametrize(("number", "country"), [
    ("", None), ("DE 136 695 976", None), ("136695976", "DEU"), ("181/815/0815 5", "DEU"), ("EL094259216", None),
    ("GR 094259216", "GRC"), ("094259216", "GRC"), ("XI432525179", None), ("GB980780684", "GBR"),
    ("CHE-107.787.577", "CHE"), ("CHE-107.787.577 MWST", None), ("CHE107787577IVA", "ITA"), ("12-3456789", "USA"),
    ("US12-3456789", None), ("NO995525828MVA", None), ("995525828", "NOR"), ("ATU13585627", "AUT"),
    ("NL4495445B01", None),
    ("ESB58378431", None), ("B58378431", "ESP"), ("EU372022452", None), ("GODE561231GR8", "MEX"),
    ("27AAPFU0939F1ZV", "IND"),
    ("IM 12", "IMN"), ("anything 1", None), ("BO 12345", "BOL"),
])  # fmt: skip
async def test_a_right_number_is_stored_as_it_was_typed(
    account: Account, way: str, number: str, country: str | None
) -> None:
    fields = {"taxid": number} | ({"country": country} if country else {})
    response = await save(account, way, **fields)
    assert response.status_code == 200, response.text
    assert await stored(account) == number


@pytest.mark.parametrize("way", ["client", "appuser"])
async def test_the_stored_country_applies_to_a_number_without_a_prefix(account: Account, way: str) -> None:
    assert (await save(account, way, country="DEU")).status_code == 200
    assert (await save(account, way, taxid="136695978")).status_code == 422
    assert (await save(account, way, taxid="136695976")).status_code == 200


@pytest.mark.parametrize("way", ["client", "appuser"])
async def test_an_unchanged_number_of_earlier_times_does_not_hinder_other_changes(account: Account, way: str) -> None:
    await account.product.db.execute("update client set taxid = 'DE123' where clientid = $1", account.clientid)
    assert (await save(account, way, taxid="DE123", department="Sales")).status_code == 200
    assert (await save(account, way, taxid="DE124")).status_code == 422
    assert await stored(account) == "DE123"
