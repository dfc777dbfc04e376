"""Import people into the directory: `tableapi run importpeople file=people.csv`. Safe to repeat.

The file has the columns of `import_file`, or those of another program's table in any encoding (`other_files`). Worker
processes parse the lines, which are copied into a staging table and merged by profile key in their order. A cell
replaces the known value; an empty one leaves it. Bad lines are skipped, and values that cannot be read are left out;
with strict=1 either cancels the import. A line that names another person than the stored one, by name and company, is
skipped, too, unless replace=1 says that the address has passed to that person. A file beside the imported one has these
lines and the reasons, and can be imported once mended.
"""

from __future__ import annotations

import asyncio
import csv
import io
import multiprocessing
import os
import sys
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel

from product import encodings
from product.context import Context
from product.people import companies, identity, indexing, other_files, removal
from product.people.companies import Connection
from product.people.import_file import (
    COLUMNS,
    HEADER,
    IGNORED,
    MAX_LINES,
    OPTIONAL,
    Parsed,
    columns_of,
    read_block,
    records,
    start_worker,
)
from product.sheets import BadSheet
from tableapi import BadRequest, ProgressBar, script

BLOCK = 1 << 20
OTHER_PERSON = "the address is stored for a person with another name and company; replace=1 takes this one"
MAX_PRINTED = 100  # lines of the report
_NEEDED = f"{','.join(HEADER)}, optionally followed by {', '.join(OPTIONAL)}, or those of another program"

_STAGE = """
    create temporary table staging (line bigint, profilekey text, full_name text, title text, company text,
        company_domain text, country text, city text, industry text, company_size text, seniority text,
        jobfunction text, verification text, personalcipher bytea, businesscipher bytea, phonecipher bytea,
        searchable tsvector)
    on commit drop
"""
_FIELDS = ", ".join(COLUMNS[1:])
_OWN = ("title", "company", "country")
_ABOUT = {  # columns that a new value of another one replaces, too
    "seniority": "title", "jobfunction": "title", "company_domain": "company", "industry": "company",
    "company_size": "company", "city": "country", "verification": "businesscipher",
}  # fmt: skip
_VALUES = ("personalcipher", "businesscipher", "phonecipher")


def _kept(name: str) -> str:
    """Return the condition under which the known value stays, because the line has none."""
    about = _ABOUT.get(name)
    empty = f"excluded.{name} is null" if name in (*_VALUES, "verification") else f"excluded.{name} = ''"
    if about is None:
        return empty
    same = f"excluded.{about} is null" if about in _VALUES else f"excluded.{about} in ('', person.{about})"
    return f"{empty} and {same}"


_MERGED = {name: f"case when {_kept(name)} then person.{name} else excluded.{name} end"
           for name in (*_OWN, *_ABOUT, *_VALUES)}  # fmt: skip
# The terms of a line are those of its own values. Where others are kept, they are computed again.
_IS_WHOLE = " and ".join(f"{merged} is not distinct from excluded.{name}" for name, merged in _MERGED.items())
_MERGED |= {"full_name": "excluded.full_name", "searchable": f"case when {_IS_WHOLE} then excluded.searchable end"}
_FIRST = f"(select distinct on (profilekey) {_FIELDS} from staging order by profilekey, line) first"  # noqa: S608
# The other lines of people with several, by their number among these.
_LATER = f"""
    create temporary table later on commit drop as
    select {_FIELDS}, row_number() over (partition by profilekey order by line) as nth
    from staging join (select profilekey, min(line) as first from staging group by profilekey having count(*) > 1) more
         using (profilekey)
    where line > first
"""  # noqa: S608
_NTH = "(select * from later where nth = {number}) nth"


def _merge(source: str) -> str:
    """Return the statement that merges one line of each person into what is known."""
    return f"""
        insert into person ({_FIELDS})
        select {_FIELDS} from {source}
        on conflict (profilekey) do update set {", ".join(f"{name} = {_MERGED[name]}" for name in COLUMNS[2:])},
            source = 'import', updatedon = excluded.updatedon
    """  # noqa: S608 - names of columns


_COMPANIES = """select distinct lower(company) collate "C" as companykey from staging where company <> ''"""


