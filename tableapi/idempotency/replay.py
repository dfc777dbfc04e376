"""Replay the response when a write is repeated with the same `Idempotency-Key`.

Responses are stored for 24 hours. For a write of the table API, claiming the key, writing and storing the response form
one transaction. A script has its own transactions: the key is claimed before it runs, each of its commits that wrote
something marks the claim, and the response is stored afterwards. If the process dies in between, a repeat runs if
nothing was committed and is rejected otherwise. Only scripts declared `repeatable` may run twice.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from contextlib import nullcontext, suppress

from tableapi import exact_json
from tableapi.auth.policy import Actor
from tableapi.config.settings import Settings
from tableapi.db.errors import to_api_error
from tableapi.errors import ApiError, BadRequest, Conflict, Invalid
from tableapi.http.response import Response, error_response, from_body
from tableapi.idempotency.store import DONE, Backend, Claim, Held, InDatabase, InFile, StoredResponse, still_running
from tableapi.project.registry import Scripts
from tableapi.tables.request import TableRequest

RETRY_SECONDS, RETRIES = 0.5, 80  # attempts to release a key or to store a response


class IdempotencyStore:
    """Claims of keys and stored responses."""

    def __init__(self, backend: Backend, seconds: float) -> None:
        """seconds: the time limit of a request without one of its own."""
        self._backend, self._seconds = backend, seconds
        self._pending: set[asyncio.Task[None]] = set()

    async def once(self, key: str, call: TableRequest, run: Callable[[], Awaitable[Response]]) -> Response:
        """Return the response of `run`, or the stored response of an identical request.

        Raises Invalid, Conflict, BadRequest.
        """
        route = f"{call.verb} {call.dataset.name}/{call.table.name}" + ("" if call.ident is None else f"/{call.ident}")
        sent = exact_json.dumps([sorted(call.query.items()), call.body])
        if isinstance(self._backend, InDatabase) and not call.dataset.hooked(call.table.name, call.verb):
            return await self.whole(key, call, route, sent, run)
        return await self.again(key, call.actor, route, sent, run)

    async def whole(
        self, key: str, held: Held, route: str, sent: bytes, run: Callable[[], Awaitable[Response]]
    ) -> Response:
        """Like `once`, for writes that all use `held.dataset`: in a single transaction if possible."""
        if isinstance(self._backend, InDatabase):
            claim = _claim(key, held.actor, route, sent, self._seconds)
            return await self._backend.whole(claim, held, run, _replayed)
        return await self.again(key, held.actor, route, sent, run)

    async def again(
        self,
        key: str,
        actor: Actor,
        route: str,
        sent: bytes,
        run: Callable[[], Awaitable[Response]],
        repeatable: bool = False,
        seconds: float = 0,
    ) -> Response:
        """Like `once`, for a script; `sent` is everything that distinguishes two requests.

        seconds: the time limit of this request, if it has one of its own.
        """
        claim = _claim(key, actor, route, sent, seconds or self._seconds)
        try:
            stored = await self._backend.claim(claim)
        except ApiError:
            raise
        except BaseException as error:  # the claim may have been committed
            await asyncio.shield(self._drop(claim, error))
            raise
        if stored is not None:
            return _replayed(stored, claim)
        try:
            with nullcontext() if repeatable else self._backend.marking(claim):
                response = await run()
        except BaseException as error:
            await asyncio.shield(self._failed(claim, error))
            raise
        if response.status >= 500:
            await self._drop(claim, ApiError(status=response.status))
        else:
            await self._keep(claim, response)
        return response

    async def _failed(self, claim: Claim, error: BaseException) -> None:
        api_error = to_api_error(error) if isinstance(error, Exception) else None
        if api_error is not None and not api_error.retryable:
            await self._keep(claim, error_response(api_error))
        else:
            await self._drop(claim, error)

    async def _drop(self, claim: Claim, error: BaseException) -> None:
        """Release the key."""
        await self._eventually(lambda: self._backend.drop(claim, error))

    async def _keep(self, claim: Claim, response: Response) -> None:
        """Store the response. The work is done, so the client gets it even if it cannot be stored now."""
        await self._eventually(lambda: self._backend.keep(claim, response))

    async def _eventually(self, action: Callable[[], Awaitable[None]]) -> None:
        """Run `action`; if the database is unreachable, retry it in the background."""
        try:
            await action()
        except Exception as fault:
            api_error = to_api_error(fault)
            if api_error is None or not api_error.retryable:
                raise
            task = asyncio.create_task(_until_done(action))
            self._pending.add(task)
            task.add_done_callback(self._pending.discard)


async def _until_done(action: Callable[[], Awaitable[None]]) -> None:
    for _ in range(RETRIES):
        await asyncio.sleep(RETRY_SECONDS)
        with suppress(Exception):  # retried
            await action()
            return


def _principal(actor: Actor) -> str:
    """Return the caller that a key belongs to. Keys of different callers are independent."""
    if actor.claims is not None:  # users of an issuer and of sessions may share names
        return f"token:{actor.session}"
    for column, value in actor.user.items():  # two columns may contain the same numbers
        return f"user:{column}={value}"
    return f"session:{actor.session}" if actor.session else f"key:{actor.key or actor.role}"


def _claim(key: str, actor: Actor, route: str, sent: bytes, seconds: float) -> Claim:
    principal = _principal(actor)
    if not 1 <= len(key) <= 64 or not key.isprintable():
        raise BadRequest("Idempotency-Key must be 1 to 64 printable characters.", reason="bad_idempotency_key")
    digest = hashlib.sha256(route.encode() + b"\0" + sent).digest()
    return Claim(principal[:200], key, route[:500], digest, seconds)


def _replayed(stored: StoredResponse, claim: Claim) -> Response:
    if stored.digest != claim.digest:
        raise Invalid(
            {"Idempotency-Key": "This key was already used for another request. Send another key."},
            "This Idempotency-Key was already used for another request. Send another key.",
        )
    if stored.status is None:
        raise still_running()
    if stored.status == DONE:
        message = "The first request with this key was executed, but its response was lost. Read the data first."
        raise Conflict(message, reason="answer_lost")
    headers = {**stored.headers, "Idempotency-Replayed": "true"}
    if stored.status >= 400 and (error := from_body(stored.body, stored.status, headers)) is not None:
        raise error
    return Response(stored.body, stored.status, headers=headers)


def store(settings: Settings, scripts: Scripts | None) -> IdempotencyStore:
    """Return the store: a project's is in its database, that of other databases in a file of the server."""
    if scripts is not None:
        return IdempotencyStore(InDatabase(scripts.db, scripts.vault), settings.request_seconds)
    served = settings.run_dir.is_dir()  # created by `tableapi serve`
    backend = InFile(settings.run_dir / "idempotency.sqlite" if served else None)
    return IdempotencyStore(backend, settings.request_seconds)
