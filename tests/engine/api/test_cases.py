"""The cases of table_cases*.json, asked of two servers: one with an access file, and an open one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.helpers.served import Served
from tests.helpers.support import NewDatabase, Serve, execute
from tests.helpers.table_api import CASES, FIXTURE, FULL_KEY, HERE, access_file, cases_of, check, key_of, send

LIBRARY = (HERE / "library.sql").read_text()
SUITES = {
    "cases": Served(FIXTURE, access_file(), dataset="cases", under="", STRICT_OPTIONS="off"),
    "library": Served(LIBRARY, dataset="library", under="", PUBLIC_ROUTINES="articles_of,prices"),
}
PARAMS = [("cases", case) for case in CASES] + [("library", case) for case in cases_of("table_cases_query.json")]


class Asked:
    """A suite's client and database, and whether the rows are those of the beginning."""

    def __init__(self, client: httpx2.Client, url: str) -> None:
        self.client, self.url, self.fresh = client, url, True


@pytest.fixture(scope="module")
def suites(
    module_database: NewDatabase, module_serve: Serve, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Asked]]:
    opened = {}
    for suite, served in SUITES.items():
        url = module_database(served.sql)
        server = served.start(module_serve, url, tmp_path_factory.mktemp("cases"))
        opened[suite] = Asked(httpx2.Client(base_url=server.url + served.path, timeout=30), url)
    yield opened
    for asked in opened.values():
        asked.client.close()


@pytest.mark.parametrize(("suite", "case"), [pytest.param(*param, id=param[1]["id"]) for param in PARAMS])
def test_a_case_gets_its_response(suites: dict[str, Asked], suite: str, case: dict[str, Any]) -> None:
    asked = suites[suite]
    if not asked.fresh:
        execute(asked.url, SUITES[suite].sql)
    asked.fresh = not case.get("mutates")
    check(case["expect"], send(asked.client, case["request"], key_of(case.get("context"))))
    for more in case.get("after", []):
        check(more["expect"], send(asked.client, more["request"], FULL_KEY))
