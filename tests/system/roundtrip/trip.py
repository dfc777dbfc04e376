"""Import people, find, reveal, list and export them, and import the export: every value stays."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from product.people import directory, phones, search_terms
from product.people.import_file import HEADER
from tableapi.ratelimit import counter
from tests.helpers.product import API, Product, User
from tests.helpers.support import ok
from tests.system.roundtrip.people import Made

COLUMNS = (*HEADER, "city")
HOST = "https://www.linkedin.com/"
KINDS = ("directdial", "businessemail", "personalemail")
# People of a request: an import into a list, a reveal of several people, an export.
LISTED, REVEALED, EXPORTED = 1000, 100, 5000
Reading = Mapping[str, object]


async def travel(product: Product, folder: Path, made: Sequence[Made]) -> list[str]:
    """Return what differs from the people that were made, at most a few lines."""
    counter.use(counter.NoLimits())
    keys = [one.key for one in made]
    wrong = Differences()
    await _import(product, _file(folder / "people.csv", made), len(made), wrong)
    before = await _stored(product, keys)
    for one in made:
        wrong.compare("import", one.key, _given(one), before.get(one.key))

    account = await product.account()
    await account.set_credits(10 * len(made))
    user = account.owner
    await _search(user, made, before, wrong)
    await _reveal(user, made, before, wrong)
    for number, part in enumerate(_parts(made, EXPORTED)):
        listid = await _list(user, part, wrong)
        form = ("csv", "xlsx")[number % 2]
        path = folder / f"export-{number}.{form}"
        query: dict[str, Any] = {"listid": listid, "format": form, "columns": ",".join(COLUMNS)}
        response = await user.http.get(API + "listexport", params=query)
        assert response.status_code == 200, response.text
        path.write_bytes(response.content)
        await _import(product, path, len(part), wrong)
    after = await _stored(product, keys)
    for key in keys:
        wrong.compare("export and import", key, before.get(key), after.get(key))
    return wrong.lines


class Differences:
    """The first differences."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def compare(self, step: str, key: str, expected: object, found: object) -> None:
        if expected != found and len(self.lines) < 20:
            self.lines.append(f"{step}: {key}\n  expected {expected}\n  found    {found}")


def _parts(made: Sequence[Made], size: int) -> Iterator[Sequence[Made]]:
    return (made[begin : begin + size] for begin in range(0, len(made), size))


def _file(path: Path, made: Sequence[Made]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(one.cells for one in made)
    return path


async def _import(product: Product, path: Path, count: int, wrong: Differences) -> None:
    done = await product.scripts.run_job("importpeople", {"file": str(path)})
    wrong.compare(path.name, "imported, skipped, left out", (count, 0, 0), (done.imported, done.skipped, done.left_out))


def _given(one: Made) -> Reading:
    """Return the reading of a line, as a file of plain values gives it."""
    cells = one.cells
    numbers = [phones.dialled(number, cells["country"]) for number in cells["phones"].split(";") if number]
    return {name: cells[name] for name in ("full_name", "title", "company", "city")} | {
        "country": search_terms.country_known(cells["country"]), "company_domain": cells["company_domain"].lower(),
        "personal": sorted(filter(None, cells["personal_emails"].split(";"))),
        "business": sorted(filter(None, cells["business_emails"].split(";"))), "phones": sorted(set(numbers)),
    }  # fmt: skip


async def _stored(product: Product, keys: Sequence[str]) -> dict[str, Reading]:
    return {
        key: {name: getattr(one, name) for name in ("full_name", "title", "company", "country", "city")} | {
            "company_domain": one.company_domain, "personal": sorted(one.personal),
            "business": sorted(address for address, _ in one.business),
            "phones": sorted({phones.dialled(number, one.country) for number in one.phones}),
        }
        for key, one in (await directory.find_many(product.ctx, keys)).items()
    }  # fmt: skip


async def _search(user: User, made: Sequence[Made], before: Mapping[str, Reading], wrong: Differences) -> None:
    """Find the people of each company by the last word of its name."""
    for part in _parts(made, 50):
        number = part[0].cells["company"].rpartition(" ")[2]
        response = await user.post("searchpeople", company=[number], limit=50)
        found = {_key(row["linkedinurl"]): row["full_name"] for row in ok(response)["resource"]}
        wrong.compare("search", number, {one.key: before[one.key]["full_name"] for one in part}, found)


async def _reveal(user: User, made: Sequence[Made], before: Mapping[str, Reading], wrong: Differences) -> None:
    for part in _parts(made, REVEALED):
        urls = [one.cells["linkedinurl"] for one in part]
        response = await user.post("revealmany", linkedinurls=urls, kinds=list(KINDS))
        charged = {_key(row["linkedinurl"]): row["charged"] for row in ok(response)["resource"]}
        kinds = {
            one.key: sum(bool(before[one.key][kind]) for kind in ("personal", "business", "phones")) for one in part
        }
        wrong.compare("reveal", part[0].key, kinds, charged)


async def _list(user: User, made: Sequence[Made], wrong: Differences) -> int:
    response = await user.table("POST", "contactlist", {"name": "Trip"})
    listid = int(response.json()["resource"][0]["listid"])
    for part in _parts(made, LISTED):
        text = "\n".join(one.cells["linkedinurl"] for one in part)
        response = await user.post("listimport", listid=listid, text=text)
        assert response.status_code == 200, response.text
        wrong.compare("list", part[0].key, (len(part), []), (response.json()["added"], response.json()["resource"]))
    return listid


def _key(address: str) -> str:
    return unquote(address.removeprefix(HOST))
