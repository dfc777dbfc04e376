"""Declare scripts, and check calls before they run: role, rate limits, input."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import orjson
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from tableapi.auth.policy import ANYONE, NO_SESSIONS, Actor, Sessions
from tableapi.auth.scopes import BASIC, OF_METHOD
from tableapi.config.rules import WORDS, plain
from tableapi.errors import FieldError, Forbidden, Invalid, Unauthorized
from tableapi.http.request import HttpRequest
from tableapi.query.spelling import choices, suggestion
from tableapi.ratelimit.counter import count_use

SCRIPTS = "scripts"  # default tag of scripts
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
# HTTP verbs, with the name of their hook function in `scripts/tables/<table>.py`.
HOOK_VERBS = {"GET": "get", "POST": "post", "PUT": "patch", "PATCH": "patch", "DELETE": "delete"}
_LIMIT = re.compile(r"(\d+)/(?:(\d+) ?)?(second|minute|hour|day)s? per (session|user|account|ip|key)")
_INTERVAL = re.compile(r"(\d+)(m|h|d)")
_TOOL = re.compile(r"[A-Za-z0-9_-]{1,64}")  # names of tools that every client accepts

Run = Callable[..., Awaitable[Any]]
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `amount` calls in `seconds` for each `per`: session, user, account, ip or key.

    A script with an `own_key` counts limits per key and per account itself, because only it knows the key.
    """

    amount: int
    seconds: int
    per: str

    @property
    def rate(self) -> str:
        """The rate in the syntax of `parse_limits`, without `per`: "60/minute", "3/2 hour"."""
        unit = next(name for name, seconds in reversed(SECONDS.items()) if self.seconds % seconds == 0)
        times = self.seconds // SECONDS[unit]
        return f"{self.amount}/{f'{times} ' if times > 1 else ''}{unit}"


def parse_limits(text: str) -> tuple[Limit, ...]:
    """Parse "60/minute per session, 2000/day per user". Raises ValueError, when the script is imported."""
    limits = []
    for part in (part.strip() for part in text.split(",") if part.strip()):
        if not (match := _LIMIT.fullmatch(part)):
            raise ValueError(f"must be a limit such as '60/minute per user', not {part!r}")
        amount, times, unit, per = match.groups()
        limits.append(Limit(int(amount), int(times or 1) * SECONDS[unit], per))
    return tuple(limits)


def cron(every: str) -> str:
    """Return the cron expression for "5m", "1h" or "1d"; a cron expression is returned unchanged."""
    if not (match := _INTERVAL.fullmatch(every)):
        return every
    amount, unit = int(match[1]), match[2]
    return {"m": f"*/{amount} * * * *", "h": f"0 */{amount} * * *", "d": f"0 3 */{amount} * *"}[unit]


