"""Import people into the directory: `tableapi run importpeople file=people.csv [strict=1]`.

Safe to repeat.

Worker processes parse the lines, which are copied into a staging table and merged by profile key. If two lines have the
same key, the later one wins. Bad lines are reported by number and skipped, phone numbers that cannot be read are
reported and left out; with strict=1 either cancels the import.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel

from product.context import Context
from product.people import companies, removal
from product.people.import_file import COLUMNS, HEADER, OPTIONAL, Parsed, columns_of, read_block, start_worker
from tableapi import BadRequest, ProgressBar, script

BLOCK = 1 << 20

_STAGE = """
    create temporary table staging (line bigint, profilekey text, full_name text, title text, company text,
        company_domain text, country text, city text, industry text, company_size text, seniority text,
        jobfunction text, verification text, personalcipher bytea, businesscipher bytea, phonecipher bytea,
        searchable tsvector)
    on commit drop
"""
_FIELDS = ", ".join(COLUMNS[1:])
_MERGE = f"""
    insert into person ({_FIELDS})
    select distinct on (profilekey) {_FIELDS} from staging order by profilekey, line desc
    on conflict (profilekey) do update set {", ".join(f"{name} = excluded.{name}" for name in COLUMNS[2:])},
        source = 'import', updatedon = now()
"""  # noqa: S608 - names of columns
_COMPANIES = """select distinct lower(company) collate "C" as companykey from staging where company <> ''"""


class Input(BaseModel):
    file: Path
    strict: bool = False


class Output(BaseModel):
    imported: int
    skipped: int
    suppressed: int
    left_out: int
    seconds: float


class BadFile(BadRequest):
    """The file cannot be imported. The message is one line."""

    reason = "bad_file"


@dataclass(slots=True)
class _Tally:
    good: int = 0
    suppressed: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)
    left_out: list[tuple[int, str]] = field(default_factory=list)


@script(internal=True)
async def run(ctx: Context, input: Input) -> Output:
    started, tally = time.monotonic(), _Tally()
    file, header = _open(input.file)
    with file:
        async with ctx.db.transaction(), ctx.db.connection() as connection:
            await connection.execute("set local statement_timeout = 0")
            # Until the commit: a batch of deletion requests waits for it, and then finds the people of this file.
            await connection.execute("select pg_advisory_xact_lock_shared($1)", removal.LOCK)
            suppressed = frozenset(row["hash"] for row in await connection.fetch("select hash from suppression"))
            setup = (ctx.settings.secret_keys, ctx.settings.profile_host, suppressed, header)
            spawn = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(
                os.cpu_count(), mp_context=spawn, initializer=start_worker, initargs=setup
            ) as pool:
                await connection.execute(
                    "set local gin_pending_list_limit = '128MB'"
                )  # few large merges into the index
                await connection.execute("set local work_mem = '128MB'")
                await connection.execute(_STAGE)
                rows = _rows(file, pool, tally)
                await connection.copy_to_table("staging", source=rows, columns=COLUMNS, format="text")
                _report(tally, input)
                await connection.execute(_MERGE)
                await companies.add_up(connection, _COMPANIES)
    seconds = time.monotonic() - started
    _print(f"Imported {tally.good:,} people in {seconds:.1f} s ({tally.good / seconds * 60:,.0f} a minute); "
         f"skipped {len(tally.bad):,} bad lines, {tally.suppressed:,} on the removal list; "
         f"left out {len(tally.left_out):,} phone numbers.")  # fmt: skip
    return Output(
        imported=tally.good, skipped=len(tally.bad), suppressed=tally.suppressed, left_out=len(tally.left_out),
        seconds=round(seconds, 1),
    )  # fmt: skip


def _open(path: Path) -> tuple[BinaryIO, list[str]]:
    """Open the file, read past its header line, and return the columns that it names."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror}.") from None
    header = file.readline(10_000).removeprefix(b"\xef\xbb\xbf").strip()
    columns = columns_of(header.decode("utf-8", "replace"))
    if columns is None:
        file.close()
        raise BadFile(
            f"{path}: the first line must be {','.join(HEADER)}, optionally followed by {', '.join(OPTIONAL)}"
        )
    return file, columns


def _blocks(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines with the number of their first line; the header is line 1."""
    first = 2
    while block := file.read(BLOCK):
        block += file.readline()
        yield first, block
        first += block.count(b"\n")


async def _rows(file: BinaryIO, pool: ProcessPoolExecutor, tally: _Tally) -> AsyncIterator[bytes]:
    """Yield rows in file order. Reads only a few blocks ahead, so that memory use stays constant."""
    loop = asyncio.get_running_loop()
    bar = ProgressBar("Importing people", os.fstat(file.fileno()).st_size)
    ahead: deque[asyncio.Future[Parsed]] = deque()
    blocks = _blocks(file)
    while True:
        while len(ahead) < 2 * (os.cpu_count() or 1) and (block := next(blocks, None)):
            ahead.append(loop.run_in_executor(pool, read_block, *block))
        if not ahead:
            break
        parsed = await ahead.popleft()
        tally.good += parsed.good
        tally.suppressed += parsed.suppressed
        tally.bad += parsed.bad
        tally.left_out += parsed.left_out
        bar.at(file.tell(), tally.good)
        yield parsed.rows
    bar.end(tally.good)


def _report(tally: _Tally, input: Input) -> None:
    """Print what is left out, by line; raise BadFile (400) when there is anything and `strict` is set."""
    for number, reason in sorted([*tally.bad, *tally.left_out]):
        _print(f"line {number}: {reason}")
    if input.strict and (tally.bad or tally.left_out):
        raise BadFile(
            f"{len(tally.bad):,} bad lines, {len(tally.left_out):,} unreadable phone numbers; nothing was imported "
            "(strict=1)."
        )


def _print(line: str) -> None:
    sys.stderr.write(line + "\n")
