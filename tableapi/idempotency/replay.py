"""Safe repeats: the answer to a write with an `Idempotency-Key` is kept for 24 hours (G12, table-api §16).

A write of the table API, its claim of the key and its kept answer are one transaction. A script has transactions of its
own: the key is claimed before it, each of its commits that wrote something marks the claim, and the answer is kept
after it. So when the server dies in between, a repeat runs if nothing was written and is refused if something was;
it never runs a second time, but for scripts that say `repeatable`.
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
from tableapi.endpoints.registry import Scripts
from tableapi.errors import ApiError, BadRequest, Conflict, Invalid
from tableapi.http.response import Reply, refused
from tableapi.idempotency.store import DEAD, DONE, Backend, Claim, InDatabase, InFile, StoredResponse, still_running
from tableapi.tables.read import TableRequest

AGAIN = 0.5  # seconds between two tries to give a key back, or to keep an answer


class Answers:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._late: set[asyncio.Task[None]] = set()

    async def once(
        self, key: str, call: TableRequest, verb: str, ident: str | None, run: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        """The answer of `run`, or the one that an equal request got before. Raises Invalid, Conflict, BadRequest."""
        route = f"{verb} {call.dataset.name}/{call.table.name}" + (f"/{ident}" if ident is not None else "")
        sent = exact_json.dumps([sorted(call.query.items()), call.body])
        if isinstance(self._backend, InDatabase) and not call.dataset.hooked(call.table.name, verb):
            return await self._backend.whole(_claim(key, call.actor, route, sent), call, run, _replayed)
        return await self.again(key, call.actor, route, sent, run)

    async def again(
        self,
        key: str,
        actor: Actor,
        route: str,
        sent: bytes,
        run: Callable[[], Awaitable[Reply]],
        repeatable: bool = False,
    ) -> Reply:
        """The same for a script; `sent` is all that tells two requests apart."""
        claim = _claim(key, actor, route, sent)
        try:
            kept = await self._backend.claim(claim)
        except ApiError:
            raise
        except BaseException as error:  # nobody knows whether the claim was made
            await asyncio.shield(self._drop(claim, error))
            raise
        if kept is not None:
            return _replayed(kept, claim)
        try:
            with nullcontext() if repeatable else self._backend.marking(claim):
                made = await run()
        except BaseException as error:
            await asyncio.shield(self._failed(claim, error))
            raise
        if made.status >= 500:
            await self._drop(claim, ApiError(status=made.status))
        else:
            await self._keep(claim, made)
        return made

    async def _failed(self, claim: Claim, error: BaseException) -> None:
        known = to_api_error(error) if isinstance(error, Exception) else None
        if known is not None and not known.retryable:
            await self._keep(claim, refused(known))
        else:
            await self._drop(claim, error)

    async def _drop(self, claim: Claim, error: BaseException) -> None:
        """Give the key back."""
        await self._sooner_or_later(lambda: self._backend.drop(claim, error))

    async def _keep(self, claim: Claim, made: Reply) -> None:
        """Keep the answer. The work is done, so it is given even when it cannot be kept now."""
        await self._sooner_or_later(lambda: self._backend.keep(claim, made))

    async def _sooner_or_later(self, action: Callable[[], Awaitable[None]]) -> None:
        """Now, or, when the database is away, beside, as soon as it is there again."""
        try:
            await action()
        except Exception as fault:
            known = to_api_error(fault)
            if known is None or not known.retryable:
                raise
            task = asyncio.create_task(_until_done(action))
            self._late.add(task)
            task.add_done_callback(self._late.discard)


async def _until_done(action: Callable[[], Awaitable[None]]) -> None:
    for _ in range(int(DEAD / AGAIN)):
        await asyncio.sleep(AGAIN)
        with suppress(Exception):  # the next try will do
            await action()
            return


def _claim(key: str, actor: Actor, route: str, sent: bytes) -> Claim:
    user = next(iter(actor.user.values()), None)
    who = f"key:{actor.key or actor.role}" if user is None else f"user:{user}"
    if not 1 <= len(key) <= 64 or not key.isprintable():
        raise BadRequest("Idempotency-Key must have 1 to 64 characters.", reason="bad_idempotency_key")
    return Claim(who[:200], key, route[:500], hashlib.sha256(route.encode() + b"\0" + sent).digest())


def _replayed(kept: StoredResponse, claim: Claim) -> Reply:
    if kept.digest != claim.digest:
        raise Invalid(
            {"Idempotency-Key": "This key was used for another request."},
            "This Idempotency-Key was used for another request.",
        )
    if kept.status is None:
        raise still_running()
    if kept.status == DONE:
        message = "The first request with this key was carried out, but its answer is lost. Look before you ask again."
        raise Conflict(message, reason="answer_lost")
    return Reply(kept.body, kept.status, headers={**kept.headers, "Idempotency-Replayed": "true"})


def store(settings: Settings, scripts: Scripts | None) -> Answers:
    """Answers of a project live in its database, those of any other database beside the server."""
    if scripts is not None:
        return Answers(InDatabase(scripts.db, scripts.vault))
    served = settings.run_dir.is_dir()  # made by `tableapi serve`
    return Answers(InFile(settings.run_dir / "idempotency.sqlite" if served else None))
