#!/usr/bin/env bash
# duckdb 2.0.1 for Python: the types that its CSV reader finds in the columns of a contact list.
#
# 1. A column of country codes that has only NO (Norway) is BOOLEAN, and every country is false. One other code makes the
#    whole column text, so the type depends on which customers a file happens to have.
# 2. Dates with the day first and two digits of the year, such as 03.04.26, are DATE with the day as the year: 2003-04-26.
# 3. One -infinity, as PostgreSQL writes it, turns a column of timestamps without zone into TIMESTAMP WITH TIME ZONE: the
#    other values become times of the session's zone. Python fetches the infinite one as the year 1, without zone.
# 4. Codes such as 0x1F are BIGINT, read as hexadecimal. Codes with a zero in front, such as 02139, remain text.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check duckdb==2.0.1
cat >"$folder/program.py" <<'PROGRAM'
import sys
from pathlib import Path

import duckdb

COLUMNS = {
    "country": ("NO", "NO"),
    "with another": ("NO", "SE"),
    "day": ("03.04.26", "13.04.26"),
    "timestamps": ("2024-01-01 10:00:00", "2024-01-02 10:00:00"),
    "with infinity": ("2024-01-01 10:00:00", "-infinity"),
    "code": ("0x1F", "0x20"),
    "zip": ("02139", "10115"),
}
print("version", duckdb.__version__)
connection = duckdb.connect()
connection.execute("set timezone = 'Asia/Tokyo'")
for name, values in COLUMNS.items():
    file = Path(sys.argv[1]) / "list.csv"
    file.write_text("id,value\n" + "".join(f"{row},{value}\n" for row, value in enumerate(values, 1)))
    found = connection.execute("select value from read_csv(?)", [str(file)])
    kind = found.description[0][1]
    print(name, kind, *(str(value) for (value,) in found.fetchall()), sep=" | ")
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" "$folder" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
version 2.0.1
country | BOOLEAN | False | False
with another | VARCHAR | NO | SE
day | DATE | 2003-04-26 | 2013-04-26
timestamps | TIMESTAMP | 2024-01-01 10:00:00 | 2024-01-02 10:00:00
with infinity | TIMESTAMP WITH TIME ZONE | 2024-01-01 10:00:00+09:00 | 0001-01-01 00:00:00
code | BIGINT | 31 | 32
zip | VARCHAR | 02139 | 10115
SEEN
echo "duckdb 2.0.1: as described"
