"""Run the journey of files from other programs, with the people of tests/data/corpus in the directory."""

from __future__ import annotations

from pathlib import Path

from tests.helpers.journeys import run_journey
from tests.helpers.support import DATA, ROOT, NewDatabase, Serve, tableapi

CORPUS = DATA / "corpus"
DIRECTORY = ("linkedin-connections.csv", "excel-de.csv", "openpyxl.xlsx", "excel-jp.csv")
# A domain in Unicode; the removal names it in ASCII.
REMOVED = (
    "full_name,linkedinurl,business_emails\nJürgen Punycode,linkedin.com/in/juergen-punycode,juergen@müller.example\n"
)


def test_files_of_other_programs_are_imported(serve: Serve, new_database: NewDatabase, tmp_path: Path) -> None:
    url, data = new_database(), tmp_path / "data"
    server = serve(cwd=ROOT, DEMO="1", WORKERS="1", RATE_LIMITS="off", DATABASE_URL=url, DATA_DIR=data)
    removed = tmp_path / "removed.csv"
    removed.write_text(REMOVED, encoding="utf-8")
    for file in (*(CORPUS / name for name in DIRECTORY), removed):
        done = tableapi("run", "importpeople", f"file={file}", cwd=ROOT, DATABASE_URL=url, DATA_DIR=data, INIT="off")
        assert done.returncode == 0, done.stderr
    run_journey("imports", server.url, FILES=str(CORPUS))
