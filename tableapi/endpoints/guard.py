"""The door of a script: who may call it, how often, and what the body must look like.

Here is `@script`, which writes the door down beside the function, and the checks that hold before it runs. Finding
scripts and running them is `scripts.py`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints

import orjson
from pydantic import BaseModel, ValidationError

from tableapi.auth.policy import ANYONE, Actor
from tableapi.errors import BadRequest, Forbidden, Invalid, Unauthorized, UnsupportedMedia
from tableapi.ratelimit import counter
from tableapi.ratelimit.enforce import count_use

SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
_LIMIT = re.compile(r"(\d+)/(?:(\d+) ?)?(second|minute|hour|day)s? per (session|user|account|ip)")
_EVERY = re.compile(r"(\d+)(m|h|d)")
_NUL = (b"\\u0000", b"\0")


M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `amount` calls in `seconds` for each `per`."""

    amount: int
    seconds: int
    per: str


def parse_limits(text: str) -> tuple[Limit, ...]:
    """ "60/minute per session, 2000/day per user" -> limits. A wrong text is an error at start, not at a request."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    found = []
    for part in parts:
        if not (match := _LIMIT.fullmatch(part)):
            raise ValueError(f"not a limit: {part!r}")
        amount, times, unit, per = match.groups()
        found.append(Limit(int(amount), int(times or 1) * SECONDS[unit], per))
    return tuple(found)


def cron(every: str) -> str:
    """ "5m", "1h", "1d" or a cron expression -> a cron expression."""
    if not (match := _EVERY.fullmatch(every)):
        return every
    amount, unit = int(match[1]), match[2]
    steps = {"m": f"*/{amount} * * * *", "h": f"0 */{amount} * * *", "d": f"0 3 */{amount} * *"}
    return steps[unit]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One decorated function with its door. `name` is the path below /api/v2/, set by the finder."""

    run: Callable[..., Awaitable[Any]]
    method: str
    roles: tuple[str, ...]
    limits: tuple[Limit, ...]
    public: bool
    raw: bool
    internal: bool
    every: str
    tail: str
    body_bytes: int
    seconds: float
    repeatable: bool
    takes_input: bool
    input: type[BaseModel] | None
    output: Any
    summary: str
    name: str = ""

    @property
    def job(self) -> bool:
        return self.internal or bool(self.every)


def script(
    *,
    roles: Iterable[str] = (),
    method: str = "POST",
    limit: str = "",
    public: bool = False,
    raw: bool = False,
    internal: bool = False,
    every: str = "",
    tail: str = "",
    body_bytes: int = 0,
    seconds: float = 0,
    repeatable: bool = False,
) -> Callable[[Callable[..., Awaitable[Any]]], Callable[..., Awaitable[Any]]]:
    """Make `async def run(ctx, input)` an endpoint or a job.

    roles: who may call it; (ANYONE,) for whoever has an app key. public: no app key either; the script checks its own
    proof. raw: it gets the body as bytes. internal, every: a job without a URL, on demand or by the clock ("1h").
    tail: name of an input field that is the last part of the path. body_bytes, seconds: where the defaults do not fit.
    repeatable: run twice it does what it does once (G12), so a repeat may run again when the first one died.
    """

    def decorate(run: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        if not (roles or public or internal or every):
            raise TypeError(f"{run.__module__}.{run.__name__}: say roles=, public=, internal= or every=")
        hints = get_type_hints(run)
        second = list(inspect.signature(run).parameters)[1:2]
        model = hints.get(second[0]) if second and not raw else None
        endpoint = Endpoint(
            run=run, method=method, roles=tuple(roles), limits=parse_limits(limit), public=public, raw=raw,
            internal=internal, every=cron(every), tail=tail, body_bytes=body_bytes, seconds=seconds,
            repeatable=repeatable, takes_input=bool(second), input=model, output=hints.get("return"),
            summary=inspect.getdoc(run) or (inspect.getdoc(inspect.getmodule(run)) or "").split("\n")[0],
        )  # fmt: skip
        run.endpoint = endpoint  # type: ignore[attr-defined]
        return run

    return decorate


def authorize(endpoint: Endpoint, actor: Actor) -> None:
    """Refuse who may not call this: 401 without a session, 403 with the wrong role."""
    if endpoint.public or actor.role in endpoint.roles or (ANYONE in endpoint.roles and actor.role):
        return
    if not actor.role:
        raise Unauthorized("A valid app key is needed.", reason="no_key")
    if actor.role == "key":
        raise Unauthorized("Your account access session is expired")
    if actor.role == "unverified":
        raise Forbidden("Please verify your email address first.", reason="unverified", code=802)
    raise Forbidden("You are not permitted to do this.")


def count_call(endpoint: Endpoint, actor: Actor, network: str) -> counter.Hit | None:
    """Count the call against its limits; TooMany past one of them. Out: the tightest count, for the headers."""
    tightest: counter.Hit | None = None
    for limit in endpoint.limits:
        who = {"session": actor.session, "user": next(iter(actor.user.values()), None), "account": actor.account}
        key = str(who.get(limit.per) or network)
        hit = count_use(f"{endpoint.method} {endpoint.name} {limit.seconds}", key, limit.amount, limit.seconds)
        tightest = counter.tighter(tightest, hit)
    return tightest


def decode(body: bytes, content_type: str) -> dict[str, Any]:
    """A JSON object out of a body; no body is an empty object."""
    if not body.strip():
        return {}
    kind = content_type.partition(";")[0].strip().lower()
    if kind and kind != "application/json" and not kind.endswith("+json"):
        raise UnsupportedMedia("Send JSON: Content-Type: application/json.")
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"The body is not valid JSON: {error}.", reason="bad_json") from None
    if not isinstance(data, dict):
        raise BadRequest("The body must be a JSON object.", reason="bad_json")
    if any(mark in body for mark in _NUL) and _has_nul(data):
        raise BadRequest("Text cannot hold the NUL character.", reason="bad_value")
    return data


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, dict):
        return any(_has_nul(key) or _has_nul(item) for key, item in value.items())
    return isinstance(value, list) and any(map(_has_nul, value))


def validate(model: type[M], data: Mapping[str, Any]) -> M:
    """The input model, or 422 with one message per field."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        fields: dict[str, str] = {}
        for problem in error.errors(include_url=False, include_context=False, include_input=False):
            name = ".".join(map(str, problem["loc"])) or "body"
            fields.setdefault(name, problem["msg"].removeprefix("Value error, "))
        raise Invalid(fields) from None
