"""The cycle of California's DROP: store a batch, match it, erase people, and report each item.

Every stage stores its result in the database and can be resumed: DROP delivers a batch once, and the next one when
every item has a status. Only lists with identifiers that the directory contains can match.
"""

from __future__ import annotations

import asyncio
import csv
import io
import multiprocessing
import os
import re
import time
import zipfile
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import orjson
import structlog

from product.contacts.contact import emails_of
from product.context import Context
from product.people import erasure, removal
from product.vendors.drop import BadArchive, Drop
from tableapi import Vault

log = structlog.get_logger(__name__)
EXEMPTED, DELETED, OPTED_OUT, NOT_FOUND = 2, 3, 4, 5
ROWS = 20_000  # people or contacts compared by a process at a time
OVERDUE_DAYS = 40  # DROP must be queried every 45 days
_FILE = re.compile(r"(?P<prefix>\d{8}_[A-Za-z0-9]+)_(?P<list>NDZ|Email|Phone|MAID|NameVIN|CTVID|Removed)\.csv")

_OPEN = "select * from dropbatch where reportedon is null order by batchid limit 1"
_BATCH = "insert into dropbatch (name) values ($1) returning *"
_STAGE = "create temporary table dropstage (itemid text, list text, hash bytea) on commit drop"
# The ID of an item is permanent. An item that is delivered again keeps its hash and is reported again.
_ITEMS = """
    insert into dropitem (itemid, batchid, list, hash)
    select distinct on (itemid) itemid, $1::bigint, list, hash from dropstage order by itemid
    on conflict (itemid) do update set batchid = excluded.batchid, list = excluded.list, hash = excluded.hash,
        status = null
"""
_LIST = """
    insert into suppression (hash, kind, erasedon)
    select distinct on (hash) hash, case list when 'Email' then 'dropemail' else 'dropphone' end, now()
    from dropstage where list in ('Email', 'Phone') order by hash
    on conflict do nothing
"""
_WITHDRAWN = """
    with gone as (
        delete from dropitem where itemid in (select itemid from dropstage where list = 'Removed') returning hash)
    delete from suppression s using gone g
    where s.hash = g.hash and s.kind in ('dropemail', 'dropphone')
      and not exists (select 1 from dropitem i where i.hash = g.hash
                      and i.itemid not in (select itemid from dropstage where list = 'Removed'))
"""
_HASHES = """
    select hash from dropitem
    where list in ('Email', 'Phone') and (batchid = $1 or $1 is null and status = 5 and cardinality(personids) = 0)
"""
_PEOPLE = """
    select personid, personalcipher, businesscipher, phonecipher from person
    where personid > $1 and (personalcipher is not null or businesscipher is not null or phonecipher is not null)
    order by personid limit $2
"""
_CONTACTS = """
    select contactid, personid, emails, phone_numbers from usercontact
    where contactid > $1 and (emails is not null or phone_numbers is not null) order by contactid limit $2
"""
_MATCHED = """
    update dropitem i set personids = m.personids
    from (select hash, array_agg(distinct personid) as personids
          from unnest($1::bytea[], $2::bigint[]) as x (hash, personid) group by hash) m
    where i.hash = m.hash and (i.batchid = $3 or $3 is null)
"""
_STATUS = """
    update dropitem set status = case cardinality(personids) when 0 then 5 when 1 then 3 else 4 end where batchid = $1
"""
_HIDE = "update person set searchable = '' where personid = any($1) and full_name <> '' returning profilekey"
_SUPPRESS = "insert into suppression (hash, kind) select unnest($1::bytea[]), 'profile' on conflict do nothing"
_IS_MATCHED = "update dropbatch set matchedon = now() where batchid = $1"
_TO_ERASE = """
    select distinct p.personid, p.profilekey from dropitem i, unnest(i.personids) as x (personid)
    join person p on p.personid = x.personid order by p.personid
"""
_ERASED = "update dropitem set personids = '{}' where personids <> '{}'"
_LISTS = "select distinct list from dropitem where batchid = $1 order by list"
_STATUSES = "select itemid, status from dropitem where batchid = $1 and list = $2 order by itemid"
_REPORTED = "update dropbatch set reportedon = now() where batchid = $1"
_LAST = "select max(downloadedon) as last from dropbatch"
_AMENDED = """
    update dropitem i set status = case cardinality(i.personids) when 1 then 3 else 4 end
    from dropbatch b where b.batchid = i.batchid and i.status = 5 and cardinality(i.personids) > 0
    returning i.itemid, i.status, i.list, b.name
"""


