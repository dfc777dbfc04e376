#!/usr/bin/env bash
# charset-normalizer 3.5.2: what it makes of lists of names, as spreadsheets save them in an 8-bit encoding.
#
# 1. Two German lines in Windows-1252 are Big5: an umlaut and the letter after it become one ideograph inside a word of
#    Latin letters. Without a list of encodings, one name is cp1006 (Urdu).
# 2. With Windows-1252 and Windows-1250 to choose from, it takes the latter for Western names: São Paulo is Săo Paulo,
#    with a letter that no Western language has.
# 3. A header in ASCII and two Russian names are Korean (cp949), although every word is a capital and small letters in
#    Windows-1251.
# The order of `cp_isolation` does not matter. Coherence needs prose, and names are none.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check charset-normalizer==3.5.2
cat >"$folder/program.py" <<'PROGRAM'
from charset_normalizer import from_bytes

ALL = ["cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp932", "gb18030", "big5", "cp949", "mac_roman"]
for text, own, isolation in (
    ("Name;Stadt\nJörg;Köln\n", "cp1252", ALL),
    ("Jörg;Müller", "cp1252", None),
    ("Name,City\nZoë,Málaga\nJosé,São Paulo\n", "cp1252", ["cp1252", "cp1250"]),
    ("Name,City\nZoë,Málaga\nJosé,São Paulo\n", "cp1252", ["cp1250", "cp1252"]),
    ("Name;City\nИван Петров;Казань", "cp1251", ALL),
):
    best = from_bytes(text.encode(own), cp_isolation=isolation).best()
    print(own, "->", best.encoding, ascii(str(best)))
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
cp1252 -> big5 'Name;Stadt\nJ\u9864g;K\u95e4n\n'
cp1252 -> cp1006 'J\ufe89rg;M\ufbb0ller'
cp1252 -> cp1250 'Name,City\nZo\xeb,M\xe1laga\nJos\xe9,S\u0103o Paulo\n'
cp1252 -> cp1250 'Name,City\nZo\xeb,M\xe1laga\nJos\xe9,S\u0103o Paulo\n'
cp1251 -> cp949 'Name;City\n\ud744\u965d \u8eac\u75be\u837b;\u9593\u88d4\u8d13'
SEEN
echo "charset-normalizer 3.5.2: as described"
