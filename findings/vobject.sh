#!/usr/bin/env bash
# vobject 0.9.9 for Python, vcf 2.1.2 and vcard4 4.0.5 for Node: one valid vCard, read and written again.
#
# 1. vobject reads vCard 4.0 and writes a telephone number of the form of a URI with a backslash before ;ext=, which then
#    belongs to the URI (RFC 6350, 6.4.1). TYPE="voice,work", as in the RFC's example, is one type and not two.
# 2. vcf leaves the escapes in all values but keeps the texts between semicolons of ORG as one, so a comma in the name of
#    a company is shown as \, and a new line as \n. It renames Apple's X-ABLabel to X-AB-LABEL when it writes.
# 3. vcard4 rejects the whole card for SORT-AS on ORG, which the RFC defines (5.9).
#
# Seen with these versions; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check vobject==0.9.9
cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
npm install --silent --no-audit --no-fund vcf@2.1.2 vcard4@4.0.5
card() { printf '%s\r\n' BEGIN:VCARD VERSION:4.0 'FN:Ann Lee' 'N:Lee;Ann;;;' "$@" END:VCARD; }
card 'TEL;VALUE=uri;TYPE="voice,work":tel:+1-202-555-0100;ext=5' 'ORG:Acme\, Inc.;Sales' 'NOTE:one\ntwo' \
  'item1.EMAIL:ann@acme.example' 'item1.X-ABLabel:Office' >card.vcf
card 'ORG;SORT-AS="Acme":The Acme Company' >sorted.vcf
cat >program.py <<'PROGRAM'
import vobject

card = vobject.readOne(open("card.vcf", newline="").read())
print("vobject", card.tel.value, card.tel.params["TYPE"], card.org.value, repr(card.note.value))
print("vobject", next(line for line in card.serialize().splitlines() if line.startswith("TEL")))
PROGRAM
cat >program.js <<'PROGRAM'
import { readFileSync } from "node:fs";
import { parse } from "vcard4";
import VCard from "vcf";
const card = new VCard().parse(readFileSync("card.vcf", "utf8"));
console.log("vcf", card.get("org").valueOf(), card.get("note").valueOf(), JSON.stringify(card.get("tel").type));
console.log("vcf", card.toString().split("\r\n").find((line) => line.startsWith("item1.X")));
for (const name of ["card", "sorted"]) {
  try {
    parse(readFileSync(`${name}.vcf`, "utf8"));
    console.log("vcard4", name, "read");
  } catch (error) {
    console.log("vcard4", name, error.message);
  }
}
PROGRAM
{ venv/bin/python program.py && node program.js; } >seen
diff - seen <<'SEEN'
vobject tel:+1-202-555-0100;ext=5 ['voice,work'] ['Acme, Inc.', 'Sales'] 'one\ntwo'
vobject TEL;TYPE="voice,work";VALUE=uri:tel:+1-202-555-0100\;ext=5
vcf Acme\, Inc.;Sales one\ntwo ["voice","work"]
vcf item1.X-AB-LABEL:Office
vcard4 card read
vcard4 sorted vCard has unknown parameter: SORT-AS, on ORG property
SEEN
echo "vobject 0.9.9, vcf 2.1.2, vcard4 4.0.5: as described"