# Lines with another name and another company than those stored under their address.
_OTHERS = """
    select s.line, p.personid, p.full_name as stored_name, p.company as stored_company,
           p.company_domain as stored_domain, s.full_name, s.company, s.company_domain
    from staging s join person p using (profilekey)
    where s.company <> '' and p.company <> '' and lower(s.full_name) <> lower(p.full_name)
      and lower(s.company) <> lower(p.company)
"""
_LEAVE = "delete from staging where line = any($1)"
# The former holder of an address keeps none in the directory; contacts that were paid for stay with their accounts.
_FORMER = """
    update person set profilekey = 'former/' || personid, full_name = '', title = '', company = '', company_domain = '',
        country = '', city = '', industry = '', company_size = '', seniority = '', jobfunction = '',
        verification = null, searchable = '', personalcipher = null, businesscipher = null, phonecipher = null,
        updatedon = now()
    where personid = any($1)
"""


class Input(BaseModel):
    file: Path
    strict: bool = False
    replace: bool = False


class Output(BaseModel):
    """The result. exit_code: 3 if something was left out."""

    imported: int
    skipped: int
    suppressed: int
    left_out: int
    seconds: float
    exit_code: int = 0


class BadFile(BadRequest):
    """The file cannot be imported. The message is one line."""

    reason = "bad_file"


@dataclass(slots=True)
class _Tally:
    good: int = 0
    suppressed: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)
    left_out: list[tuple[int, str]] = field(default_factory=list)
    records: dict[int, bytes] = field(default_factory=dict)


@script(internal=True)
async def run(ctx: Context, input: Input) -> Output:
    started, tally = time.monotonic(), _Tally()
    file, header, numbers = _open(input.file)
    with file:
        async with ctx.db.transaction(), ctx.db.connection() as connection:
            await connection.execute("set local statement_timeout = 0")
            # Until the commit: a batch of deletion requests waits for it, and then finds the people of this file.
            await connection.execute("select pg_advisory_xact_lock_shared($1)", removal.LOCK)
            suppressed = frozenset(row["hash"] for row in await connection.fetch("select hash from suppression"))
            setup = (ctx.settings.secret_keys, ctx.settings.profile_host, suppressed, header)
            with _workers(os.fstat(file.fileno()).st_size, setup) as pool:
                await connection.execute(
                    "set local gin_pending_list_limit = '128MB'"
                )  # few large merges into the index
                await connection.execute("set local work_mem = '128MB'")
                await connection.execute(_STAGE)
                rows = _rows(file, pool, tally)
                await connection.copy_to_table("staging", source=rows, columns=COLUMNS, format="text")
                await _take_others(connection, file, tally, replace=input.replace)
                _report(tally, input, header, numbers)
                await connection.execute(_merge(_FIRST))
                await connection.execute(_LATER)
                most = await connection.fetchval("select coalesce(max(nth), 0) from later")
                for number in range(1, most + 1):
                    await connection.execute(_merge(_NTH.format(number=number)))
                await indexing.fill_people(ctx)
                await companies.add_up(connection, _COMPANIES)
    seconds = time.monotonic() - started
    _print(f"Imported {tally.good:,} people in {seconds:.1f} s ({tally.good / seconds * 60:,.0f} a minute); "
         f"{tally.suppressed:,} are on the removal list.")  # fmt: skip
    return Output(
        imported=tally.good, skipped=len(tally.bad), suppressed=tally.suppressed, left_out=len(tally.left_out),
        seconds=round(seconds, 1), exit_code=3 if tally.records else 0,
    )  # fmt: skip


def _open(path: Path) -> tuple[BinaryIO, list[str], Sequence[int]]:
    """Open the file behind its header line, and return its columns.

    The table of another program, or one in another encoding, is converted; the line numbers of its rows are returned,
    too.
    """
    try:
        file = path.open("rb")
        header = file.readline(10_000).removeprefix(b"\xef\xbb\xbf").strip()
        columns = columns_of(header.decode("utf-8", "replace"))
        if columns is not None and encodings.is_utf8(encodings.sample_of(iter(lambda: file.read(BLOCK), b""))):
            file.seek(0)
            file.readline()
            return file, columns, ()
        with file:
            file.seek(0)
            if not (content := file.read()).strip():
                raise BadFile(f"{path}: the file is empty. Its first line names the columns: {_NEEDED}.")
            made = other_files.converted(content)
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror}.") from None
    except BadSheet as error:
        raise BadFile(f"{path}: {error} The first line of a table names its columns: {_NEEDED}.") from None
    return made[0], list(other_files.COLUMNS), made[1]


