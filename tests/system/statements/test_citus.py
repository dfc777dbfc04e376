"""deploy/citus.sql: Citus executes each statement of the product, or the file names it.

The statements are those that the product sends while every role uses every table and call, while tests buy, refund,
invite, import and erase, and while every job runs. The files of these tests hand them over (`helpers/statements.py`);
a run without one of the files runs it here. What Citus refuses is seen in the parse tree (`helpers/citus.py`).
"""

from __future__ import annotations

import ast
import asyncio
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import asyncpg
import httpx2
import pytest

from tests.helpers.citus import Tables, refused
from tests.helpers.desk import staff, view
from tests.helpers.fixtures import open_product
from tests.helpers.product import API, Product
from tests.helpers.statements import FOLDER, PLAYED, REPLAYED, handed_over, recorded, shared_folder, whole_files
from tests.helpers.support import ROOT, NewDatabase, clean_environment, until
from tests.product.test_citus import FILE, PLAIN
from tests.system.replay import product as of_product

pytestmark = pytest.mark.slow
SQL = re.compile(r"\s*(?:with (?:recursive )?\w+ as |select |insert into |update \w+ |delete from )")
STATEMENT = re.compile(r"\s*(with|select|insert|update|delete)\b", re.IGNORECASE)
OWN = re.compile(r"\b(?:pg_\w+|pgqueuer\w*|schemaversion|tableapi_changes)\b")  # tables of PostgreSQL and of the engine
TEMPORARY = re.compile(r"\b(?:dropstage|summed|functioned|touched|staging|later)\b")  # tables of one run of a job
LEAST = 500  # statements
# If a table is distributed, the engine computes what RETURNING would in another statement, and passes constants on to
# related rows (tests/engine/api/test_distributed.py).
OF_ENGINE = {"RETURNING is not immutable", "rows of a group correlated with a copied table"}
UPSERT = "DO UPDATE is not immutable"
CASE = "simple CASE with a parameter in a write"
SLOW = "50_megabytes or 20_parallel or 50_parallel or 64_parallel or take_as_long or every_page_of_a_long_list"
# Every order of the same events runs the same statements.
REPEATED = "in_any_order and not order0"
JOBS: tuple[tuple[str, dict[str, int]], ...] = (
    ("catchup", {}),
    ("checkledger", {}),
    ("drop", {}),
    ("indexpeople", {"least": 0}),
    ("liststaff", {}),
    ("metrics", {}),
    ("renewfree", {}),
    ("sumcompanies", {}),
    ("tellcredits", {}),
    ("tidyup", {}),
)
LONGEST = 600.0  # seconds for the tests of other workers
# Statements that no test and no job ran, by the place where they stand.
NOT_RUN = {
    "product/accounts/made.py:_OF_AGENTS": "only in a distributed database",
    "product/api_keys.py:_CLIENT": "the same",
    "product/demo/": "the data of a demo, made once by one process on an empty database",
    "product/accounts/signin_throttle.py:_OLDER": "only while addresses are counted under two secret keys",
    "product/billing/prices.py:forget": "a table that all clients share",
    "product/people/companies.py:_NAMED": "a part of a statement on temporary tables",
    "scripts/jobs/importpeople.py:_merge": "from temporary tables",
}


async def _day(product: Product) -> None:
    """Use the calls that change or list much; each answer is checked, so that it runs the whole of its statements."""
    account, fresh = await product.account(), await product.account()
    people = [await product.person(full_name=f"Ann Day{number}") for number in range(3)]
    urls = [f"linkedin.com/{person.key}" for person in people]
    owner, member = account.owner, await staff(product)
    key = await owner.table("POST", "apikeys", {"purpose": "x", "scopes": ["lookup", "enrich", "contacts", "usage"]})
    caller = product.caller(key=key.json()["resource"][0]["apikey"])
    made = await owner.table("POST", "contactlist", {"name": "Day"})
    listid = made.json()["resource"][0]["listid"]
    looked = await view(member, owner)
    subscriptions = await owner.table("GET", "usersubscription", filter="isactive = 1")
    subscriptionid = subscriptions.json()["resource"][0]["subscriptionid"]
    body = {"people": [{"linkedinurl": urls[1]}], "kinds": ["personalemail"], "max_credits": 0}
    refused = await caller.post(f"{API}enrich", json=body, headers={"Idempotency-Key": "once"})
    assert refused.status_code == 402, refused.text
    requests: list[Callable[[], Awaitable[httpx2.Response]]] = [
        lambda: owner.post("revealmany", linkedinurls=urls[:2], kinds=["businessemail", "directdial"]),
        lambda: owner.post("getcontact", linkedinurl=urls[0], type="personalemail", action="reveal"),
        lambda: owner.post("searchname", searchtext="ann"),
        lambda: owner.post("searchpeople", name="Ann"),
        lambda: owner.post("searchurl", linkedinurl=urls[0], phone=True),
        lambda: owner.post("listimport", listid=listid, text="\n".join(urls)),
        lambda: owner.http.get(f"{API}listexport", params={"listid": listid}),
        lambda: owner.http.get(f"{API}account/credits"),
        lambda: owner.http.get(f"{API}user/session"),
        lambda: fresh.owner.post("upgradeplan", planid=1),
        lambda: owner.table("PATCH", "usercontact", {"deleted": 1}, filter="deleted = 0"),
        lambda: owner.table("GET", "usercontact", related="*", include_count="true"),
        lambda: owner.table("DELETE", f"contactlist/{listid}"),
        lambda: caller.post(f"{API}enrich", json={"people": [{"linkedinurl": urls[2]}], "kinds": ["businessemail"]}),
        lambda: caller.get(f"{API}account/contacts"),
        lambda: caller.get(f"{API}account/usage"),
        lambda: looked.get(f"{API}leads/_table/usercontact"),
        lambda: owner.http.delete(f"{API}stripe", params={"subId": subscriptionid}),
        lambda: owner.http.delete(f"{API}user/session"),
    ]
    for request in requests:
        response = await request()
        assert response.status_code < 300, (str(response.request.url), response.text)


