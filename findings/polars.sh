#!/usr/bin/env bash
# polars 2.1.0: dates in a CSV file read by read_csv(try_parse_dates=True).
#
# 1. A year of two digits is taken as it is: 03.04.26 is in the year 26, a valid Date and no error. So it is with / and -.
# 2. One column may mix both: below 03.04.2026, the row 13.04.26 is 2,000 years earlier.
# 3. Dates with the month first and a day above 12 remain text.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0
cat >"$folder/program.py" <<'PROGRAM'
import polars

COLUMNS = {
    "short": ("03.04.26", "13.04.26"),
    "long": ("03.04.2026", "13.04.2026"),
    "slashes": ("03/04/26", "13/04/26"),
    "dashes": ("03-04-26", "13-04-26"),
    "american": ("04/13/2026", "04/14/2026"),
    "short after long": ("03.04.2026", "13.04.26"),
}
print("version", polars.__version__)
for name, values in COLUMNS.items():
    text = "id,value\n" + "".join(f"{row},{value}\n" for row, value in enumerate(values, 1))
    column = polars.read_csv(text.encode(), try_parse_dates=True)["value"]
    print(name, column.dtype, *(str(value) for value in column), sep=" | ")
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" "$folder" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
version 2.1.0
short | Date | 0026-04-03 | 0026-04-13
long | Date | 2026-04-03 | 2026-04-13
slashes | Date | 0026-04-03 | 0026-04-13
dashes | Date | 0026-04-03 | 0026-04-13
american | String | 04/13/2026 | 04/14/2026
short after long | Date | 2026-04-03 | 0026-04-13
SEEN
echo "polars 2.1.0: as described"
