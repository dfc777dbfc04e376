"""Several records in one request: their results and errors, and the response built from them."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, TypeVar

import asyncpg

from tableapi import exact_json
from tableapi.db.errors import RETRYABLE, to_api_error
from tableapi.errors import ApiError, BadRequest
from tableapi.query.options import Options
from tableapi.tables.errors import of_read

Result = TypeVar("Result")


class BatchStopped(Exception):
    """Roll back the transaction of one record of a batch; the other records are kept."""


class BatchError(ApiError):
    """The error for a batch.

    `context` has the positions that failed, their reasons, and a result or error for each record; for a request with
    one record also its `cause`: status, reason, message and other context, such as the field and constraint.
    """

    status, reason = 400, "batch"
    again = False  # whether nothing was written and retrying the same request may succeed
    reasons: frozenset[str] = frozenset()  # reasons of the failed records
    first, place = "", 0  # message and position of the first failure
    kept = False  # whether some records were written and are kept (option `continue`)

    @property
    def retryable(self) -> bool:
        return self.again


class Batch:
    """The results of one batch.

    done: the verb in the error message: created, updated, deleted or retrieved. single: whether it has one record.
    """

    def __init__(self, done: str, options: Options, *, single: bool = False) -> None:
        if options.go_on and options.rollback:
            raise BadRequest("Use either 'continue' or 'rollback', not both.", reason="bad_option")
        self._word, self._go_on, self._rollback = done, options.go_on, options.rollback
        self.bodies: list[bytes] = []
        self.errors: list[int] = []
        self._retryable = False
        self._reasons: list[str] = []  # one for each of `errors`
        self._single = single
        self._cause: dict[str, Any] = {}  # context of the last failure
        self._first = ""  # message of the first failure
        self.alone: ApiError | None = None  # the error of a hook, which applies to the whole request

    @property
    def stopped(self) -> bool:
        """Whether an error has ended the batch."""
        return bool(self.errors) and not self._go_on

    def done(self, body: bytes) -> None:
        """Add the body of a record."""
        self.bodies.append(body)

    def failed(self, error: ApiError) -> None:
        """Add the error of a record."""
        self._first = self._first or error.message
        self.errors.append(len(self.bodies))
        self._retryable = self._retryable or error.retryable
        self._reasons.append(error.reason)
        entry: dict[str, Any] = error.body()
        named = {name: value for name, value in entry["context"].items() if name != "scope"}
        self._cause = {"status": error.status, "message": error.message, **named}
        entry["context"] = None if entry["context"].keys() == {"reason", "scope"} else entry["context"]
        self.bodies.append(exact_json.dumps(entry))

    def body(self) -> bytes:
        """Build the JSON array of the response.

        Raises:
            BatchError: a record failed.
        """
        if not self.errors:
            return b"[" + b",".join(self.bodies) + b"]"
        message = f"Batch Error: Not all requested records could be {self._word}."
        if not self._go_on and self._word != "retrieved":
            message += " All changes rolled back." if self._rollback else " Nothing was kept."
        message += f" Record {self.errors[0] + 1}: {self._first}"
        resource = [exact_json.loads(body) for body in self.bodies]
        context: dict[str, Any] = {"error": self.errors, "reasons": self._reasons, "resource": resource}
        if self._single:
            context["cause"] = self._cause
        error = BatchError(message, code=1000, context=context)
        error.kept = self._go_on and len(self.errors) < len(self.bodies)
        error.again = self._retryable and not error.kept
        error.reasons = frozenset(self._reasons)
        error.first, error.place = self._first, self.errors[0]
        raise error


async def trying(run: Awaitable[Result], *, alone: bool = False) -> Result | ApiError:
    """Await `run`, and return the record that it writes or the API error that it raises.

    A deadlock or concurrent DDL is re-raised so that the whole request is retried, except for a record written `alone`
    (option `continue`), because the others are kept.

    Raises:
        Exception: an error that does not map to an API error.
    """
    try:
        return await run
    except (ApiError, asyncpg.PostgresError) as error:
        api_error = to_api_error(of_read(error))
        if api_error is None:
            raise
        if not alone and isinstance(error, RETRYABLE):
            raise
        if not alone and (api_error.reason == "schema_changed" or api_error.status == 503):
            raise api_error from None  # concerns the whole request, which can be retried
        return api_error