@dataclass(frozen=True, slots=True)
class OwnKey:
    """A key that a public script checks itself, as shown in the API description.

    Attributes:
        name: the name of the security scheme.
        header: the header that contains the key.
        description: one sentence for the reader.
        scope: the scope that the key needs; "" if any key will do.
        check: raises the error of a key that is not accepted. It is called if the input is invalid, so that an
            unknown caller learns about the key only.
    """

    name: str
    header: str
    description: str
    scope: str = ""
    check: Callable[[Any], Awaitable[object]] | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """One decorated function. `name` is its path below /api/v2/, set by the registry."""

    run: Run
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
    agents: bool
    tool: str
    scope: str
    tag: str
    own_key: OwnKey | None
    errors: tuple[int, ...]
    takes_input: bool
    input: type[BaseModel] | None
    output: Any
    summary: str
    name: str = ""

    @property
    def has_own_scope(self) -> bool:
        """Whether it has a scope other than those for tables."""
        return self.scope not in BASIC

    def serves_key(self, scopes: Collection[str]) -> bool:
        """Whether an account's key with these scopes may call it."""
        return self.own_key is not None and self.own_key.scope in ("", *scopes)

    @property
    def job(self) -> bool:
        """Whether it is a job, which has no URL."""
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
    agents: bool = False,
    tool: str = "",
    scope: str = "",
    tag: str = SCRIPTS,
    own_key: OwnKey | None = None,
    errors: Iterable[int] = (),
) -> Callable[[Run], Run]:
    """Make `async def run(ctx, input)` a script with a URL, or a job.

    Args:
        roles: Roles that may call it; (ANYONE,) for every client with an app key. With `public`, the roles shown in the
            API description.
        method: HTTP method.
        limit: Rate limits, such as "60/minute per session, 2000/day per user".
        public: Serve it without an app key. The script authenticates the call itself, for example with a signature.
        raw: Pass the body as bytes instead of a model.
        internal: A job: no URL, run from the queue or by `tableapi run`.
        every: A job on a schedule: "5m", "1h", "1d" or a cron expression.
        tail: The input field that is the last segment of the path.
        body_bytes: Maximum body size, if different from the settings.
        seconds: Time limit, if different from the settings.
        repeatable: Running it twice has the same effect as running it once, so a request with an Idempotency-Key may
            run again if the first attempt died.
        agents: Offer it to language-model agents as the tool `call_script` of MCP.
        tool: Offer it to them as a tool of this name.
        scope: The scope that an agent's token needs: `read`, `write` or a custom one. By default `read` for GET, else
            `write`. `call_script` offers a script with a custom scope only to agents that a user has signed in.
        tag: Its group in the API description. Named groups come first.
        own_key: For a public script: the key that it checks itself.
        errors: Statuses of errors that it raises itself, for the API description.

    Raises:
        TypeError: None of `roles`, `public`, `internal` and `every` was given, or the name of the tool is invalid.
    """

    def decorate(run: Run) -> Run:
        if not (roles or public or internal or every):
            raise TypeError(f"{run.__module__}.{run.__name__}: pass roles=, public=, internal= or every=")
        if tool and not _TOOL.fullmatch(tool):
            message = f"tool={tool!r} must have 1 to 64 letters, digits, hyphens and underscores"
            raise TypeError(f"{run.__module__}.{run.__name__}: {message}")
        hints = get_type_hints(run)
        second = list(inspect.signature(run).parameters)[1:2]
        model = hints.get(second[0]) if second and not raw else None
        named = (roles,) if isinstance(roles, str) else tuple(roles)
        marked: Any = run
        marked.script = Script(
            run=run, method=method, roles=named, limits=parse_limits(limit), public=public, raw=raw,
            internal=internal, every=cron(every), tail=tail, body_bytes=body_bytes, seconds=seconds,
            repeatable=repeatable, agents=agents, tool=tool, scope=scope or OF_METHOD[method], tag=tag, own_key=own_key,
            errors=tuple(errors),
            takes_input=bool(second), input=model, output=hints.get("return"),
            summary=inspect.getdoc(run) or (inspect.getdoc(inspect.getmodule(run)) or "").split("\n")[0],
        )  # fmt: skip
        return run

    return decorate


def hook(table: str, *verbs: str) -> Callable[[Run], Run]:
    """Make `async def check(ctx, records, options)` a hook of a table, for `TableAPI(hooks=...)`.

    verbs: GET, POST, PATCH (which includes PUT), DELETE. In a project, the file and the function name determine them.

    Raises:
        ValueError: no verb, or an unknown one.
    """
    if not verbs or not {*verbs} <= HOOK_VERBS.keys() - {"PUT"}:
        raise ValueError(f"hook({table!r}, ...): pass one or more of the verbs GET, POST, PATCH and DELETE.")

    def decorate(run: Run) -> Run:
        marked: Any = run
        marked.hook = (table, verbs)
        return run

    return decorate


def authorize(script: Script, actor: Actor, sessions: Sessions = NO_SESSIONS) -> None:
    """Raise Unauthorized (401) without a session, Forbidden (403) if the role lacks the right.

    sessions: those of the policy, which has errors for some roles.
    """
    if script.public or actor.role in script.roles:
        return
    if actor.role in sessions.read_only:
        raise sessions.error("read_only", actor.role)
    if ANYONE in script.roles and actor.role:
        return
    if not actor.role:
        raise Unauthorized(actor.key_error, reason="no_key")
    if actor.role == "key":
        raise sessions.ended()
    if actor.role in sessions.unlisted:
        raise sessions.error("unlisted", actor.role)
    hint = f"{script.method} {script.name} is for the role {_any_of([*script.roles])}."
    raise Forbidden("You are not permitted to do this.", case="not_permitted", context={"hint": hint})


