"""The places of tables in a Citus cluster, compared with the table of tables of deploy/citus.sql."""

from __future__ import annotations

from tableapi.server.placement import FILE, Place, differences, wanted
from tests.helpers.support import ROOT

WANTED = wanted((ROOT / FILE).read_text())


def test_the_table_of_tables_is_read_whole() -> None:
    assert WANTED["webhook"] == Place("clientid", "client")
    assert WANTED["person"] == Place(None, "reference")
    assert WANTED["company"] is None
    assert len(WANTED) > 50


def test_differences_name_the_table_and_both_places() -> None:
    found = {
        "usercontact": Place("clientid", 4), "reveal": Place("personid", 4), "webhook": Place("clientid", 5),
        "person": Place(None, 2), "company": Place(None, 2),
    }  # fmt: skip
    names = ("usercontact", "reveal", "webhook", "person", "client", "company", "dropitem")
    assert list(differences({name: WANTED[name] for name in names}, found)) == [
        "reveal is distributed by personid, and should be distributed by clientid.",
        "webhook lies apart from the other tables of the group 'client'.",
        "client is on the coordinator alone, and should be a copy on every machine.",
        "company is a copy on every machine, and should be on the coordinator alone.",
    ]
