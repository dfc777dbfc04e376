#!/usr/bin/env bash
# schwifty 2026.10.1: the BIC of a bank has two valid forms, of 8 and of 11 characters with XXX (ISO 9362).
#
# 1. Which one IBAN.bic returns depends on the source of the country: 11 for Germany, Britain and Poland, 8 for France,
#    Spain and the Netherlands. For Austria, Belgium and Switzerland these valid IBANs have no bank in the registry: None.
# 2. The two forms are not equal and not the same key of a set.
# 3. exists looks for the form as written: one form of the same bank exists and the other does not, and which one it is
#    differs between countries.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check schwifty==2026.10.1
cat >"$folder/program.py" <<'PROGRAM'
from importlib.metadata import version

from schwifty import BIC, IBAN

IBANS = (
    "DE89370400440532013000", "GB29NWBK60161331926819", "PL61109010140000071219812874", "FR1420041010050500013M02606",
    "ES9121000418450200051332", "NL91ABNA0417164300", "AT611904300234573201", "BE68539007547034", "CH9300762011623852957",
)
print("version", version("schwifty"))
for iban in IBANS:
    print(iban, IBAN(iban).bic)
print("equal", BIC("DEUTDEFF") == BIC("DEUTDEFFXXX"), len({BIC("DEUTDEFF"), BIC("DEUTDEFFXXX")}))
for bic in ("DEUTDEFF", "PSSTFRPP"):
    print(bic, BIC(bic).exists, BIC(bic + "XXX").exists)
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" "$folder" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
version 2026.10.1
DE89370400440532013000 COBADEFFXXX
GB29NWBK60161331926819 NWBKGB2LXXX
PL61109010140000071219812874 WBKPPLPPXXX
FR1420041010050500013M02606 PSSTFRPP
ES9121000418450200051332 CAIXESBB
NL91ABNA0417164300 ABNANL2A
AT611904300234573201 None
BE68539007547034 None
CH9300762011623852957 None
equal False 2
DEUTDEFF False True
PSSTFRPP True False
SEEN
echo "schwifty 2026.10.1: as described"
