"""California's deletion requests: the cycle of download, match, erase and report against DROP's stand-in."""

from __future__ import annotations

import io
import secrets
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette

from product.people import drop, removal
from product.people.import_file import HEADER
from product.vendors.drop import Drop
from sandbox.drop import KEY, DropService, routes
from tableapi.errors import ApiError
from tests.helpers.product import Account, Product

URL = "http://drop.example/sandbox/drop"
Answer = Callable[[httpx2.Request], httpx2.Response]


@pytest.fixture
def platform(product: Product, tmp_path: Path) -> Iterator[DropService]:
    """Connect the product to a separate stand-in."""
    settings = product.ctx.settings.model_copy(update={"data_dir": tmp_path})
    app = Starlette(routes=list(routes(settings)))
    product.scripts.vendors.__dict__["drop"] = Drop(URL, KEY, transport=httpx2.ASGITransport(app))
    yield DropService(tmp_path / "drop.json")
    product.scripts.vendors.__dict__["drop"] = None


def _answers(product: Product, answer: Answer) -> None:
    product.scripts.vendors.__dict__["drop"] = Drop(URL, KEY, transport=httpx2.MockTransport(answer))


async def _cycle(product: Product) -> str:
    """Run the job twice: DROP prepares the archive first."""
    prepared: str = await product.scripts.run_job("drop", {})
    assert "prepares the next batch" in prepared, prepared
    said: str = await product.scripts.run_job("drop", {})
    return said


async def _status(platform: DropService, itemid: str) -> int | None:
    status: int | None = (await platform.items())[itemid]["status"]
    return status


def _words() -> str:
    return "d" + secrets.token_hex(5)


def test_hashes_match_the_specification() -> None:
    assert removal.email_hash(" Anna.Smith@Domain.com ") == "KA18MT/ph6IHYjzT9zwETySDQyvSh87YuoSBpOQtkhE="
    assert removal.phone_hash("+1(415)555-9317") == "vGM7y5n+hBXRSEAklhHDPCbysyNgYTmXdMcagGUOY8E="
    assert removal.phone_hash("+84(90)123 4567") == "ptzVkgbv9DonwvPCHmXmJ2SEOaolSh37z3ZzY/Gmm+U="


async def test_without_a_key_the_job_is_off(product: Product) -> None:
    product.scripts.vendors.__dict__.pop("drop", None)
    assert "DROP is off" in await product.scripts.run_job("drop", {})


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (httpx2.Response(401, json={"message": "API key is missing or invalid."}), 400, "401: API key is missing"),
        (httpx2.Response(403, json={"message": "No identifier list preferences"}), 400, "403: No identifier list"),
        (httpx2.Response(404, text="nothing"), 400, "404: no message"),
        (httpx2.Response(409, json={"message": "Complete the current batch"}), 400, "409: Complete the current"),
        (httpx2.Response(429, json={"message": "x"}, headers={"Retry-After": "30"}), 503, "tries again"),
        (httpx2.Response(500, text="x"), 503, "tries again"),
        (httpx2.Response(200, content=b"PK", headers={"Content-Type": "application/zip"}), 400, "without a name"),
    ],
)
async def test_errors_of_the_platform_are_reported(
    product: Product, answer: httpx2.Response, status: int, words: str
) -> None:
    _answers(product, lambda request: answer)
    with pytest.raises(ApiError, match=words) as refused:
        await product.scripts.run_job("drop", {})
    assert refused.value.status == status