def count_call(script: Script, request: HttpRequest) -> None:
    """Count the call against each limit of the script; `request.hit` becomes the tightest one."""
    actor = request.actor
    for limit in script.limits:
        if limit.per == "key" or (limit.per == "account" and script.own_key is not None):
            continue
        if limit.per == "session":
            key = actor.session
        elif limit.per == "user":
            key = next((f"{column}={value}" for column, value in actor.user.items()), "")
        else:
            key = str(actor.account or "") if limit.per == "account" else ""
        name = f"{script.method} {script.name} {limit.seconds}"
        hit = count_use(name, key or request.network, limit.amount, limit.seconds)
        if request.hit is None or hit.remaining < request.hit.remaining:
            request.hit = hit


WRAPPER = "resource"  # of the records of a table
MAX_SENT = 3  # unknown fields that a message names instead of a missing one
MAX_SPELT = 20  # unknown fields that may be a misspelt one
_VALUE = re.compile("'([^']*)'")
MAX_QUOTED = 60  # characters of a value that a message repeats
_OF_NUMBERS = ("int_parsing", "int_type", "int_from_float", "greater_than_equal", "less_than_equal")
_NO_CASE = ("value_error", "assertion_error")  # from any ValueError or assert of a validator


def _within(model: type[BaseModel], path: tuple[int | str, ...]) -> type[BaseModel] | None:
    """Return the model of a part of the input; None if it is not a model."""
    for name in path:
        if isinstance(name, str):
            fields = {field.alias or one: field for one, field in model.model_fields.items()}
            field = fields.get(name)
            models = _models(field.annotation) if field is not None else []
            if len(models) != 1:
                return None
            (model,) = models
    return model


def _known(model: type[BaseModel], path: tuple[int | str, ...]) -> list[str]:
    """Return the names of the fields beside the one at `path`."""
    within = _within(model, path[:-1])
    return [field.alias or name for name, field in within.model_fields.items()] if within is not None else []


def _field(model: type[BaseModel], path: tuple[int | str, ...]) -> FieldInfo | None:
    """Return the field at `path`; None for an item of a list, or a field that is not known."""
    within = _within(model, path[:-1]) if path else None
    fields = within.model_fields if within is not None else {}
    return next((field for name, field in fields.items() if (field.alias or name) == path[-1]), None)


def _annotation(model: type[BaseModel], path: tuple[int | str, ...]) -> Any:
    field = _field(model, path)
    return field.annotation if field is not None else None


def _literals(kind: Any) -> list[str]:
    """Return the words that a field, or each item of it, may be."""
    if get_origin(kind) is Literal:
        return [repr(word) for word in get_args(kind) if isinstance(word, str) and word]
    return [word for part in get_args(kind) for word in _literals(part)]


_BRANCH = re.compile(r"(?:constrained|function|nullable)-|list\[|(?:str|int|float|bool)\Z")


