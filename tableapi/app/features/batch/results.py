"""The responses of the steps so far, and what later steps refer to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from tableapi import exact_json, threads
from tableapi.app.features.batch import references
from tableapi.app.features.batch.steps import BatchStep
from tableapi.errors import ApiError, TooLarge


@dataclass(slots=True)
class Results:
    """The responses of the steps with an id, each decoded when a later step first refers to it.

    `max_bytes`: the maximum size of the values that the references of one step stand for, as JSON.
    """

    max_bytes: int
    bodies: dict[str, bytes] = field(default_factory=dict)
    _decoded: dict[str, Any] = field(default_factory=dict)

    async def resolved(self, step: BatchStep, size: int) -> BatchStep:
        """Return a step with each reference replaced by the value it points to.

        size: of the body of the batch, in bytes. Raises BadRequest for a reference to a missing value, TooLarge (413).
        """
        for name in {reference.partition(".")[0] for reference in step.references} - self._decoded.keys():
            self._decoded[name] = await threads.body(len(self.bodies[name]), exact_json.loads, self.bodies[name])
        return await threads.body(size, self._replaced, step, size)

    def texts(self, step: BatchStep) -> frozenset[str]:
        """Return the values of a step's references as texts, also those inside a list or an object."""
        left = [references.found(reference, self._decoded) for reference in dict.fromkeys(step.references)]
        texts = set[str]()
        while left:
            value = left.pop()
            if isinstance(value, dict | list):
                left += value.values() if isinstance(value, dict) else value
            else:
                texts.add(str(value))
        return frozenset(texts)

    def _replaced(self, step: BatchStep, size: int) -> BatchStep:
        values = {reference: references.found(reference, self._decoded) for reference in dict.fromkeys(step.references)}
        left = self.max_bytes
        sizes: dict[str, int] = {}
        for reference in step.references:
            if reference not in sizes:
                sizes[reference] = len(exact_json.dumps(values[reference]))
            left -= sizes[reference]
            if left < 0:
                raise TooLarge(f"The referenced values in a request exceed {self.max_bytes:,} bytes.")
        query: dict[str, Any] = references.replaced(step.query, values)
        if step.query.get("ids") != query.get("ids") and not isinstance(query["ids"], list):
            query["ids"] = [query["ids"]]  # one value, even if it contains a comma
        body = references.replaced(step.body, values)
        if size > left and len(exact_json.dumps(body)) > self.max_bytes:
            raise TooLarge.of(self.max_bytes)
        return replace(step, query=query, body=body, references=())


def without_values(error: ApiError, sent: BatchStep) -> ApiError:
    """Return the error of a step without the values that references in its options stand for.

    Errors of options quote them, and the response that they are from is not sent. Errors of bodies quote no values.
    """
    named = references.named(sent.query)
    if not named:
        return error
    message = f"The options refer to a value that is not accepted there: {', '.join(named[:5])}."
    return ApiError(message, status=error.status, reason=error.reason, headers=error.headers)
