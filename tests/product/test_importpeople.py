"""tableapi run importpeople: valid lines are imported, invalid ones reported by number, repeats change nothing."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest

from product.people import directory
from product.people.import_file import HEADER
from tableapi.errors import ApiError
from tests.helpers.product import Account, Product

LINE = "https://www.linkedin.com/in/{slug}/,{name},CEO,Acme,acme.example,USA,{slug}@home.example,{slug}@acme.example:valid,+12025550177"


def _file(folder: Path, *lines: str, header: str = ",".join(HEADER)) -> Path:
    path = folder / "people.csv"
    path.write_text("\n".join((header, *lines)) + "\n")
    return path


@pytest.mark.parametrize("header", ["", "a,b,c", "linkedinurl;full_name"])
async def test_an_invalid_header_is_rejected(product: Product, tmp_path: Path, header: str) -> None:
    with pytest.raises(ApiError, match="first line"):
        await product.scripts.run_job("importpeople", {"file": str(_file(tmp_path, header=header))})


async def test_a_missing_file_is_rejected(product: Product, tmp_path: Path) -> None:
    with pytest.raises(ApiError, match="No such file"):
        await product.scripts.run_job("importpeople", {"file": str(tmp_path / "none.csv")})


async def test_invalid_lines_are_reported_by_number_and_strict_imports_nothing(
    product: Product, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unreadable = LINE.format(slug="imp-b", name="B").rpartition(",")[0] + ",ask reception"
    path = _file(tmp_path, LINE.format(slug="imp-a", name="A"), "broken", unreadable)
    with pytest.raises(ApiError, match="nothing was imported"):
        await product.scripts.run_job("importpeople", {"file": str(path), "strict": "1"})
    assert await product.db.fetchval("select count(*) from person where profilekey like 'in/imp-%'") == 0

    done = await product.scripts.run_job("importpeople", {"file": str(path)})
    assert (done.imported, done.skipped, done.left_out, done.exit_code) == (2, 1, 1, 3)
    printed = capsys.readouterr().err
    assert "line 3: expected 9 fields, found 1" in printed
    assert "line 4: a phone number cannot be read" in printed
    assert "1 value left out: a phone number cannot be read" in printed
    assert await product.db.fetchval("select count(*) from person where profilekey like 'in/imp-%'") == 2

    left = path.with_suffix(".left-out.csv")
    assert left.stat().st_mode & 0o777 == 0o600
    assert left.read_text() == (
        ",".join([*HEADER, "reason"]) + '\nbroken,"expected 9 fields, found 1"\n'
        f'{unreadable},"a phone number cannot be read; write it as +49 30 123456"\n'
    )
    left.write_text(
        left.read_text().replace("ask reception", "+12025550178").replace("broken", LINE.format(slug="imp-c", name="C"))
    )
    done = await product.scripts.run_job("importpeople", {"file": str(left)})
    assert (done.imported, done.exit_code) == (2, 0)
    assert await product.db.fetchval("select count(*) from person where profilekey like 'in/imp-%'") == 3


_CELLS = {
    "linkedinurl": "linkedin.com/in/{slug}", "full_name": "Ann Lee", "title": "CEO", "company": "Acme",
    "company_domain": "acme.example", "country": "USA", "personal_emails": "",
    "business_emails": "ann@acme.example:valid", "phones": "+12025550177",
}  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "stored", "reasons"),
    [
        ({"personal_emails": "n/a;ann@home.example"}, {"personal": ["ann@home.example"]}, ["e-mail"]),
        ({"business_emails": "ann@acme.example:Valid"}, {"business": [["ann@acme.example", "valid"]]}, []),
        ({"business_emails": "ann@acme.example: VALID "}, {"business": [["ann@acme.example", "valid"]]}, []),
        ({"business_emails": "a@acme.example:ok;b@"}, {"business": [["a@acme.example", "unknown"]]},
         ["verification", "e-mail"]),
        ({"personal_emails": '"Ann Lee <ann@home.example>"'}, {"personal": ["ann@home.example"]}, []),
        ({"personal_emails": '"a@home.example, mailto:b@home.example; A@Home.example"'},
         {"personal": ["a@home.example", "b@home.example"]}, []),
        ({"personal_emails": "ann lee@home.example"}, {"personal": []}, ["e-mail"]),
        ({"title": "'=Head", "company_domain": "https://www.Acme.example/de"},
         {"title": "=Head", "company_domain": "acme.example"}, []),
        ({"phones": '"+12025550177, +12025550178, +12025550177"'}, {"phones": ["+12025550177", "+12025550178"]}, []),
        ({"title": "x" * 301}, {"title": ""}, ["title is longer"]),
        ({"title": '"Head of\nSales"'}, {"title": "Head of Sales"}, []),
        ({"title": '"Head, ""EMEA""\r\n\r\nSales"'}, {"title": 'Head, "EMEA" Sales'}, []),
        ({"phones": "extension 5;+12025550178"}, {"phones": ["+12025550178"]}, ["phone"]),
    ],
)  # fmt: skip
async def test_a_value_that_cannot_be_read_does_not_cost_the_person(
    product: Product, tmp_path: Path, cells: dict[str, str], stored: dict[str, object], reasons: list[str]
) -> None:
    slug = f"cell-{secrets.token_hex(4)}"
    line = ",".join((_CELLS | cells).values()).replace("{slug}", slug)
    path = _file(tmp_path, line, LINE.format(slug=f"{slug}-next", name="Next"))
    done = await product.scripts.run_job("importpeople", {"file": str(path)})
    assert (done.imported, done.skipped, done.left_out) == (2, 0, len(reasons))
    person = await directory.find(product.ctx, f"in/{slug}")
    assert person is not None
    for name, value in stored.items():
        assert json.loads(json.dumps(getattr(person, name))) == value
    kept = path.with_suffix(".left-out.csv")
    assert all(reason in kept.read_text() for reason in reasons) if reasons else not kept.exists()


async def test_a_stray_quote_costs_its_own_line_only(product: Product, tmp_path: Path) -> None:
    lines = [LINE.format(slug=f"stray-{number}", name="A") for number in range(60)]
    lines[5] = LINE.format(slug="stray-5", name='5" pipe')
    lines[40] = LINE.format(slug="stray-40", name='"open')
    done = await product.scripts.run_job("importpeople", {"file": str(_file(tmp_path, *lines))})
    assert (done.imported, done.skipped) == (59, 1)


async def test_a_second_import_updates_people_and_the_later_line_wins(
    product: Product, account: Account, tmp_path: Path
) -> None:
    for names in (("Old",), ("Older", "New")):
        path = _file(tmp_path, *(LINE.format(slug="again", name=name) for name in names))
        await product.scripts.run_job("importpeople", {"file": str(path)})
    response = await account.owner.post("searchurl", linkedinurl="linkedin.com/in/again", phone=True)
    assert response.json()["data"][0]["full_name"] == "New"
    assert await product.db.fetchval("select count(*) from person where profilekey = 'in/again'") == 1


_OTHER = "https://www.linkedin.com/in/{slug},{name},CEO,{company},,USA,,new@other.example:valid,+12025550199"


@pytest.mark.parametrize(
    ("name", "company", "is_other"),
    [
        ("Bob Roe", "Globex", True), ("Roe, Bob", "Globex Inc.", True), ("Jane Doe", "Globex", False),
        ("Bob Roe", "Acme", False), ("Bob Roe", "ACME, Inc.", False), ("Bob Roe", "", False),
        ("Doe, Jane", "Globex", False), ("Dr. Jane Doe-Roe MBA", "Globex", False), ("J. Doe", "Globex", False),
        ("JANE DOÉ", "Globex", False), ("山田太郎", "山田商事", True),
    ],
)  # fmt: skip
async def test_a_line_that_contradicts_the_stored_person_is_flagged_and_not_merged(
    product: Product, account: Account, tmp_path: Path, name: str, company: str, is_other: bool
) -> None:
    slug = f"passed-{secrets.token_hex(4)}"
    stored = await product.person(slug, full_name="Jane Doe", company="Acme", company_domain="acme.example")
    reveal = {"linkedinurl": f"linkedin.com/in/{slug}", "type": "directdial", "action": "reveal"}
    assert (await account.owner.post("getcontact", **reveal)).json()["charged"] == 1
    line = _OTHER.format(slug=slug, name=f'"{name}"', company=f'"{company}"')
    path = _file(tmp_path, LINE.format(slug=f"{slug}-next", name="Next"), line)
    done = await product.scripts.run_job("importpeople", {"file": str(path)})
    assert (done.imported, done.skipped, done.exit_code) == ((1, 1, 3) if is_other else (2, 0, 0))
    now = await directory.find(product.ctx, stored.key)
    assert now is not None
    assert now.personid == stored.personid
    assert (now == stored) == is_other
    left = path.with_suffix(".left-out.csv")
    if not is_other:
        assert not left.exists()
        return
    assert f'{line},"the address is stored for a person' in left.read_text()
    done = await product.scripts.run_job("importpeople", {"file": str(left), "replace": "1"})
    assert (done.imported, done.exit_code) == (1, 0)
    taken = await directory.find(product.ctx, stored.key)
    assert taken is not None
    assert taken.full_name == name
    assert taken.personid != stored.personid
    contacts = (await account.owner.table("GET", "usercontact")).json()["resource"]
    assert [(row["name"], row["phone_numbers"]) for row in contacts] == [("Jane Doe", "+12025550123")]
    assert (await account.owner.post("getcontact", **reveal)).json()["charged"] == 1  # another person, not paid for
    await product.scripts.run_job("repairprofiles", {})
    contacts = (await account.owner.table("GET", "usercontact")).json()["resource"]
    assert sorted(row["phone_numbers"] for row in contacts) == ["+12025550123", "+12025550199"]


FULL = (
    "linkedin.com/in/{slug},Kim Kept,Sales Director,Acme,acme.example,USA,kim@home.example,kim@acme.example:valid,"
    "+12025550177,Austin,Software,11-50,vp"
)
EMPTY = "linkedin.com/in/{slug},Kim Kept" + "," * 11
WIDE = ",".join([*HEADER, "city", "industry", "company_size", "seniority"])


async def _imported(product: Product, folder: Path, *files: list[str], header: str = WIDE) -> None:
    for lines in files:
        await product.scripts.run_job("importpeople", {"file": str(_file(folder, *lines, header=header))})


@pytest.mark.parametrize("in_one_file", [True, False])
async def test_empty_cells_leave_what_is_known(
    product: Product, account: Account, tmp_path: Path, in_one_file: bool
) -> None:
    slug = f"kept-{secrets.token_hex(3)}"
    full, empty = FULL.format(slug=slug), EMPTY.format(slug=slug)
    await _imported(product, tmp_path, *([[full, empty, empty]] if in_one_file else [[full], [empty], [empty]]))
    person = await directory.find(product.ctx, f"in/{slug}")
    assert person is not None
    assert (person.title, person.company, person.company_domain, person.country, person.city) == (
        "Sales Director", "Acme", "acme.example", "USA", "Austin",
    )  # fmt: skip
    assert (person.personal, person.business, person.phones) == (
        ("kim@home.example",), (("kim@acme.example", "valid"),), ("+12025550177",),
    )  # fmt: skip
    row = await product.db.fetchrow(
        "select seniority, jobfunction, verification, industry, company_size from person where profilekey = $1",
        f"in/{slug}",
    )
    assert row is not None
    assert tuple(row) == ("vp", "sales", "valid", "Software", "11-50")
    filters = {"title": "sales", "company": "Acme", "city": "Austin", "seniority": "vp", "industry": "software"}
    found = (await account.owner.post("searchpeople", name="Kim Kept", **filters)).json()["resource"]
    assert slug in {match["linkedinurl"].rpartition("/")[2] for match in found}


async def test_a_new_value_replaces_what_belongs_to_the_old_one(product: Product, tmp_path: Path) -> None:
    slug = f"moved-{secrets.token_hex(3)}"
    moved = f"linkedin.com/in/{slug},Kim Kept,Gardener,Basalt,,DEU,,kim@basalt.example,,,,,"
    await _imported(product, tmp_path, [FULL.format(slug=slug)], [moved])
    row = await product.db.fetchrow("select * from person where profilekey = $1", f"in/{slug}")
    assert row is not None
    emptied = ("jobfunction", "company_domain", "industry", "company_size", "city")
    assert {name: row[name] for name in emptied} == dict.fromkeys(emptied, "")
    assert (row["title"], row["seniority"], row["company"], row["country"]) == ("Gardener", "staff", "Basalt", "DEU")
    person = await directory.find(product.ctx, f"in/{slug}")
    assert person is not None
    assert (person.business, person.personal, person.phones) == (
        (("kim@basalt.example", "unknown"),), ("kim@home.example",), ("+12025550177",),
    )  # fmt: skip
    assert "acme" not in row["searchable"]
    assert row["verification"] == "unknown"


async def test_no_contact_value_is_in_the_database_in_clear(product: Product, account: Account, tmp_path: Path) -> None:
    path = _file(tmp_path, LINE.format(slug="secretive", name="S"))
    await product.scripts.run_job("importpeople", {"file": str(path)})
    for kind in ("directdial", "businessemail", "personalemail"):
        body = {"linkedinurl": "linkedin.com/in/secretive", "type": kind, "action": "reveal"}
        assert (await account.owner.post("getcontact", **body)).json()["charged"] == 1
    tables = await product.db.fetch("select format('%I', relname) as name from pg_class where relkind = 'r'"
                                  " and relnamespace = 'public'::regnamespace")  # fmt: skip
    for table in tables:
        sql = f"select count(*) from {table['name']} t where t::text ~ 'secretive@|2025550177'"
        assert await product.db.fetchval(sql) == 0, table["name"]


async def test_people_under_wrong_keys_are_repaired_and_a_purchase_is_kept(
    product: Product, account: Account, capsys: pytest.CaptureFixture[str]
) -> None:
    folded = "in/acoaabnlzfqb3r58fqw3phcdg_murawtlu4kvue"
    keys = ["pub/rep-doe/1a/2b/3c", "company/rep-acme", folded, "sales/lead/acwaabnlzfqb,name_search,rep"]
    people = []
    for number, key in enumerate(keys):
        person = await product.person(f"rep-{number}")
        bought = {"linkedinurl": f"linkedin.com/{person.key}", "type": "directdial", "action": "reveal"}
        if number in (0, 2):
            assert (await account.owner.post("getcontact", **bought)).json()["charged"] == 1
        await product.db.execute("update person set profilekey = $2 where personid = $1", person.personid, key)
        people.append(person)
    dry = await product.scripts.run_job("repairprofiles", {"dry": "1"})
    done = await product.scripts.run_job("repairprofiles", {})
    again = await product.scripts.run_job("repairprofiles", {})
    assert [(one.renamed, one.deleted, one.kept) for one in (dry, done, again)] == [(1, 0, 3), (1, 2, 1), (0, 0, 1)]
    assert f"personid {people[2].personid}: it is not the address of a person" in capsys.readouterr().err
    rows = await product.db.fetch(
        "select profilekey from person where personid = any($1) order by personid", [one.personid for one in people]
    )
    assert [row["profilekey"] for row in rows] == ["in/rep-doe-3c2b1a", folded]
    contacts = (await account.owner.table("GET", "usercontact", order="contactid")).json()["resource"]
    assert contacts[0]["linkedinurl"] == "https://www.linkedin.com/in/rep-doe-3c2b1a"
    free = {"linkedinurl": "linkedin.com/pub/rep-doe/1a/2b/3c", "type": "directdial", "action": "reveal"}
    assert (await account.owner.post("getcontact", **free)).json()["charged"] == 0  # the same person, paid for
