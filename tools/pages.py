"""The pages of the documentation, with the parts that are made of code and data.

A page has a comment such as `<!-- errors -->` where a list belongs. A line with nothing but a method and the path of a
call, in backticks, gets the callers and the limits of the call.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import textwrap
from collections.abc import Callable
from functools import cache
from itertools import groupby
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from urllib.parse import unquote

from pydantic import BaseModel

import tableapi
from product import reasons as product
from product.settings import Settings
from tableapi import ApiError
from tableapi import reasons as engine
from tableapi.cli.main import parser
from tableapi.project.guard import Script
from tableapi.project.registry import Scripts

ROOT = Path(__file__).parents[1]
_CALL = re.compile(r"^`(GET|POST|PUT|PATCH|DELETE) /api/v2/(\S+)`$", re.MULTILINE)
# Callers in the order of the page: roles -> name.
_CALLERS = {
    ("*",): "app key", ("client", "member"): "session", ("client",): "owner", ("unverified",): "sign-up session",
    ("temporary",): "temporary session", ("staff",): "staff", ("viewclient", "viewmember"): "support view",
    ("viewclient",): "owner's support view",
}  # fmt: skip

_MARK = re.compile(r"^<!-- (errors|questions|signatures|examples|names|targets) ?([\w ,-]*) -->$", re.MULTILINE)
_TARGET = re.compile(r"^([a-z0-9]+):.*## (.*)$", re.MULTILINE)


def errors() -> str:
    """Return an entry for every reason, by stage."""
    parts = []
    for stage in {**engine.REASONS, **product.REASONS}:
        parts.append(f"## {stage}")
        for name, (status, meaning, remedy) in (engine.REASONS.get(stage, {}) | product.REASONS.get(stage, {})).items():
            parts.append(f"### {name}\n\n**{status}** {meaning} {remedy}")
    return "\n\n".join(parts)


def questions() -> str:
    """Return a table of requests and statuses for each file of PostgREST's tests."""
    asked = json.loads((ROOT / "tests" / "data" / "questions.json").read_text())["questions"]
    parts = []
    for spec, group in groupby(asked, lambda question: question["spec"]):
        rows = ["| Question | Request | Answer |", "| --- | --- | --- |", *map(_row, group)]
        parts.append(f"## {spec}\n\n" + "\n".join(rows))
    return "\n\n".join(parts)


def signatures() -> str:
    """Return the signatures of public functions and classes, except those with tables of their fields."""
    lines = []
    for name in sorted(tableapi.__all__, key=str.lower):
        value = getattr(tableapi, name)
        if not inspect.isroutine(value) and not inspect.isclass(value):
            continue
        # Policy words, settings and webhooks have tables of their fields; errors take the arguments of ApiError.
        if inspect.isclass(value) and issubclass(value, BaseModel | ApiError) and value is not ApiError:
            continue
        if value.__module__ == "tableapi.auth.policy" or not inspect.signature(value).parameters:
            continue
        if getattr(value, "_is_protocol", False):  # has methods to write, and no arguments
            continue
        lines.append(_signature(name, value))
    return "\n".join(["```python", *lines, "```"])


def names(*listed: str) -> str:
    """Return a table of public names with the first lines of their docstrings, and the status of errors."""
    lines = ["| Name | |", "| --- | --- |"]
    for name in listed:
        value = getattr(tableapi, name)
        is_error = inspect.isclass(value) and issubclass(value, ApiError) and value is not ApiError
        status = f"{value.status}. " if is_error else ""
        lines.append(f"| `{name}` | {status}{(inspect.getdoc(value) or '').partition(chr(10))[0]} |")
    return "\n".join(lines)


def targets() -> str:
    """Return a table of the targets of make, with their comments."""
    rows = [f"| `make {name}` | {meaning}. |" for name, meaning in _TARGET.findall((ROOT / "Makefile").read_text())]
    return "\n".join(["| Target | Action |", "| --- | --- |", *rows])


