"""The search terms of a large directory as bitmaps of its people, in blocks of 262,144 ids.

The index of `person.searchable` returns rows that have to be read before they can be counted or sorted. Bitmaps are
combined and counted in memory, so a search reads only the rows of its page
(docs/explanation/decisions/search-by-terms.md). A process caches frequently used bitmaps.

The job `indexpeople` builds the bitmaps, and rebuilds those of a block when its people have changed. They therefore lag
behind the directory, and a search checks the rows that it returns. A small directory has no bitmaps.
"""

from __future__ import annotations

import asyncio
import re
import time
from array import array
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from uuid import UUID

from asyncpg import Record

from product.context import Context
from product.people.search_terms import KINDS, Condition, Term

BLOCK = 1 << 18  # ids per block
LEAST = 200_000  # minimum number of people for which bitmaps are built
EVERYBODY = Term("a:")
_BYTES = BLOCK // 8  # size of a bitmap; a shorter value is a list of positions in the block, 4 bytes each
_CACHE_BYTES = 64 * 2**20
_ROWS = 4_000  # rows read at once; parsing them takes a few milliseconds
_SECONDS = 20  # time limit of a run; the rest is left to the next one
_LAST_CHARACTER = "\U0010ffff"

# People as bits, by block; bit n is the n-th id of the block.
Bits = dict[int, int]

_NEXT = """
    select block from (
        select g.block, 1e9 as people from generate_series(0, (select max(personid) >> 18 from person)) g(block)
        where not exists (select 1 from personterm t where t.term = 'a:' and t.block = g.block)
        union all
        select block, sum(people) from personchange group by block
    ) stale group by block order by max(people) desc, block limit 1
"""
_PEOPLE = """
    select personid, searchable::text as terms, phonecipher is not null as directdial,
           businesscipher is not null as businessemail, personalcipher is not null as personalemail, verification
    from person where personid >= $1 and personid < $2 and full_name <> '' and searchable <> ''
    order by personid limit $3
"""
_SIZE = "select greatest(reltuples, 0)::bigint from pg_class where oid = 'person'::regclass"
_NEW_VERSION = """
    insert into personindex (version, ready) values (gen_random_uuid(), $1)
    on conflict (one) do update set version = excluded.version, ready = personindex.ready or excluded.ready
"""
_LOAD = """
    select wanted.place, t.block, t.people
    from unnest($1::text[], $2::text[]) with ordinality as wanted (low, high, place)
    join personterm t on t.term between wanted.low and wanted.high
"""


# -- building ----------------------------------------------------------------------------------------------------------


async def update(ctx: Context, *, least: int = LEAST) -> int:
    """Build missing and stale bitmaps, and return the number of blocks.

    least: the minimum number of people for which bitmaps are built.
    """
    known = await ctx.db.fetchval("select version from personindex")
    if known is None and await ctx.db.value(int, _SIZE) < least:
        await ctx.db.execute("delete from personchange")
        return 0
    count, until = 0, time.monotonic() + _SECONDS
    while (block := await ctx.db.fetchval(_NEXT)) is not None:
        if time.monotonic() > until:
            return count
        await _update_block(ctx, block)
        count += 1
    if known is None or count:
        await ctx.db.execute(_NEW_VERSION, True)
    return count


async def _update_block(ctx: Context, block: int) -> None:
    positions: dict[str, list[int]] = {EVERYBODY.text: []}
    async with ctx.db.transaction(), ctx.db.connection() as connection:
        await connection.execute("delete from personchange where block = $1", block)
        first, end = block * BLOCK, (block + 1) * BLOCK
        while rows := await connection.fetch(_PEOPLE, first, end, _ROWS):
            _add(positions, rows)
            first = rows[-1]["personid"] + 1
        await connection.execute("delete from personterm where block = $1", block)
        await connection.copy_records_to_table("personterm", records=_records(block, positions))
        await connection.execute(_NEW_VERSION, False)


async def _records(block: int, positions: dict[str, list[int]]) -> AsyncIterator[tuple[str, int, bytes]]:
    for number, (term, found) in enumerate(sorted(positions.items())):
        if number % 200 == 0:
            await asyncio.sleep(0)  # other tasks of the worker run in between
        yield term, block, _packed(found)


def _add(positions: dict[str, list[int]], rows: Sequence[Record]) -> None:
    for ident, text, *kinds, verification in rows:
        position = ident % BLOCK
        terms = [term for term in text[1:-1].split("' '") if term[0] != "m"]
        terms += [kind_term(kind).text for kind, exists in zip(KINDS, kinds, strict=True) if exists]
        terms += [verification_term(verification).text] if verification else []
        for term in (EVERYBODY.text, *terms):
            positions.setdefault(term, []).append(position)


def _packed(positions: list[int]) -> bytes:
    if len(positions) * 4 < _BYTES:
        return array("I", positions).tobytes()
    bitmap = bytearray(_BYTES)
    _mark(bitmap, positions)
    return bytes(bitmap)


def _mark(bitmap: bytearray, positions: Iterable[int]) -> None:
    for position in positions:
        bitmap[position >> 3] |= 1 << (position & 7)


