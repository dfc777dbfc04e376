"""Threads that compute yield to the event loop sooner, and only then."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator

import pytest

from tableapi import threads


@pytest.fixture
async def usual(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[float]:
    usual = sys.getswitchinterval()
    monkeypatch.setattr(threads._Threads, "usual", None)
    threads.switch_sooner()
    yield usual
    sys.setswitchinterval(usual)


async def test_the_switch_interval_is_short_while_a_thread_computes(usual: float) -> None:
    inside = [
        await threads.plan(sys.getswitchinterval),
        await threads.body(threads.MIN_BYTES, sys.getswitchinterval),
        await asyncio.to_thread(sys.getswitchinterval),
    ]
    assert inside == [pytest.approx(threads.SWITCH_SECONDS)] * 3
    assert sys.getswitchinterval() == usual


async def test_an_error_of_a_thread_restores_the_switch_interval(usual: float) -> None:
    with pytest.raises(ZeroDivisionError):
        await threads.plan(lambda: 1 // 0)
    assert sys.getswitchinterval() == usual


async def test_a_host_program_keeps_its_switch_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads._Threads, "usual", None)
    assert await threads.plan(sys.getswitchinterval) == sys.getswitchinterval()