_Pair = tuple[bytes, int]  # a matching hash, and its person


@dataclass(frozen=True, slots=True)
class _Batch:
    batchid: int
    name: str
    matchedon: datetime | None


@dataclass(frozen=True, slots=True)
class _Amended:
    itemid: str
    status: int
    list: str
    name: str


@dataclass(frozen=True, slots=True)
class _Matched:
    personid: int
    profilekey: str


@dataclass(slots=True)
class Result:
    """The outcome of a cycle. `waiting`: seconds that DROP needs to prepare; `empty`: nothing is new."""

    items: int = 0
    matched: int = 0
    people: int = 0
    withdrawn: int = 0
    match_seconds: float = 0.0
    reported: tuple[str, ...] = ()
    waiting: int = 0
    empty: bool = False


async def cycle(ctx: Context, drop: Drop) -> Result:
    """Finish an open batch, or download the next one and run every stage."""
    result = Result()
    batch = await ctx.db.first(_Batch, _OPEN)
    if batch is None:
        download = await drop.download()
        if download.archive is None:
            result.waiting, result.empty = download.retry_after, not download.retry_after
            await _warn(ctx)
            return result
        batch = await _store(ctx, download.name, download.archive, result)
    if batch.matchedon is None:
        await _match(ctx, batch.batchid, result)
    result.people = await _erase(ctx)
    result.reported = await _report(ctx, drop, batch)
    return result


async def recheck(ctx: Context, drop: Drop) -> Result:
    """Match items reported as not found once more, and amend the status of those that now match."""
    result = Result()
    found = await _compare(ctx, None, result)
    async with ctx.db.transaction():
        await _take_out(ctx, found, None)
        rows = await ctx.db.all(_Amended, _AMENDED)
    result.people = await _erase(ctx)
    files: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for row in rows:
        file = f"{_prefix(row.name)}_{row.list}_{datetime.now(UTC):%d%H%M%S}.csv"
        files[file].append((row.itemid, row.status))
    for name, items in files.items():
        await drop.amend(name, _statuses(items))
    result.matched, result.reported = len(rows), tuple(files)
    return result


async def _warn(ctx: Context) -> None:
    last = await ctx.db.first_value(datetime, _LAST)
    if last is not None and (days := (datetime.now(UTC) - last).days) >= OVERDUE_DAYS:
        log.warning("drop_without_batch", days=days)


def _prefix(name: str) -> str:
    """Return the date and the data broker's number from an archive's name, as used in its file names."""
    return "_".join(name.split("_")[:2])


# Store ----------------------------------------------------------------------------------------------------------------


async def _store(ctx: Context, name: str, archive: bytes, result: Result) -> _Batch:
    """Store the items of an archive, and put their hashes on the removal list."""
    rows = await asyncio.to_thread(_rows, ctx.vault, archive)
    async with ctx.db.transaction(), ctx.db.connection() as connection:
        await connection.execute("set local statement_timeout = 0")
        # Waits for imports that have read the list without these hashes: matching must see the people that they write.
        await connection.execute("select pg_advisory_xact_lock($1)", removal.LOCK)
        batch = await ctx.db.one(_Batch, _BATCH, name)
        await connection.execute(_STAGE)
        await connection.copy_records_to_table("dropstage", records=rows)
        withdrawn = await connection.execute(_WITHDRAWN)
        await connection.execute("delete from dropstage where list = 'Removed'")
        await connection.execute(_ITEMS, batch.batchid)
        await connection.execute(_LIST)
    result.withdrawn = int(withdrawn.rpartition(" ")[2])
    result.items = sum(row[1] != "Removed" for row in rows)
    return batch


