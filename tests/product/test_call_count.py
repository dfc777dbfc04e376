"""The number of calls of this project's functions that a request costs, so that an added layer is noticed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Awaitable, Callable
from types import CodeType, FrameType
from typing import Any

import pytest

from tests.helpers.product import TABLE, Account, Product
from tests.helpers.support import ROOT

OURS = (str(ROOT / "tableapi"), str(ROOT / "scripts"))
MOST = {"read one": 100, "read with relation": 100, "create two": 140, "update": 100, "getcontact": 100}


async def _calls(send: Callable[[], Awaitable[Any]]) -> int:
    """Count the calls of this project's functions during one request; a resumed coroutine counts once."""
    seen: set[int] = set()
    kept: list[FrameType] = []  # so that no frame reuses the address of another
    inner: set[CodeType] = set()

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OURS) and id(frame) not in seen:
            name = frame.f_code.co_name
            if name in ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>"):
                inner.add(frame.f_code)
                return
            seen.add(id(frame))
            kept.append(frame)

    threading.setprofile(None)
    sys.setprofile(profile)
    try:
        answer = await send()
    finally:
        sys.setprofile(None)
    assert answer.status_code == 200, answer.text
    return len(seen)


@pytest.mark.parametrize("kind", MOST)
async def test_calls_of_our_own_code(product: Product, account: Account, kind: str) -> None:
    owner = account.owner
    person = await product.person()
    reveal = {"linkedinurl": f"linkedin.com/{person.key}", "type": "businessemail", "action": "reveal"}
    two = {"resource": [{"info": "a@b.example"}, {"info": "c@d.example"}]}
    requests: dict[str, Callable[[], Awaitable[Any]]] = {
        "read one": lambda: owner.http.get(f"{TABLE}appuser/{owner.appuserid}"),
        "read with relation": lambda: owner.http.get(
            f"{TABLE}appuser?filter=(appuserid={owner.appuserid})&related=client_by_clientid&limit=5"
        ),
        "create two": lambda: owner.http.post(f"{TABLE}contactfeedback", json=two),
        "update": lambda: owner.http.patch(f"{TABLE}client/{account.clientid}", json={"department": "Sales"}),
        "getcontact": lambda: owner.http.post("/api/v2/getcontact", json=reveal),
    }
    for _ in range(2):
        await requests[kind]()
    calls = await _calls(requests[kind])
    print(kind, calls)
    assert calls <= MOST[kind]