async def _recorded(url: str, session: pytest.Session, folder: Path, shared: Path) -> set[str]:
    """Return the statements of a product on an empty database: of requests, of tests, and of the jobs."""
    elsewhere = whole_files(session)
    with recorded() as found:
        async with open_product(url, folder) as product:
            if REPLAYED not in elsewhere:
                async for _ in of_product.requests(product):
                    pass
            await _day(product)
            for name, values in JOBS:
                await product.scripts.run_job(name, values)
    if REPLAYED in elsewhere:
        found |= await _handed_over(shared, REPLAYED)
    if missing := [file for file in PLAYED if file not in elsewhere]:
        words = ("-q", "-p", "no:cacheprovider", "-k", f"not ({SLOW} or ({REPEATED}))", *missing)
        await _run("pytest", *words, **{"TEST_DATABASE_URL": url, FOLDER: str(shared)})
    # The tests themselves write and read, too: of these, what stands in the product counts.
    played = set[str]().union(*[await _handed_over(shared, file) for file in PLAYED])
    found |= {sql for sql in played if _place(sql)}
    return {sql for sql in found if STATEMENT.match(sql) and not OWN.search(sql) and not TEMPORARY.search(sql)}


async def _handed_over(shared: Path, file: str) -> set[str]:
    """Return the statements of a file of tests, which may be running in another worker."""
    await until(lambda: handed_over(shared, file) is not None, LONGEST)
    texts = handed_over(shared, file)
    assert texts is not None
    return texts


