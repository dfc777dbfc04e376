"""Valid and invalid requests that schemathesis generates from the OpenAPI document."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import httpx2
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode

from tests.system.fuzz.run import Outcome, checked
from tests.system.fuzz.stage import CALLERS

ENDS_THE_SESSION = ("/user/session",)


def send(url: str, many: int, outcome: Outcome) -> None:
    """Send about `many` requests over all operations in the owner's document."""
    headers = CALLERS["owner"]
    document = httpx2.get(f"{url}/api/v2/_spec", headers=headers, timeout=30).json()
    schema = schemathesis.openapi.from_dict(document)
    items = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    items = [item for item in items if not item.path.endswith("/_changes")]  # a stream does not end
    modes = list(GenerationMode)
    each = max(1, many // (len(items) * len(modes)))
    with requests.Session() as session:
        for operation in items:
            if any(operation.path.endswith(path) for path in ENDS_THE_SESSION):
                continue
            for mode in modes:
                _ask(operation, mode, each, url, session, outcome)


def _ask(
    operation: Any, mode: GenerationMode, each: int, url: str, session: requests.Session, outcome: Outcome
) -> None:
    @settings(
        max_examples=each, deadline=None, database=None, derandomize=True, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        response = case.call(base_url=url, session=session, headers=CALLERS["owner"])
        outcome.statuses[response.status_code] += 1
        outcome.slowest = max(outcome.slowest, response.elapsed)
        headers = {name.lower(): str(value[0]) for name, value in response.headers.items()}
        if wrong := checked(response.status_code, headers, response.content or b""):
            outcome.wrong.append(f"{wrong}: {case.method} {case.formatted_path} {case.query} {str(case.body)[:300]}")

    with suppress(Unsatisfiable):  # no request is invalid for this operation
        ask()