def _place(model: type[BaseModel], path: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return the path of an error without the branch of a union, such as `constrained-str`."""
    is_branch = len(path) > 1 and isinstance(path[-1], str) and _BRANCH.match(path[-1])
    field = _field(model, path[:-1]) if is_branch else None
    return path if field is None or get_origin(field.annotation) is dict else path[:-1]


def _any_of(words: list[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _is_flag(model: type[BaseModel], path: tuple[int | str, ...]) -> bool:
    """Whether a field is 0 or 1."""
    field = _field(model, path)
    rules = [(getattr(rule, "ge", None), getattr(rule, "le", None)) for rule in field.metadata] if field else []
    return {(0, None), (None, 1)} <= {*rules}


def _models(kind: Any) -> list[type[BaseModel]]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [kind]
    return [model for part in get_args(kind) for model in _models(part)]


def validate(model: type[M], data: Mapping[str, Any]) -> M:
    """Validate `data` with the input model. Raises Invalid (422) with one message per field.

    The case of a field is the type of pydantic's error; a validator gives its own with `PydanticCustomError`.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        fields: dict[str, str | FieldError] = {}
        named = False
        missing: dict[str, str] = {}  # name -> the unknown field that is probably meant
        details = error.errors()
        beside = Counter(detail["loc"][:-1] for detail in details if detail["type"] == "missing")
        for detail in details:
            loc = _place(model, detail["loc"])
            name, case = ".".join(map(str, loc)) or "body", detail["type"]
            text = plain(detail)
            if case in WORDS:
                text = text[0].upper() + text[1:]
            sent, last = detail["input"], str(detail["loc"][-1]) if detail["loc"] else ""
            if case == "missing" and isinstance(sent, Mapping):
                known = _known(model, detail["loc"])
                others = [name for name in known if name != last]
                sent_names = islice((str(other) for other in sent if other not in known), MAX_SPELT)
                unknown = [other for other in sent_names if not suggestion(other, others)]  # those mean another field
                near = meant(last, unknown)
                if not near and len(unknown) <= MAX_SENT and beside[detail["loc"][:-1]] == 1:
                    near = "' and '".join(unknown)
                if unknown == [WRAPPER]:
                    near = WRAPPER
                text += _sent_instead(near)
                text += f". Send {_any_of(words)}" if (words := _literals(_annotation(model, detail["loc"]))) else ""
                if len(detail["loc"]) == 1:
                    missing[name] = near
            elif case == "literal_error" and isinstance(sent, str):
                near = suggestion(sent, _VALUE.findall(text))
                text += f".{near}" if near else ""
            elif case == "list_type" and isinstance(sent, str) and len(sent) <= MAX_QUOTED:
                text += f", such as {orjson.dumps([sent]).decode()}"
            elif case == "list_type" and isinstance(sent, Mapping):
                text += ": put the object in [ ]"
            elif case == "model_type" and (known := _known(model, (*detail["loc"], ""))):
                text += f".{choices('', known, 'Its fields')}"
            elif case == "string_too_long" and isinstance(sent, str):
                text += f"; you sent {len(sent)}"
            elif case in _OF_NUMBERS and _is_flag(model, detail["loc"]):
                text = "Must be 0 or 1"
            elif case == "extra_forbidden":
                text += f".{choices(last, _known(model, detail['loc']), 'Its fields')}"
            # A text without its subject: pydantic's own, and those that begin alike.
            if not fields and case not in _NO_CASE and ("url" in detail or text.startswith("Must ")):
                named = True
            facts = detail.get("ctx", {})
            numbers = {key: value for key, value in facts.items() if type(value) in (int, float)}
            told = text if case in _NO_CASE else FieldError(case, text, numbers, str(facts.get("hint", "")))
            fields.setdefault(name, told)
        if len(missing) > 1 and next(iter(fields)) in missing:
            *others, last = missing
            strange = [str(name) for name in data if name not in _known(model, ("",))]
            if not any(missing.values()) and len(strange) <= MAX_SENT:
                missing[last] = "' and '".join(strange)
            sent_instead = "".join(map(_sent_instead, dict.fromkeys(missing.values())))
            raise Invalid(fields, f"{', '.join(others)} and {last} are missing{sent_instead}.") from None
        raise Invalid(fields, named=named) from None


def _sent_instead(near: str) -> str:
    """Return the part of a message that names the field sent instead of a missing one, or ""."""
    if near == WRAPPER:
        return f"; send the fields themselves, not in '{WRAPPER}'"
    return f"; you sent '{near[:100]}'" if near else ""


def meant(name: str, unknown: list[str]) -> str:
    """Return the unknown field that probably means a required one: a similar name, or a part of it; or ""."""
    if close := get_close_matches(name, unknown, n=1, cutoff=0.7):
        return close[0]
    return next((other for other in unknown if len(other) > 2 and other.lower() in name), "")