async def _run(module: str, *words: str, **environment: str) -> None:
    """Run a Python module to its end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", module, *words, cwd=ROOT, env=clean_environment(**environment), stdin=DEVNULL,
        stdout=PIPE, stderr=STDOUT,
    )  # fmt: skip
    said, _ = await process.communicate()
    if process.returncode:
        pytest.fail(f"{module} {' '.join(words)}\n{said.decode()[-20_000:]}", pytrace=False)


@dataclass(frozen=True)
class Written:
    """A statement in the source: its file, with the name of the constant or function, and its pieces.

    Between the pieces stands what is put in.
    """

    place: str
    pieces: tuple[str, ...]

    @cached_property
    def length(self) -> int:
        return sum(map(len, self.pieces))

    def is_part_of(self, sql: str) -> bool:
        """Return whether a statement, with single spaces, has the pieces in their order."""
        end = 0
        for piece in self.pieces:
            if (begin := sql.find(piece, end)) < 0:
                return False
            end = begin + len(piece)
        return True


def _flat(sql: str) -> str:
    return " ".join(sql.split())


def _written() -> Iterator[Written]:
    """Yield each statement that stands in the product."""
    for file in sorted([ROOT / "policy.py", *(ROOT / "product").rglob("*.py"), *(ROOT / "scripts").rglob("*.py")]):
        for part in ast.parse(file.read_text()).body:
            names = [target.id for target in getattr(part, "targets", ()) if isinstance(target, ast.Name)]
            name = names[0] if names else getattr(part, "name", "")
            inside = {id(piece) for node in ast.walk(part) if isinstance(node, ast.JoinedStr) for piece in node.values}
            for node in ast.walk(part):
                pieces: list[str] = []
                if isinstance(node, ast.JoinedStr):
                    pieces = [str(one.value) if isinstance(one, ast.Constant) else "" for one in node.values]
                elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
                    pieces = node.value.split("{}")
                if pieces and SQL.match(pieces[0]):
                    yield Written(f"{file.relative_to(ROOT)}:{name}", tuple(map(_flat, pieces)))


WRITTEN = sorted(_written(), key=lambda one: -one.length)


def _place(sql: str) -> str:
    """Return where a statement stands in the source; "" for one that the engine or a test has made."""
    flat = _flat(sql)
    return next((one.place for one in WRITTEN if one.is_part_of(flat)), "")


@pytest.fixture(scope="module")
def url(module_database: NewDatabase) -> str:
    return module_database()


@pytest.fixture(scope="module")
async def statements(url: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    return await _recorded(url, request.session, tmp_path_factory.mktemp("recorded"), shared_folder(tmp_path_factory))


def test_every_statement_of_the_source_is_executed(statements: set[str]) -> None:
    ran = {_flat(sql) for sql in statements}
    missing = {
        f"{one.place}: {' … '.join(one.pieces)[:150]}"
        for one in WRITTEN
        if not any(one.is_part_of(sql) for sql in ran)
        and not any(OWN.search(piece) or TEMPORARY.search(piece) for piece in one.pieces)
    }
    named = {text for text in missing if text.startswith(tuple(NOT_RUN))}
    assert missing == named, "\n".join(sorted(missing - named))
    assert not [place for place in NOT_RUN if not any(text.startswith(place) for text in missing)]


@pytest.fixture(scope="module")
def empty(module_database: NewDatabase) -> str:
    return module_database((ROOT / "schema.sql").read_text())


@pytest.fixture(scope="module")
async def tables(empty: str) -> Tables:
    db = await asyncpg.connect(empty)
    try:
        await db.execute(PLAIN)
        return await Tables.load(db)
    finally:
        await db.close()


def test_citus_executes_every_statement(tables: Tables, statements: set[str]) -> None:
    assert len(statements) > LEAST
    found = {(_place(sql), sql): why for sql in statements if (why := refused(sql, tables))}
    found = {place: why for place, why in found.items() if place[0] or why not in OF_ENGINE}
    named = dict(re.findall(r"^-- refused ([\w/.:]+): (\S.+)$", FILE, re.MULTILINE))
    wrong = {place: why for place, why in found.items() if place[0] not in named}
    assert not wrong, "\n".join(f"{place} {why}: {_flat(sql)[:300]}" for (place, sql), why in wrong.items())
    assert named.keys() == {place for place, _ in found}


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("select 1; select 2", "several commands in one string"),
        ("select from usercredit join idempotency on true", "tables of several groups: caller, client"),
        ("insert into webhook (clientid) values ($1) returning createdon::text", "RETURNING is not immutable"),
        ("update usercredit set seatcount = 1 returning to_jsonb(usercredit)", "RETURNING is not immutable"),
        ("delete from webhook returning now()", "RETURNING is not immutable"),
        ("insert into webhook (clientid) values ((select 1))", "sub-select in INSERT"),
        ("insert into webhook (clientid) values (1) returning (select 1)", "sub-select in INSERT"),
        (
            "insert into webhook values (1) on conflict (webhookid) do update set url = now()",
            "DO UPDATE is not immutable",
        ),
        (
            "insert into webhook values (1) on conflict (webhookid) do update set url = '' where now() > $1",
            "DO UPDATE is not immutable",
        ),
        (
            "insert into webhook values (1) on conflict (webhookid) do update set clientid = 2",
            "changes the distribution key",
        ),
        ("insert into creditnotice (threshold) values (case $1 when 0 then 0 else 20 end)", CASE),
        ("update creditnotice set threshold = case $1 when 0 then 0 else 20 end", CASE),
        ("update webhook set clientid = $1", "changes the distribution key"),
        ("update webhook set url = random()", "SET is volatile"),
        ("update webhook set url = coalesce($1, now())", "CASE or COALESCE of a write is not immutable"),
        ("update webhook set createdon = createdon + interval '1 day'", "a stable function of a column in a write"),
        ("delete from webhook where createdon + $1 < now()", "a stable function of a column in a write"),
        ("select 1 from webhook where webhookid = $1 for update", "FOR UPDATE without the key as a constant"),
        ("select 1 from webhook where clientid = $1 for update", ""),
        ("update webhook set createdon = now() where createdon < now() - interval '1 day'", ""),
        ("insert into webhook (clientid) select $1, (select 1) returning createdon", ""),
        (
            "insert into webhook values (1) on conflict (webhookid) do update set url = ''"
            " where excluded.createdon - webhook.createdon > interval '1 hour'",
            "",
        ),
        (
            "insert into webhook values (1) on conflict (webhookid) do update set isactive ="
            " (excluded.createdon - webhook.createdon > interval '1 hour')::int",
            "",
        ),
        ("insert into company values (now()) returning now()", ""),
        (
            "select exists (select 1 from webhook w where w.clientid = c.clientid) from client c where clientid = $1",
            "rows of a group correlated with a copied table",
        ),
        ("select exists (select 1 from webhook w where w.clientid = $1) from client c where clientid = $1", ""),
        (
            "delete from person p where not exists (select 1 from reveal r where r.personid = p.personid)",
            "a copied table is written by rows of a group",
        ),
    ],
)
def test_each_rule_matches_its_statement(tables: Tables, sql: str, why: str) -> None:
    assert refused(sql, tables) == why