async def test_an_unreachable_platform_is_a_retryable_error(product: Product) -> None:
    def away(_request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("no route")

    _answers(product, away)
    with pytest.raises(ApiError) as refused:
        await product.scripts.run_job("drop", {})
    assert refused.value.status == 503


def _zip(**files: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{name}.csv", text)
    return data.getvalue()


@pytest.mark.parametrize(
    "archive",
    [
        b"not a zip", _zip(**{"20260312_4821_Email": "Hash\nx"}), _zip(**{"20260312_4821_Email": "ID,Hash\nonly"}),
        _zip(notes="ID,Hash\n"), _zip(**{"20260312_4821_Email": ""}),
    ],
)  # fmt: skip
async def test_a_damaged_archive_stores_nothing(product: Product, archive: bytes) -> None:
    name = f"20260312_4821_{_words()}.zip"
    headers = {"Content-Type": "application/zip", "Content-Disposition": f'attachment; filename="{name}"'}
    _answers(product, lambda request: httpx2.Response(200, content=archive, headers=headers))
    with pytest.raises(ApiError, match="DROP"):
        await product.scripts.run_job("drop", {})
    assert await product.db.fetchval("select count(*) from dropbatch where name = $1", name) == 0


async def test_a_cycle_erases_reports_and_screens_later_arrivals(
    product: Product, account: Account, platform: DropService, tmp_path: Path
) -> None:
    mark = _words()
    by_mail = await product.person(f"{mark}-a", personal_emails=[f"{mark}@home.example"], phones=[])
    by_phone = await product.person(f"{mark}-b", personal_emails=[], phones=["+1 (415) 555-0199"])
    twins = [await product.person(f"{mark}-{n}", business_emails=[f"office@{mark}.example"], phones=[]) for n in "cd"]
    stays = await product.person(f"{mark}-e", personal_emails=[f"{mark}@other.example"], phones=["+14155550198"])
    body = {"linkedinurl": f"linkedin.com/{by_mail.key}", "type": "personalemail", "action": "reveal"}
    assert (await account.owner.post("getcontact", **body)).json()["charged"] == 1

    emails = [f"  {mark.upper()}@Home.example", f"office@{mark}.example", f"nobody@{mark}.example"]
    first, shared, unknown = await platform.file_requests("Email", emails)
    (number,) = await platform.file_requests("Phone", ["415.555.0199"])
    said = await _cycle(product)
    assert "4 requests" in said
    assert "3 match" in said
    assert "4 people erased" in said
    assert [await _status(platform, item) for item in (first, number, shared, unknown)] == [
        drop.DELETED, drop.DELETED, drop.OPTED_OUT, drop.NOT_FOUND,
    ]  # fmt: skip
    for person in (by_mail, by_phone, *twins, stays):
        found = await account.owner.post("searchurl", linkedinurl=f"linkedin.com/{person.key}", personal=True)
        assert bool(found.json()["data"]) is (person is stays)
    (contact,) = (await account.owner.table("GET", "usercontact")).json()["resource"]
    assert (contact["name"], contact["emails"]) == ("Removed", None)

    # Nothing is new; the same person under another address and the unknown one are not imported.
    assert "no new requests" in await product.scripts.run_job("drop", {})
    line = "https://www.linkedin.com/in/{},Name,CEO,Acme,acme.example,USA,{},{},{}"
    lines = (
        line.format(f"{mark}-f", emails[0].strip().lower(), "", ""), line.format(f"{mark}-g", "", "", "+14155550199"),
        line.format(f"{mark}-h", "", emails[2], ""), line.format(f"{mark}-i", "", "", "+14155550198"),
    )  # fmt: skip
    path = tmp_path / "people.csv"
    path.write_text("\n".join((",".join(HEADER), *lines)) + "\n")
    done = await product.scripts.run_job("importpeople", {"file": str(path)})
    assert (done.imported, done.suppressed) == (1, 3)


async def test_a_withdrawn_request_leaves_the_list(product: Product, platform: DropService, tmp_path: Path) -> None:
    address = f"{_words()}@home.example"
    (item,) = await platform.file_requests("Email", [address])
    await _cycle(product)
    assert await removal.lists(product.ctx, [address])
    await platform.withdraw(item)
    assert "1 withdrawn" in await _cycle(product)
    assert not await removal.lists(product.ctx, [address])
    assert "no new requests" in await product.scripts.run_job("drop", {})


async def test_an_interrupted_cycle_resumes(product: Product, platform: DropService) -> None:
    address = f"{_words()}@home.example"
    person = await product.person(personal_emails=[address], phones=[])
    (item,) = await platform.file_requests("Email", [address])
    vendor: Any = product.scripts.vendors.__dict__["drop"]
    await product.scripts.run_job("drop", {})
    archive = await vendor.download()

    def broken(request: httpx2.Request) -> httpx2.Response:
        if request.method == "POST":
            return httpx2.Response(500, text="away")
        headers = {"Content-Type": "application/zip", "Content-Disposition": f"attachment; filename={archive.name}"}
        return httpx2.Response(200, content=archive.archive, headers=headers)

    _answers(product, broken)
    with pytest.raises(ApiError):
        await product.scripts.run_job("drop", {})
    left = await product.db.fetchval("select full_name from person where personid = $1", person.personid)
    assert left == ""
    product.scripts.vendors.__dict__["drop"] = vendor
    assert "reported" in await product.scripts.run_job("drop", {})
    assert await _status(platform, item) == drop.DELETED

    # A file uploaded by an earlier attempt is rejected as a duplicate, and counts as reported.
    await platform.file_requests("Email", [f"{_words()}@home.example"])
    await product.scripts.run_job("drop", {})
    archive = await vendor.download()
    rejected = {"fileName": "x", "message": "A file with this name was already uploaded for the current download."}
    _answers(
        product,
        lambda request: (
            httpx2.Response(400, json={"rejected": [rejected]}) if request.method == "POST" else broken(request)
        ),
    )
    assert "reported" in await product.scripts.run_job("drop", {})


async def test_a_status_is_amended_when_a_person_is_found_later(product: Product, platform: DropService) -> None:
    address = f"{_words()}@home.example"
    (item,) = await platform.file_requests("Email", [address])
    await _cycle(product)
    assert await _status(platform, item) == drop.NOT_FOUND
    person = await product.person(personal_emails=[address], phones=[])  # written without the import
    said = await product.scripts.run_job("drop", {"recheck": "1"})
    assert "1 requests match now" in said
    assert await _status(platform, item) == drop.DELETED
    assert await product.db.fetchval("select full_name from person where personid = $1", person.personid) == ""


async def test_the_sandbox_follows_the_specification(product: Product, tmp_path: Path) -> None:
    settings = product.ctx.settings.model_copy(update={"data_dir": tmp_path})
    app = Starlette(routes=list(routes(settings)))
    headers = {"X-API-KEY": KEY}
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://drop.example") as http:
        assert (await http.get("/sandbox/drop/data/download")).status_code == 401
        nothing = await http.get("/sandbox/drop/data/download", headers=headers)
        assert "No new consumer request data" in nothing.json()["message"]
        files = [("files", ("20260312_4821_Email.csv", b"Id,Status\n", "text/csv"))]
        none_open = await http.post("/sandbox/drop/data/upload", headers=headers, files=files)
        assert none_open.status_code == 409
        assert (await http.post("/sandbox/drop", data={"list": "Fax", "identifier": "1"})).status_code == 400
        filed = await http.post("/sandbox/drop", data={"list": "Email", "identifier": "a@b.example"})
        assert filed.status_code == 303
        first = await http.get("/sandbox/drop/data/download", headers=headers)
        assert (first.status_code, first.headers["retry-after"]) == (202, "1")
        second = await http.get("/sandbox/drop/data/download", headers=headers)
        assert second.headers["content-type"] == "application/zip"
        assert (await http.get("/sandbox/drop/data/download", headers=headers)).status_code == 409
        for name, body, why in (
            ("notes.txt", b"Id,Status\n", "Only CSV files"), ("other.csv", b"Id,Status\n", "file name"),
            ("20260312_4821_Email.csv", b"Item,Status\n", "Invalid CSV header"),
        ):  # fmt: skip
            response = await http.post("/sandbox/drop/data/upload", headers=headers, files=[("files", (name, body))])
            assert (response.status_code, response.json()["acceptedCount"]) == (400, 0)
            assert why in response.json()["rejected"][0]["message"]
        shown = (await http.get("/sandbox/drop")).text
        assert "Waiting" in shown
        (item,) = (await DropService(tmp_path / "drop.json").items()).keys()
        files = [("files", ("20260312_4821_Email.csv", f"Id,Status\n{item},5\n".encode(), "text/csv"))]
        accepted = await http.post("/sandbox/drop/data/upload", headers=headers, files=files)
        assert (accepted.status_code, accepted.json()["acceptedCount"]) == (202, 1)
        assert "Not found" in (await http.get("/sandbox/drop")).text
