"""Run the conformance cases of table_cases.json and table_cases_more.json against `tableapi serve --access`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.support import NewDatabase, Serve, execute
from tests.helpers.table_api import CASES, FIXTURE, FULL_KEY, access_file, check, key_of, send

_fresh: dict[str, bool] = {}


@pytest.fixture(scope="module")
def database(module_database: NewDatabase) -> str:
    return module_database()


@pytest.fixture(scope="module")
def served(database: str, module_serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("cases")
    access = folder / "access.json"
    access.write_text(json.dumps(access_file()))
    execute(database, FIXTURE)
    _fresh[database] = True
    server = module_serve("--dataset", f"cases={database}", "--access", str(access), cwd=folder, STRICT_OPTIONS="off")
    with httpx.Client(base_url=f"{server.url}/api/v2/cases/", timeout=30) as client:
        yield client


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_a_case_gets_its_response(case: dict[str, Any], served: httpx.Client, database: str) -> None:
    if not _fresh[database]:
        execute(database, FIXTURE)
    _fresh[database] = not case.get("mutates")
    check(case["expect"], send(served, case["request"], key_of(case.get("context"))))
    for more in case.get("after", []):
        check(more["expect"], send(served, more["request"], FULL_KEY))
