"""docs/explanation/request.md names the main files of a read, a write and a call in the order in which they run."""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from types import FrameType
from typing import Any

import httpx2
import pytest

from tests.docs import pages
from tests.helpers.product import Account, Product
from tests.helpers.support import ROOT

Request = Callable[[], Awaitable[httpx2.Response]]
_traced: ContextVar[bool] = ContextVar("_traced", default=False)


def told(section: str) -> list[str]:
    """Return the files at the beginning of a section's numbered steps."""
    text = pages.read("explanation/request.md")
    body = re.split(r"^## ", text.partition(f"## {section}")[2], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^\d+\. `([\w/]+\.py)`", body, re.MULTILINE)


async def traced(request: Request) -> list[str]:
    """Return our files in which the functions of one request run, in the order of their first call.

    Tasks that run alongside requests have another context.
    """
    order: dict[str, None] = {}
    root, length = str(ROOT), len(str(ROOT)) + 1

    def called(frame: FrameType, event: str, _argument: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and _traced.get() and name.startswith(root) and ".venv" not in name:
            order.setdefault(name[length:])

    token = _traced.set(True)
    sys.setprofile(called)
    try:
        response = await request()
    finally:
        sys.setprofile(None)
        _traced.reset(token)
    assert response.status_code == 200, response.text
    return [name for name in order if name.startswith(("tableapi/", "product/", "scripts/"))]


def check(section: str, files: list[str]) -> None:
    steps = told(section)
    assert steps, f"docs/explanation/request.md: the section {section!r} has no numbered steps"
    unused = [f"  {name} does not run" for name in steps if name not in files]
    ran = [f"  {name}{'' if name in steps else '  (not a step)'}" for name in files]
    report = "\n".join([f"docs/explanation/request.md, {section}:", *unused, "the files run in this order:", *ran])
    assert [name for name in files if name in steps] == steps, report


@pytest.fixture
def owner(account: Account) -> Any:
    return account.owner


@pytest.fixture(autouse=True)
def _no_known_plans(product: Product) -> None:
    """Forget the statements of earlier tests, so that each request is the first of its shape."""
    product.app.state.datasets["leads"].plan_cache.clear()


async def test_the_steps_of_a_read_are_documented(owner: Any) -> None:
    async def read() -> httpx2.Response:
        response: httpx2.Response = await owner.table("GET", "usersubscription", related="subscriptionplan_by_planid")
        return response

    check("A read", await traced(read))


async def test_the_steps_of_a_write_are_documented(owner: Any, account: Account) -> None:
    async def write() -> httpx2.Response:
        response: httpx2.Response = await owner.table(
            "PATCH", "client", {"clientid": account.clientid, "companyname": "New"}
        )
        return response

    check("A write", await traced(write))


async def test_the_steps_of_a_call_are_documented(product: Product, owner: Any) -> None:
    slug = f"traced-{secrets.token_hex(4)}"
    await product.person(slug)

    async def reveal() -> httpx2.Response:
        response: httpx2.Response = await owner.post(
            "getcontact", linkedinurl=f"https://www.linkedin.com/in/{slug}", type="directdial", action="reveal"
        )
        return response

    check("A call", await traced(reveal))
