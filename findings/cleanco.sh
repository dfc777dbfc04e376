#!/usr/bin/env bash
# cleanco 2.3: basename() of names of companies, as a key for finding duplicates.
#
# 1. A name that is itself a legal form has an empty base name: SAS, and SE. All such companies become one.
# 2. Legal forms are removed at the end only, and in short form: Volvo AB becomes Volvo, AB Volvo remains. Deutsche Bank AG
#    becomes Deutsche Bank; with the form written out, Aktiengesellschaft, the name remains.
# 3. In the Swedish form of public companies, AB (publ), the closing bracket is cut off and the rest remains.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check cleanco==2.3
cat >"$folder/program.py" <<'PROGRAM'
from importlib.metadata import version

from cleanco import basename

NAMES = (
    "SAS", "SE", "Volvo AB", "AB Volvo", "Deutsche Bank AG", "Deutsche Bank Aktiengesellschaft", "Tele2 AB (publ)",
    "The Limited",
)
print("version", version("cleanco"))
for name in NAMES:
    print(name, "|", repr(basename(name)))
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" "$folder" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
version 2.3
SAS | ''
SE | ''
Volvo AB | 'Volvo'
AB Volvo | 'AB Volvo'
Deutsche Bank AG | 'Deutsche Bank'
Deutsche Bank Aktiengesellschaft | 'Deutsche Bank Aktiengesellschaft'
Tele2 AB (publ) | 'Tele2 AB (publ'
The Limited | 'The'
SEEN
echo "cleanco 2.3: as described"