def _rows(vault: Vault, archive: bytes) -> list[tuple[str, str, bytes | None]]:
    """Return the item, list and stored hash of each line of an archive. Raises BadArchive."""
    rows: list[tuple[str, str, bytes | None]] = []
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as files:
            for name in files.namelist():
                if not (match := _FILE.fullmatch(name.rpartition("/")[2])):
                    raise BadArchive(f"DROP's archive holds {name!r}, which is not a list. Nothing was stored.")
                with files.open(name) as file:
                    rows += _of_list(vault, match["list"], io.TextIOWrapper(file, "utf-8-sig", newline=""))
    except (zipfile.BadZipFile, UnicodeDecodeError, csv.Error, EOFError) as error:
        raise BadArchive(f"DROP's archive cannot be read ({type(error).__name__}). Nothing was stored.") from None
    return rows


def _of_list(vault: Vault, listed: str, lines: Iterable[str]) -> Iterator[tuple[str, str, bytes | None]]:
    reader = csv.reader(lines)
    header = [name.strip().lower() for name in next(reader, [])]
    if header[:2] != ["id", "hash"]:
        raise BadArchive(f"The list {listed} of DROP must begin with ID,Hash, not with {','.join(header)!r}.")
    known = listed in removal.KINDS
    for line in reader:
        if len(line) < 2:
            raise BadArchive(f"Line {reader.line_num} of the list {listed} of DROP has no hash.")
        yield line[0], listed, removal.stored_hash(vault, listed, line[1]) if known else None


# Match ----------------------------------------------------------------------------------------------------------------


async def _match(ctx: Context, batchid: int, result: Result) -> None:
    """Set the status of each item in a batch, and hide matching people from every look-up."""
    found = await _compare(ctx, batchid, result)
    async with ctx.db.transaction():
        await _take_out(ctx, found, batchid)
        await ctx.db.execute(_STATUS, batchid)
        await ctx.db.execute(_IS_MATCHED, batchid)
    result.matched = len({hashed for hashed, _ in found})


async def _take_out(ctx: Context, found: Sequence[_Pair], batchid: int | None) -> None:
    await ctx.db.execute(_MATCHED, [hashed for hashed, _ in found], [ident for _, ident in found], batchid)
    keys = await ctx.db.fetch(_HIDE, [ident for _, ident in found])
    await ctx.db.execute(_SUPPRESS, [ctx.vault.index("profile", row["profilekey"]) for row in keys])


async def _compare(ctx: Context, batchid: int | None, result: Result) -> list[_Pair]:
    """Return the matching hashes with their people, from the directory and from bought contacts."""
    started = time.monotonic()
    wanted = frozenset(row["hash"] for row in await ctx.db.fetch(_HASHES, batchid))
    found: set[_Pair] = set()
    if wanted:
        async for pairs in _compared(ctx, wanted):
            found.update(pairs)
    result.match_seconds = round(time.monotonic() - started, 1)
    return sorted(found)


async def _compared(ctx: Context, wanted: frozenset[bytes]) -> AsyncIterator[list[_Pair]]:
    few = not await ctx.db.fetch("select 1 from person offset $1 limit 1", ROWS)
    setup, loop = (ctx.settings.secret_keys, wanted), asyncio.get_running_loop()
    with _pool(few, setup) as pool:
        running: list[asyncio.Future[list[_Pair]]] = []
        async for compare in _sealed(ctx):
            running.append(loop.run_in_executor(pool, compare))
            if len(running) > 2 * (os.cpu_count() or 1):
                yield await running.pop(0)
        for each in running:
            yield await each


