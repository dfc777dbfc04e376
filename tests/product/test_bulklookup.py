"""Bulk jobs: errors, the outcome of each row, limits, cancelling, and repeats that cost nothing."""

from __future__ import annotations

import io
from typing import Any

import httpx2
import openpyxl
import pytest

from product.bulk import result_file
from tableapi.tables.export import XLSX
from tests.helpers.product import API, TABLE, Account, Product


async def _urls(product: Product, count: int) -> list[str]:
    return [f"https://www.linkedin.com/{(await product.person()).key}" for _ in range(count)]


async def _start(account: Account, **body: Any) -> dict[str, Any]:
    response = await account.owner.post("bulklookup", **{"kinds": ["directdial"], "max_credits": 100} | body)
    assert response.status_code == 202, response.text
    return dict(response.json())


async def _show(account: Account, jobid: int) -> dict[str, Any]:
    return dict((await account.owner.http.get(f"{API}bulklookup/{jobid}")).json())


async def _sheet(account: Account, jobid: int, accept: str = XLSX) -> httpx2.Response:
    return await account.owner.http.get(f"{API}bulklookup/{jobid}", headers={"Accept": accept})


async def test_errors_have_cases_and_the_numbers_in_their_text(account: Account) -> None:
    """They are translated by these, not by the English message."""
    missing = (await account.owner.http.get(f"{API}bulklookup/999999")).json()["error"]["context"]
    assert (missing["reason"], missing["case"]) == ("not_found", "no_such_job")
    body = {"urls": ["linkedin.com/in/x"] * 1001, "kinds": ["directdial"], "max_credits": 1}
    many = (await account.owner.post("bulklookup", **body)).json()["error"]
    assert many["message"] == "The list has 1,001 addresses, but a job may have at most 1,000. Split it."
    case = {"case": "too_many_addresses", "count": 1001, "limit": 1000}
    assert many["context"].items() >= (case | {"reason": "invalid", "field_errors": {"urls": case}}).items()


async def test_the_result_is_a_file_that_is_counted_and_audited(
    product: Product, account: Account, other: Account
) -> None:
    url = f"https://www.linkedin.com/{(await product.person(full_name='=1+1')).key}"
    jobid = (await _start(account, urls=[url, "nobody"]))["jobid"]
    await product.work()
    assert (await _sheet(other, jobid)).status_code == 404
    response = await _sheet(account, jobid)
    assert response.headers["content-disposition"] == 'attachment; filename="bulklookup.xlsx"'
    head, revealed, bad = openpyxl.load_workbook(io.BytesIO(response.content)).active.iter_rows()
    assert [cell.value for cell in head] == list(result_file.HEAD)
    assert [cell.value for cell in revealed[1:4]] == ["Found", "1", "=1+1"]
    assert [cell.value for cell in revealed[4:]] == [None, None, "+12025550123"]  # unpaid values are not in it
    assert {cell.data_type for cell in (*revealed, *bad) if cell.value is not None} == {"s"}
    assert [cell.value for cell in bad[:4]] == ["nobody", "No profile address", "0", None]
    assert b"'=1+1" in (await _sheet(account, jobid, "text/csv")).content

    statuses = [(await _sheet(account, jobid)).status_code for _ in range(19)]
    assert statuses == [200] * 18 + [429]
    exported = await account.owner.http.get(f"{TABLE}usercontact", headers={"Accept": XLSX})
    assert exported.status_code == 429, "one limit for every file of contacts"
    events = await product.db.fetchval(
        "select count(*) from auditlog where clientid = $1 and event = 'contacts_exported'", account.clientid
    )
    assert events == 20


@pytest.mark.parametrize(
    "body",
    [
        {"urls": []},
        {"urls": ["  "]},
        {"urls": ["linkedin.com/in/x"] * 1001},
        {"csv": "name,company\nJane,Acme\n"},
        {"csv": 'linkedinurl\n"linkedin.com/in/x\n'},
        {"urls": ["linkedin.com/in/x"], "kinds": ["fax"]},
        {"urls": ["linkedin.com/in/x"], "kinds": []},
        {"urls": ["linkedin.com/in/x"], "max_credits": -1},
    ],
)
async def test_invalid_lists_are_422(account: Account, body: dict[str, Any]) -> None:
    response = await account.owner.post("bulklookup", **{"max_credits": 1} | body)
    assert response.status_code == 422, response.text