def kind_term(kind: str) -> Term:
    """Return the term for people with a kind of value. It exists only in bitmaps."""
    return Term(f"h:{kind}")


def verification_term(word: str) -> Term:
    """Return the term for people with a verification. It exists only in bitmaps."""
    return Term(f"v:{word}")


# -- reading -----------------------------------------------------------------------------------------------------------


class _Cache:
    """The most recently used bitmaps. After a change to the index, earlier ones are no longer used."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[UUID, Term], tuple[Bits, int]] = OrderedDict()
        self._bytes = 0

    def get(self, version: UUID, term: Term) -> Bits | None:
        found = self._kept.get((version, term))
        if found is None:
            return None
        self._kept.move_to_end((version, term))
        return found[0]

    def put(self, version: UUID, term: Term, bits: Bits) -> None:
        if (version, term) in self._kept:
            return
        size = 500 + sum(100 + value.bit_length() // 8 for value in bits.values())
        self._kept[version, term] = bits, size
        self._bytes += size
        while self._bytes > _CACHE_BYTES:
            self._bytes -= self._kept.popitem(last=False)[1][1]


_cache = _Cache()


async def find(ctx: Context, included: Sequence[Condition], excluded: Sequence[Condition]) -> Bits | None:
    """Return the matching people; None if the directory has no bitmaps."""
    version: UUID | None = await ctx.db.fetchval("select version from personindex where ready")
    if version is None:
        return None
    wanted = {term for condition in (*included, *excluded) for terms in condition for term in terms} | {EVERYBODY}
    loaded = {term: bits for term in wanted if (bits := _cache.get(version, term)) is not None}
    missing = [term for term in wanted if term not in loaded]
    if missing:
        highest = [term.text + (_LAST_CHARACTER if term.prefix else "") for term in missing]
        rows = await ctx.db.fetch(_LOAD, [term.text for term in missing], highest)
        fresh = await asyncio.to_thread(_unpacked, rows, missing)
        for term, bits in fresh.items():
            _cache.put(version, term, bits)
        loaded |= fresh
    return await asyncio.to_thread(_combined, loaded, included, excluded)


def _unpacked(rows: Sequence[Record], terms: Sequence[Term]) -> dict[Term, Bits]:
    found: dict[Term, Bits] = {term: {} for term in terms}
    sparse: dict[tuple[Term, int], bytearray] = {}
    for place, block, people in rows:
        term = terms[place - 1]
        if len(people) == _BYTES:
            found[term][block] = found[term].get(block, 0) | int.from_bytes(people, "little")
            continue
        positions = array("I")
        positions.frombytes(people)
        _mark(sparse.setdefault((term, block), bytearray(_BYTES)), positions)
    for (term, block), bitmap in sparse.items():
        found[term][block] = found[term].get(block, 0) | int.from_bytes(bitmap, "little")
    return found


def _combined(loaded: dict[Term, Bits], included: Sequence[Condition], excluded: Sequence[Condition]) -> Bits:
    found = loaded[EVERYBODY]
    for condition in included:
        found = _both(found, _any(loaded, condition))
    for condition in excluded:
        gone = _any(loaded, condition)
        found = {block: bits & ~gone.get(block, 0) for block, bits in found.items()}
    return {block: bits for block, bits in found.items() if bits}


def _any(loaded: dict[Term, Bits], condition: Condition) -> Bits:
    found: Bits = {}
    for first, *others in condition:
        alternative = loaded[first]
        for term in others:
            alternative = _both(alternative, loaded[term])
        for block, bits in alternative.items():
            found[block] = found.get(block, 0) | bits
    return found


def _both(first: Bits, second: Bits) -> Bits:
    return {block: bits & second[block] for block, bits in first.items() if block in second}


# -- using -------------------------------------------------------------------------------------------------------------


def count(people: Bits, after: int = -1) -> int:
    """Return the number of people with an id above `after`."""
    return sum((bits >> max(after + 1 - block * BLOCK, 0)).bit_count() for block, bits in people.items())


def ids(people: Bits) -> list[int]:
    """Return all ids; for small numbers of people."""
    return [
        block * BLOCK + match.start() * 8 + bit
        for block, bits in people.items()
        for match in re.finditer(rb"[^\0]", bits.to_bytes(_BYTES, "little"), re.DOTALL)
        for bit in range(8)
        if match[0][0] >> bit & 1
    ]


def ids_in_order(people: Bits, *, descending: bool, after: int | None) -> Iterator[int]:
    """Yield ids in ascending or descending order, starting after `after`. The first ids are cheap."""
    for block in sorted(people, reverse=descending):
        start, left = block * BLOCK, people[block]
        if after is not None and descending:
            left &= (1 << min(max(after - start, 0), BLOCK)) - 1
        elif after is not None:
            left = left >> (gone := min(max(after - start + 1, 0), BLOCK)) << gone
        while left:
            position = left.bit_length() - 1 if descending else (left & -left).bit_length() - 1
            left ^= 1 << position
            yield start + position


def flat(people: Bits) -> bytes:
    """Return a single bitmap, for `get_bit(bitmap, personid)`."""
    last = max(people, default=-1)
    return b"".join(people.get(block, 0).to_bytes(_BYTES, "little") for block in range(last + 1))
