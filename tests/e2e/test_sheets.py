"""Open the files that the app downloads with another program."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.helpers.journeys import run_journey
from tests.helpers.support import ROOT, Serve

HEAD = ("Full_name", "Linkedin_url", "Personal_Emails", "Business_Emails", "Phone_numbers")


@pytest.fixture
def sheets(serve: Serve, new_database: Any, tmp_path: Path) -> Path:
    """Run the daily journey and return the folder of its downloads."""
    server = serve(cwd=ROOT, DEMO="1", WORKERS="1", RATE_LIMITS="off", DATABASE_URL=new_database())
    folder = tmp_path / "sheets"
    folder.mkdir()
    run_journey("dailywork", server.url, SHEETS=str(folder))
    return folder


@pytest.mark.filterwarnings("ignore:Workbook contains no default style")
def test_downloads_match_the_screens(sheets: Path) -> None:
    head, revealed, formula = openpyxl.load_workbook(sheets / "mycontacts.xlsx").active.iter_rows()
    assert tuple(cell.value for cell in head) == HEAD
    name, url, personal, business, phones = (cell.value for cell in revealed)
    assert name
    assert url.startswith("https://www.linkedin.com/in/")
    assert "@" in personal
    assert "@" in business
    assert phones.startswith("+")
    # A name that looks like a formula is a text cell, like every other cell.
    assert (formula[0].value, formula[0].data_type) == ("=1+1", "s")
    assert {cell.data_type for line in (revealed, formula) for cell in line if cell.value is not None} == {"s"}

    lines = list(openpyxl.load_workbook(sheets / "bulklookup.xlsx").active.iter_rows(values_only=True))
    assert [line[1] for line in lines] == ["Outcome", "Found", "Nothing found", "No profile address"]
    assert lines[1][3] == "Ivan Kim"

    with zipfile.ZipFile(sheets / "extension.zip") as extension:
        assert "openlead/manifest.json" in extension.namelist()