def _signature(name: str, value: Any) -> str:
    """Return one signature, with a line for each parameter if it is long."""
    signature = inspect.signature(value)
    parts = [_parameter(one) for one in signature.parameters.values()]
    keywords = [place for place, one in enumerate(signature.parameters.values()) if one.kind is one.KEYWORD_ONLY]
    if keywords:
        parts.insert(keywords[0], "*")
    returned = "" if inspect.isclass(value) else f" -> {signature.return_annotation}"
    short = f"{name}({', '.join(parts)}){returned}"
    return short if len(short) <= 110 else "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){returned}"])


def _parameter(parameter: inspect.Parameter) -> str:
    text = f"{'*' if parameter.kind is parameter.VAR_POSITIONAL else ''}{parameter.name}: {parameter.annotation}"
    if parameter.default is parameter.empty:
        return text
    is_plain = isinstance(parameter.default, str | int | float | tuple | None)
    return f"{text} = {parameter.default!r}" if is_plain else f"{text} = ..."


def examples(command: str) -> str:
    """Return the examples in the help of a command, and a table of its options."""
    [commands] = [action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)]
    chosen = commands.choices[command]
    parts = []
    if chosen.epilog:
        lines = re.split(r"examples?:\n|\n\n", chosen.epilog)[1]
        parts.append(f"```text\n{textwrap.dedent(lines).rstrip()}\n```")
    options = [action for action in chosen._actions if action.option_strings and action.dest != "help"]
    if options:
        rows = [f"| `{_option(action)}` | {action.help[:1].upper()}{action.help[1:]}. |" for action in options]
        parts.append("\n".join(["| Option | Meaning |", "| --- | --- |", *rows]))
    return "\n\n".join(parts)


def _option(action: argparse.Action) -> str:
    word = action.option_strings[0]
    return word if action.nargs == 0 else f"{word} {action.metavar or action.dest.upper()}"


@cache
def calls() -> dict[tuple[str, str], Script]:
    """Return every call of the product with a URL: (method, path) -> script."""
    settings = Settings(data_dir=Path(gettempdir()), secret_keys=("a key for the documentation",), _env_file=None)
    return {(script.method, script.name): script for script in Scripts.load(ROOT, settings)}


def _call(line: re.Match[str]) -> str:
    """Add the callers and the limits to the line of a call."""
    if (script := calls().get((line[1], line[2]))) is None:
        return line[0]
    roles, callers = set(script.roles), []
    for names, caller in _CALLERS.items():
        if roles.issuperset(names):
            callers.append(caller)
            roles.difference_update(names)
    callers = ["public"] if script.public else callers + sorted(roles)
    limits = [f"{limit.rate} per {limit.per}" for limit in script.limits]
    return " · ".join(", ".join(part) for part in ([line[0]], callers, limits) if part)


def _row(question: dict[str, Any]) -> str:
    query = "&".join(f"{name}={value}" for name, value in question.get("query", {}).items())
    request = f"{question['method']} {unquote(question['path'])}" + (f"?{query}" if query else "")
    headers = ", ".join(f"`{name}: {value}`" for name, value in question.get("headers", {}).items())
    want = question["want"]
    answer = f"{want['status']} `{want['refused']}`" if "refused" in want else str(want["status"])
    asked = f"`` {request} `` {headers}".rstrip().replace("|", "\\|")
    return f"| {question['question']} | {asked} | {answer} |"


_LISTS: dict[str, Callable[..., str]] = {
    "errors": errors, "questions": questions, "signatures": signatures, "examples": examples, "names": names,
    "targets": targets,
}  # fmt: skip


def text(page: Path) -> str:
    """Return the text of a page with its generated parts."""
    filled = _MARK.sub(lambda mark: _LISTS[mark[1]](*mark[2].replace(",", "").split()), page.read_text())
    return _CALL.sub(_call, filled)