async def test_invalid_files_are_rejected_with_a_clear_message(account: Account) -> None:
    for data, words in (
        (b"", "any people"), (b"\xff\xfel\x00i", "UTF-8"), (b"linkedinurl\na\0b\n", "UTF-8"),
        (b"a,b\n1,2\n", "linkedinurl"), (b"PK\x03\x04 no workbook", "workbook"), (b"," * 4_900_000, "too long"),
        (b"a\n" * 2_400_000, "linkedinurl"), (b"\n" * 4_900_000 + b"x", "empty lines"),
        (b'linkedinurl\n"' + b"x\n" * 2_000_000, "too long"),
    ):  # fmt: skip
        response = await account.owner.http.post(
            API + "bulklookup", params={"max_credits": 1}, files={"files": ("x.csv", data)}
        )
        assert (response.status_code, words in response.json()["error"]["message"]) == (422, True), response.text


async def test_50_megabytes_are_rejected_with_a_clear_message_and_nothing_is_lost(
    product: Product, account: Account
) -> None:
    line = b"https://www.linkedin.com/in/somebody-with-a-name\n"
    before, url = await account.credits(), API + "bulklookup"
    for size in (6_000_000, 50_000_000):
        data = b"linkedinurl\n" + line * (size // len(line))
        large = await account.owner.http.post(url, params={"max_credits": 1}, files={"files": ("x.csv", data)})
        error = large.json()["error"]
        assert (large.status_code, error["context"]["scope"]) == (413, "resource")
        assert "5 MB" in error["message"], error
    assert await product.db.fetchval("select count(*) from bulkjob where clientid = $1", account.clientid) == 0
    assert await account.credits() == before
    # The same session continues with a valid file.
    good = await account.owner.http.post(url, params={"max_credits": 1}, files={"files": ("x.csv", line)})
    assert good.status_code == 202, good.text


async def test_each_row_has_its_outcome_and_a_repeat_is_free(product: Product, account: Account) -> None:
    good = await _urls(product, 2)
    nothing = f"https://www.linkedin.com/{(await product.person(phones=[])).key}"
    urls = [good[0], "not a url", "linkedin.com/in/nobody-here", nothing, good[1], good[0] + "/?x=1"]
    job = await _start(account, urls=urls)
    assert (job["estimate"], job["total"]) == (2, 6)
    await product.work()
    shown = await _show(account, job["jobid"])
    assert (shown["status"], shown["charged"], shown["processed"]) == ("done", 2, 6)
    outcomes = [(row["status"], row["charged"]) for row in shown["rows"]]
    assert outcomes == [("done", 1), ("invalid", 0), ("notfound", 0), ("notfound", 0), ("done", 1), ("done", 0)]
    again = await _start(account, csv="\n".join(["linkedinurl", *urls]))
    await product.work()
    assert (again["estimate"], (await _show(account, again["jobid"]))["charged"]) == (0, 0)
    assert await account.ledger_fits()


async def test_an_estimate_starts_nothing(product: Product, account: Account) -> None:
    body = {"urls": [*await _urls(product, 2), "not a url"], "kinds": ["directdial", "businessemail"], "max_credits": 0}
    response = await account.owner.post("bulklookup", estimateonly=True, **body)
    costs = {"directdial": 2, "businessemail": 2}
    assert (response.status_code, response.json()) == (200, {"estimate": 4, "estimates": costs, "total": 3})
    assert await product.db.fetchval("select count(*) from bulkjob where clientid = $1", account.clientid) == 0


async def test_the_estimate_equals_the_charge(product: Product, account: Account) -> None:
    first, second = await _urls(product, 2)
    for kind in ("directdial", "personalemail"):
        await account.owner.post("getcontact", linkedinurl=first, type=kind, action="reveal")
    await product.db.execute(
        "insert into personalias (profilekey, personid)"
        " select 'in/former-name', personid from person where profilekey = $1",
        first.partition("linkedin.com/")[2],
    )
    kinds = ["directdial", "businessemail", "personalemail"]
    job = await _start(account, urls=["linkedin.com/in/former-name", first, second], kinds=kinds)
    await product.work()
    assert job["estimates"] == {"directdial": 1, "businessemail": 2, "personalemail": 1}
    assert job["estimate"] == (await _show(account, job["jobid"]))["charged"] == 4


@pytest.mark.parametrize("change", ["removed", "disabled"])
async def test_a_job_of_a_removed_member_charges_nothing(product: Product, account: Account, change: str) -> None:
    member = await account.user()
    body = {"urls": await _urls(product, 2), "max_credits": 9}
    jobid = (await member.post("bulklookup", **body)).json()["jobid"]
    before = await account.credits()
    if change == "removed":
        left = await account.owner.table("DELETE", f"appuser/{member.appuserid}")
    else:
        left = await account.owner.table("PATCH", "appuser", {"appuserid": member.appuserid, "isactive": 0})
    assert left.status_code == 200, left.text
    await product.work()
    kinds = ("contactcredit", "bus_email_credits", "personal_email_credits")
    assert {kind: (await account.credits())[kind] for kind in kinds} == {kind: before[kind] for kind in kinds}
    states = await product.db.fetch("select status from bulkrow where jobid = $1", jobid)
    status = await product.db.fetchval("select status from bulkjob where jobid = $1", jobid)
    assert (status, [row["status"] for row in states]) == ("cancelled", ["skipped"] * 2)


@pytest.mark.parametrize(
    "file",
    [
        "name;linkedinurl\r\nJane;{0}\r\nJoe;{1}\r\n",
        "name\tlinkedinurl\nJane\t{0}\nJoe\t{1}\n",
        "Name,LinkedIn URL\nJane,{0}\nJoe,{1}\n",
        "\ufeffLinkedin_url,Outcome\n{0},Found\n{1},Nothing found\n",
        "{0}\n{1}\n",
    ],
)
async def test_files_from_spreadsheets_and_earlier_jobs_are_accepted(account: Account, file: str) -> None:
    urls = ["https://www.linkedin.com/in/jane", "https://www.linkedin.com/in/joe"]
    response = await account.owner.http.post(
        f"{API}bulklookup", params={"max_credits": 1}, files={"files": ("people.csv", file.format(*urls).encode())}
    )
    assert response.status_code == 202, response.text
    shown = await _show(account, response.json()["jobid"])
    assert [row["linkedinurl"] for row in shown["rows"]] == urls


async def test_a_job_never_charges_more_than_max_credits(product: Product, account: Account) -> None:
    job = await _start(account, urls=await _urls(product, 4), max_credits=2)
    await product.work()
    shown = await _show(account, job["jobid"])
    assert (shown["charged"], [row["status"] for row in shown["rows"]]) == (2, ["done"] * 2 + ["skipped"] * 2)


async def test_rows_without_credits_are_reported(product: Product, account: Account) -> None:
    await account.set_credits(1)
    job = await _start(account, urls=await _urls(product, 2))
    await product.work()
    shown = await _show(account, job["jobid"])
    assert [row["status"] for row in shown["rows"]] == ["done", "nocredit"]


async def test_a_row_without_credit_for_one_kind_gets_the_others(product: Product, account: Account) -> None:
    await account.set_credits(1)
    first, second = await _urls(product, 2)
    await _start(account, urls=[first])
    job = await _start(account, urls=[second], kinds=["directdial", "businessemail"])
    await product.work()
    (row,) = (await _show(account, job["jobid"]))["rows"]
    assert (row["status"], row["charged"]) == ("nocredit", 1)
    left = await account.credits()
    assert [left[name] for name in ("contactcredit", "bus_email_credits", "personal_email_credits")] == [0, 0, 1]
    contact = (await account.owner.table("GET", f"usercontact/{row['contactid']}")).json()
    assert (contact["businessemailcost"], contact["phonecost"]) == (1, 0)


async def test_a_cancelled_job_is_not_processed(product: Product, account: Account, other: Account) -> None:
    job = await _start(account, urls=await _urls(product, 2))
    path = f"{API}bulklookup/{job['jobid']}"
    for method in ("GET", "DELETE"):
        assert (await other.owner.http.request(method, path)).status_code == 404
    assert [(await account.owner.http.delete(path)).json()["status"] for _ in range(2)] == ["cancelled"] * 2
    await product.work()
    assert (await _show(account, job["jobid"]))["charged"] == 0


async def test_an_interrupted_job_continues(product: Product, account: Account) -> None:
    job = await _start(account, urls=await _urls(product, 3))
    # As after a crash: one row is done and marked, the job is still `running`, and the queue delivers it again.
    await product.work()
    await product.db.execute("update bulkjob set status = 'running' where jobid = $1", job["jobid"])
    await product.db.execute("update bulkrow set status = 'waiting' where jobid = $1 and line > 1", job["jobid"])
    await product.scripts.run_job("bulkrun", {"jobid": job["jobid"]})
    assert (await _show(account, job["jobid"]))["status"] == "done"
    assert (await account.credits())["contactcredit"] == 3000 - 3
    assert await account.ledger_fits()