def _pool(few: bool, setup: tuple[Sequence[str], frozenset[bytes]]) -> Executor:
    if few:
        return ThreadPoolExecutor(1, initializer=_start_worker, initargs=setup)
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(os.cpu_count(), mp_context=spawn, initializer=_start_worker, initargs=setup)


async def _sealed(ctx: Context) -> AsyncIterator[Callable[[], list[_Pair]]]:
    """Yield the comparison of each batch of people and of contacts."""
    last = 0
    while rows := await ctx.db.fetch(_PEOPLE, last, ROWS):
        yield partial(_compare_people, [tuple(row) for row in rows])
        last = rows[-1]["personid"]
    last = 0
    while rows := await ctx.db.fetch(_CONTACTS, last, ROWS):
        yield partial(_compare_contacts, [tuple(row)[1:] for row in rows])
        last = rows[-1]["contactid"]


_worker: tuple[Vault, frozenset[bytes]] | None = None


def _start_worker(secret_keys: Sequence[str], wanted: frozenset[bytes]) -> None:
    """Keep the keys and the hashes of the batch in this process."""
    global _worker
    _worker = (Vault(secret_keys), wanted)


def _compare_people(rows: Sequence[tuple[int, bytes | None, bytes | None, bytes | None]]) -> list[_Pair]:
    """Return the requested hashes that occur among some people's values, with the id of each person."""
    vault, _ = _of_process()
    pairs: list[_Pair] = []
    for ident, *sealed in rows:
        personal, business, phones = (
            [] if value is None else orjson.loads(vault.open_bytes(value)) for value in sealed
        )
        pairs += _wanted(ident, [*personal, *(address for address, _ in business)], phones)
    return pairs


def _compare_contacts(rows: Sequence[tuple[int, str | None, str | None]]) -> list[_Pair]:
    """Return the requested hashes that occur among some contacts' values, with the id of each person."""
    vault, _ = _of_process()
    pairs: list[_Pair] = []
    for ident, emails, numbers in rows:
        phones = [] if numbers is None else vault.open(numbers).split(",")
        pairs += _wanted(ident, [item["address"] for item in emails_of(vault, emails)], phones)
    return pairs


def _wanted(ident: int, addresses: list[str], phones: list[str]) -> list[_Pair]:
    vault, wanted = _of_process()
    return [(hashed, ident) for hashed in removal.drop_hashes(vault, addresses, phones) if hashed in wanted]


def _of_process() -> tuple[Vault, frozenset[bytes]]:
    assert _worker is not None
    return _worker


# Erase and report -----------------------------------------------------------------------------------------------------


async def _erase(ctx: Context) -> int:
    """Erase the people of matched items, and return their number."""
    rows = await ctx.db.all(_Matched, _TO_ERASE)
    touched = [await erasure.erase(ctx, row.personid, row.profilekey) for row in rows]
    await erasure.finish(ctx, touched)
    await ctx.db.execute(_ERASED)
    return len(rows)


async def _report(ctx: Context, drop: Drop, batch: _Batch) -> tuple[str, ...]:
    """Upload the status of every item, with one file for each list, named after the list."""
    names = []
    for row in await ctx.db.fetch(_LISTS, batch.batchid):
        items = [tuple(item) for item in await ctx.db.fetch(_STATUSES, batch.batchid, row["list"])]
        name = f"{_prefix(batch.name)}_{row['list']}.csv"
        await drop.upload(name, _statuses(items))
        names.append(name)
    await ctx.db.execute(_REPORTED, batch.batchid)
    return tuple(names)


def _statuses(items: Iterable[tuple[str, int]]) -> bytes:
    return "".join(["Id,Status\n", *(f"{itemid},{status}\n" for itemid, status in items)]).encode()
