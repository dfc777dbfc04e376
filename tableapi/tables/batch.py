"""Several records in one request: what succeeded, what failed, and the answer they make (table-api §8, §11)."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, TypeVar

import asyncpg

from tableapi import exact_json
from tableapi.db.errors import RETRYABLE, to_api_error
from tableapi.errors import ApiError, BadRequest
from tableapi.query.options import Options

Done = TypeVar("Done")


class BatchStopped(Exception):
    """Ends the transaction of a batch whose first failure keeps nothing."""


class BatchError(ApiError):
    status, reason = 400, "batch"
    again = False  # whether nothing was written, for a reason that passes

    @property
    def retryable(self) -> bool:
        return self.again


class Batch:
    def __init__(self, done: str, options: Options) -> None:
        if options.go_on and options.rollback:
            raise BadRequest("Use either 'continue' or 'rollback', not both.", reason="bad_option")
        self._word, self._go_on, self._rollback = done, options.go_on, options.rollback
        self.bodies: list[bytes] = []
        self.errors: list[int] = []
        self._passing = False
        self.alone: ApiError | None = None  # a hook's refusal, which is that of the whole request

    @property
    def stopped(self) -> bool:
        """Whether a failure has ended the batch."""
        return bool(self.errors) and not self._go_on

    def done(self, body: bytes) -> None:
        self.bodies.append(body)

    def failed(self, error: ApiError) -> None:
        self.errors.append(len(self.bodies))
        self._passing = self._passing or error.retryable
        entry: dict[str, Any] = error.body()
        entry["context"] = None if entry["context"].keys() == {"reason", "scope"} else entry["context"]
        self.bodies.append(exact_json.dumps(entry))

    def answer(self) -> bytes:
        """The JSON array of the answer. Raises BatchError when a record failed."""
        if not self.errors:
            return b"[" + b",".join(self.bodies) + b"]"
        message = f"Batch Error: Not all requested records could be {self._word}."
        if not self._go_on and self._word != "retrieved":
            message += " All changes rolled back." if self._rollback else " Nothing was kept."
        resource = [exact_json.loads(body) for body in self.bodies]
        error = BatchError(message, code=1000, context={"error": self.errors, "resource": resource})
        written = self._go_on and len(self.errors) < len(self.bodies)
        error.again = self._passing and not written
        raise error


async def trying(run: Awaitable[Done], *, alone: bool = False) -> Done | ApiError:
    """The record, or the refusal it ended in. A fault that is no refusal is a bug and goes on; so do a deadlock and DDL
    beside the request, which is then done once more, unless this record stands alone (`continue`) and others are kept.
    """
    try:
        return await run
    except (ApiError, asyncpg.PostgresError) as error:
        refused = to_api_error(error)
        if refused is None:
            raise
        if not alone and isinstance(error, RETRYABLE):
            raise
        if not alone and (refused.reason == "schema_changed" or refused.status == 503):
            raise refused from None  # no fault of this record: the whole request may be sent again
        return refused
