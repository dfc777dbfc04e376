"""Files of other programs have one reading at every door: tests/data/corpus.

`files.json` has the people of each file, with its source. People, their addresses and numbers are made up.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from product.people import directory, phones
from tableapi.errors import ApiError
from tests.helpers.product import API, Account, Product, User
from tests.helpers.support import ROOT, ok

CORPUS = ROOT / "tests" / "data" / "corpus"
FILES = json.loads((CORPUS / "files.json").read_text())
HOST = "https://www.linkedin.com/"


async def _list(user: User) -> int:
    response = await user.table("POST", "contactlist", {"name": "Corpus"})
    return int(response.json()["resource"][0]["listid"])


async def _listed(user: User, file: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Import a file into a new list, and return the response and the people on the list."""
    listid = await _list(user)
    response = await user.post("listimport", listid=listid, file=base64.b64encode(file).decode())
    items = await user.table("GET", "contactlistitem", filter=f"(listid={listid})", limit=1000)
    return ok(response), items.json()["resource"]


async def _looked_up(user: User, file: bytes) -> list[str]:
    """Begin a bulk look-up of a file that may cost nothing, and return its addresses."""
    response = await user.http.post(API + "bulklookup", params={"max_credits": 0}, files={"files": ("x.csv", file)})
    assert response.status_code == 202, response.text
    job = await user.http.delete(f"{API}bulklookup/{response.json()['jobid']}")
    return [row["linkedinurl"] for row in job.json()["rows"]]


async def _imported(product: Product, file: Path) -> Any:
    return await product.scripts.run_job("importpeople", {"file": str(file)})


async def _stored(product: Product, key: str) -> dict[str, Any]:
    person = await directory.find(product.ctx, key)
    assert person is not None, key
    return {
        "key": person.key, "name": person.full_name, "company": person.company, "title": person.title,
        "country": person.country, "city": person.city,
        "emails": [*person.personal, *(address for address, _ in person.business)],
        "phones": [phones.dialled(number, person.country) for number in person.phones],
    }  # fmt: skip


def test_every_file_has_a_reading_and_a_source() -> None:
    names = {path.name for path in CORPUS.iterdir()} - {"files.json", "values.json"}
    assert names == {one["file"] for one in FILES}
    assert len(FILES) >= 60
    assert all(one["source"] and one["people"] for one in FILES)


@pytest.mark.parametrize("known", FILES, ids=lambda one: one["file"])
async def test_every_door_reads_a_file_alike(
    unlimited: Product, account: Account, tmp_path: Path, known: dict[str, Any]
) -> None:
    data, people = (CORPUS / known["file"]).read_bytes(), known["people"]
    path = tmp_path / known["file"]
    path.write_bytes(data)
    keys = sorted(one["key"] for one in people if "key" in one)
    if all("name" in one and "key" in one for one in people):
        done = await _imported(unlimited, path)
        assert (done.imported, done.skipped, done.left_out) == (len(people), 0, 0)
        for one in people:
            stored = await _stored(unlimited, one["key"])
            assert {name: stored[name] for name in one} == one
    else:  # the directory needs an address and a name; lists do not
        with pytest.raises(ApiError, match="first line"):
            await _imported(unlimited, path)
        for one in people:
            if "key" not in one:
                await unlimited.person(full_name=one["name"], company=one["company"])
            elif await directory.find(unlimited.ctx, one["key"]) is None:
                await unlimited.person(one["key"].removeprefix("in/"))
    response, items = await _listed(account.owner, data)
    assert (response["total"], response["added"], response["resource"]) == (len(people), len(people), [])
    assert response["encoding"] == (known["encoding"] or "utf-8")
    if keys:
        assert sorted(unquote(item["linkedinurl"].removeprefix(HOST)) for item in items) == keys
        found = [await _key(account.owner, address) for address in await _looked_up(account.owner, data)]
        assert sorted(found) == keys
    else:
        assert sorted(item["full_name"] for item in items) == sorted(one["name"] for one in people)


async def _key(user: User, address: str) -> str:
    """Return the key of the person that a search finds by an address."""
    response = await user.post("searchurl", linkedinurl=address, phone=True)
    (card,) = response.json()["data"]
    return unquote(card["linkedinurl"].removeprefix(HOST))
