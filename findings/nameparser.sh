#!/usr/bin/env bash
# nameparser 2.6.0: usual names of people that are split so that a CRM has no last name, or no first one.
#
# 1. A first name that is also a title is one: "Prince Harry" and "Queen Latifah" have a first name only, and so has "Sir
#    Ian".
# 2. A particle in front takes everything: "Dos Santos Maria" has a last name of three words and no first name, while
#    "Bin Laden" and "Von Miller" have two parts.
# 3. A suffix in front, as in a column that was sorted, is a title: "Jr. Smith".
# 4. A pronoun in brackets is a nickname, a degree after a comma a suffix, so neither is part of the name.
# 5. One word is a first name.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check nameparser==2.6.0
cat >"$folder/program.py" <<'PROGRAM'
from nameparser import HumanName

for text in (
    "Prince Harry", "Queen Latifah", "Sir Ian", "Dos Santos Maria", "Von Miller", "Bin Laden", "Ludwig van Beethoven",
    "Maria de los Angeles Garcia", "Jr. Smith", "Jane Doe (she/her)", "Jane Doe, PhD", "Ng, Wei Ming", "José",
):
    name = HumanName(text)
    print(f"{text}: title={name.title!r} first={name.first!r} middle={name.middle!r} last={name.last!r}"
          f" suffix={name.suffix!r} nickname={name.nickname!r}")
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
Prince Harry: title='Prince' first='Harry' middle='' last='' suffix='' nickname=''
Queen Latifah: title='Queen' first='Latifah' middle='' last='' suffix='' nickname=''
Sir Ian: title='Sir' first='Ian' middle='' last='' suffix='' nickname=''
Dos Santos Maria: title='' first='' middle='' last='Dos Santos Maria' suffix='' nickname=''
Von Miller: title='' first='Von' middle='' last='Miller' suffix='' nickname=''
Bin Laden: title='' first='Bin' middle='' last='Laden' suffix='' nickname=''
Ludwig van Beethoven: title='' first='Ludwig' middle='' last='van Beethoven' suffix='' nickname=''
Maria de los Angeles Garcia: title='' first='Maria' middle='' last='de los Angeles Garcia' suffix='' nickname=''
Jr. Smith: title='Jr.' first='' middle='' last='Smith' suffix='' nickname=''
Jane Doe (she/her): title='' first='Jane' middle='' last='Doe' suffix='' nickname='she/her'
Jane Doe, PhD: title='' first='Jane' middle='' last='Doe' suffix='PhD' nickname=''
Ng, Wei Ming: title='' first='Wei' middle='Ming' last='Ng' suffix='' nickname=''
José: title='' first='José' middle='' last='' suffix='' nickname=''
SEEN
echo "nameparser 2.6.0: as described"
