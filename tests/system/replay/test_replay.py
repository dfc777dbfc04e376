"""The responses to 5,000 requests equal the recording made by `python -m tests.system.replay`."""

from __future__ import annotations

import os
from pathlib import Path

import asyncpg
import pytest

from tests.helpers.fixtures import open_product
from tests.helpers.statements import REPLAYED, hand_over, recorded, shared_folder
from tests.system.replay import engine, recording
from tests.system.replay import product as of_product

LEAST = 5_000


async def test_responses_match_the_recording(
    pg_url: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    names: list[str] = []

    server = await asyncpg.connect(pg_url)

    async def new(name: str) -> str:
        names.append(f"replay_{os.getpid()}_{name}")
        await server.execute(f"create database {names[-1]}")
        return f"{pg_url.rpartition('/')[0]}/{names[-1]}"

    try:
        with recorded() as statements:
            async with open_product(await new("product"), tmp_path) as product:
                found = [one async for one in of_product.requests(product)]
        hand_over(shared_folder(tmp_path_factory), REPLAYED, statements)
        for part in (engine.cases, engine.random_requests, engine.foreign_tables):
            found += [one async for one in part(new, tmp_path)]
    finally:
        for name in names:
            await server.execute(f"drop database if exists {name} with (force)")
        await server.close()
    assert len(found) == len({one.name for one in found})
    assert len(found) >= LEAST
    if os.environ.get("RECORD_REPLAY"):
        recording.write(found)
    different = recording.differences(found)
    assert not different, f"{len(different)} of {len(found)} responses differ:\n" + "\n".join(different[:20])