def _blocks(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of whole lines with the number of their first line; the header is line 1."""
    first = 2
    while block := file.read(BLOCK):
        block += file.readline()
        for _ in range(MAX_LINES * (block.count(b'"') % 2)):  # a record with line breaks
            block += (line := file.readline())
            if b'"' in line:
                break
        yield first, block
        first += block.count(b"\n")


def _workers(size: int, setup: tuple[Sequence[str], str, frozenset[bytes], list[str]]) -> Executor:
    """Return processes that parse lines, or a thread for a file that would not keep them busy."""
    if size <= BLOCK:
        return ThreadPoolExecutor(1, initializer=start_worker, initargs=setup)
    spawn = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(os.cpu_count(), mp_context=spawn, initializer=start_worker, initargs=setup)


async def _rows(file: BinaryIO, pool: Executor, tally: _Tally) -> AsyncIterator[bytes]:
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
        tally.records |= parsed.records
        bar.at(file.tell(), tally.good)
        yield parsed.rows
    bar.end(tally.good)


async def _take_others(connection: Connection, file: BinaryIO, tally: _Tally, *, replace: bool) -> None:
    """Leave out lines that name another person than the stored one, or give them the addresses."""
    others = {
        row["line"]: row["personid"]
        for row in await connection.fetch(_OTHERS)
        if identity.is_other(
            identity.Known(row["stored_name"], row["stored_company"], row["stored_domain"]),
            identity.Known(row["full_name"], row["company"], row["company_domain"]),
        )
    }
    if not others:
        return
    if replace:
        await connection.execute(_FORMER, list(others.values()))
        return
    await connection.execute(_LEAVE, list(others))
    tally.good -= len(others)
    tally.bad += [(number, OTHER_PERSON) for number in others]
    file.seek(0)
    file.readline()
    tally.records |= {number: line for block in _blocks(file) for number, line in records(*block) if number in others}


def _report(tally: _Tally, input: Input, header: list[str], numbers: Sequence[int]) -> None:
    """Print what is left out, and keep it in a file.

    Raises:
        BadFile: something is left out, and `strict` is set (400).
    """
    if not tally.records:
        return
    reasons = sorted([*tally.bad, *tally.left_out])
    for number, reason in reasons[:MAX_PRINTED]:
        _print(f"line {numbers[number - 2] if numbers else number}: {reason}")
    if len(reasons) > MAX_PRINTED:
        _print(f"... and {len(reasons) - MAX_PRINTED:,} more")
    for noun, what, found in (("line", "skipped", tally.bad), ("value", "left out", tally.left_out)):
        for reason, count in Counter(reason for _, reason in found).most_common():
            _print(f"{count:8,} {noun}{'s' * (count != 1)} {what}: {reason}")
    path = input.file.with_suffix(".left-out.csv")
    _keep(path, tally, reasons, header)
    _print(f"These lines are in {path}, with the reasons. Mend them, and import that file.")
    if input.strict:
        raise BadFile(
            f"{len(tally.bad):,} lines and {len(tally.left_out):,} values cannot be imported; nothing was imported "
            "(strict=1)."
        )


def _keep(path: Path, tally: _Tally, reasons: list[tuple[int, str]], header: list[str]) -> None:
    """Write the lines of which something is left out, for their owner only: they contain contact values."""
    by_line: dict[int, list[str]] = {}
    for number, reason in reasons:
        by_line.setdefault(number, []).append(reason)
    columns = [name for name in header if name != IGNORED]
    try:
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(",".join([*columns, IGNORED]).encode() + b"\n")
            for number, record in sorted(tally.records.items()):
                if IGNORED in header:
                    record = _without(record, header.index(IGNORED))
                reason = "; ".join(dict.fromkeys(by_line[number])).replace('"', "'")
                file.write(record + f',"{reason}"\n'.encode())
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror}.") from None


def _without(record: bytes, column: int) -> bytes:
    """Return a line without one of its cells."""
    cells = next(csv.reader(io.StringIO(record.decode("utf-8", "replace"))), [])
    del cells[column : column + 1]
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue().encode()


def _print(line: str) -> None:
    sys.stderr.write(line + "\n")
