"""Run the conformance cases of table_cases_query.json against `tableapi serve --open`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.support import NewDatabase, Serve, execute
from tests.helpers.table_api import FULL_KEY, HERE, cases_of, check, send

LIBRARY = (HERE / "library.sql").read_text()
_fresh: dict[str, bool] = {}


@pytest.fixture(scope="module")
def database(module_database: NewDatabase) -> str:
    return module_database(LIBRARY)


@pytest.fixture(scope="module")
def served(database: str, module_serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("library")
    _fresh[database] = True
    server = module_serve(
        "--dataset", f"library={database}", "--open", cwd=folder, PUBLIC_ROUTINES="articles_of,prices"
    )
    with httpx.Client(base_url=f"{server.url}/api/v2/library/", timeout=30) as client:
        yield client


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in cases_of("table_cases_query.json")])
def test_a_case_gets_its_response(case: dict[str, Any], served: httpx.Client, database: str) -> None:
    if not _fresh[database]:
        execute(database, LIBRARY)
    _fresh[database] = not case.get("mutates")
    check(case["expect"], send(served, case["request"], FULL_KEY))
    for more in case.get("after", []):
        check(more["expect"], send(served, more["request"], FULL_KEY))
