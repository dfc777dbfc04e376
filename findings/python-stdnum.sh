#!/usr/bin/env bash
# python-stdnum 2.2: what validating tax numbers of several countries in one field meets.
#
# 1. vatin knows EL and GR for Greece and keeps the prefix that was typed: one company has two spellings. A number of
#    eight digits is filled up to nine.
# 2. XI (Northern Ireland) passes vatin and eu.vat, where GB fails, although both follow the same rule.
# 3. A Dutch number is returned longer than it was typed: with two leading zeros.
# 4. A Swiss UID, CHE and nine digits, is InvalidLength for vatin: it needs the suffix MWST, TVA, IVA or TPV. ch.uid
#    accepts it without, and rejects it with one.
# 5. vatin has no rule for the United States, which have no VAT, so a valid EIN with the prefix US is an
#    InvalidComponent, as if the country did not exist. us.ein accepts it without the prefix, also without the hyphen.
# 6. InvalidLength is a kind of InvalidFormat: a handler for the latter must come second.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check python-stdnum==2.2
cat >"$folder/program.py" <<'PROGRAM'
from stdnum import exceptions, vatin
from stdnum.ch import uid
from stdnum.eu import vat
from stdnum.us import ein


def outcome(module, number):
    try:
        return module.validate(number)
    except exceptions.ValidationError as error:
        return type(error).__name__


for module, number in (
    (vatin, "EL094259216"), (vatin, "GR094259216"), (vatin, "EL94259216"), (vat, "XI432525179"), (vat, "GB432525179"),
    (vatin, "GB432525179"), (vatin, "NL4495445B01"), (vatin, "CHE107787577"), (vatin, "CHE107787577MWST"),
    (uid, "CHE107787577"), (uid, "CHE107787577MWST"), (vatin, "US123456789"), (ein, "12-3456789"), (ein, "123456789"),
):
    print(module.__name__, number, outcome(module, number))
print(issubclass(exceptions.InvalidLength, exceptions.InvalidFormat))
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
stdnum.vatin EL094259216 EL094259216
stdnum.vatin GR094259216 GR094259216
stdnum.vatin EL94259216 EL094259216
stdnum.eu.vat XI432525179 XI432525179
stdnum.eu.vat GB432525179 InvalidComponent
stdnum.vatin GB432525179 GB432525179
stdnum.vatin NL4495445B01 NL004495445B01
stdnum.vatin CHE107787577 InvalidLength
stdnum.vatin CHE107787577MWST CHE107787577MWST
stdnum.ch.uid CHE107787577 CHE107787577
stdnum.ch.uid CHE107787577MWST InvalidLength
stdnum.vatin US123456789 InvalidComponent
stdnum.us.ein 12-3456789 123456789
stdnum.us.ein 123456789 123456789
True
SEEN
echo "python-stdnum 2.2: as described"
