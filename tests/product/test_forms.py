"""The form of values in responses of the product's calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.helpers.product import API, Account, Product

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:.*")
_OF_CALLS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_OF_TABLES = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00")


def _times(value: Any) -> Iterator[str]:
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from [part] if isinstance(part, str) and _TIME.fullmatch(part) else _times(part)


async def test_times_of_calls_are_rfc_3339_in_utc_and_those_of_tables_the_text_of_postgresql(
    product: Product, account: Account
) -> None:
    owner, person = account.owner, await product.person()
    created = await owner.table("POST", "apikeys", {"purpose": "CRM", "scopes": ["contacts", "enrich"]})
    member = await owner.table("POST", "appuser", {"name": "Max Member", "email": "max.member@forms.example"})
    row = created.json()["resource"][0]
    keyed = product.caller(key=row["apikey"])
    wanted = {"people": [{"linkedinurl": f"linkedin.com/{person.key}"}], "kinds": ["businessemail"]}
    calls = [
        await keyed.post(f"{API}enrich", json=wanted), await keyed.get(f"{API}account/contacts"),
        await keyed.get(f"{API}account/credits"), await keyed.post(f"{API}verifyemail", json={"email": "a@b.example"}),
        await owner.http.get(f"{API}user/session"), await owner.post("searchpeople", name=person.full_name),
        await owner.post("rotateapikey", keyid=row["keyid"]), await owner.post("rotateapikey", keyid=row["keyid"]),
    ]  # fmt: skip
    for response in calls:
        times = [*_times(response.json())]
        assert times, (response.url, response.text)
        assert all(map(_OF_CALLS.fullmatch, times)), (response.url, times)
    for response in (created, member, await owner.table("GET", "apikeys"), await owner.table("GET", "client")):
        times = [*_times(response.json())]
        assert times, response.text
        assert all(map(_OF_TABLES.fullmatch, times)), (response.url, times)
