"""Facts read from the source text: reasons of errors, names of metrics and events of the log."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.helpers.support import ROOT

SOURCES = ("tableapi", "product", "sandbox", "scripts", "policy.py")
_METRIC = re.compile(r"# TYPE ([a-z_]+) (?:gauge|counter|histogram)")
_KINDS = {"Counter": "_total", "Gauge": "", "Histogram": ""}


def files(*places: str) -> Iterator[tuple[str, ast.Module]]:
    """Every Python file of these folders with its syntax tree."""
    for place in places or SOURCES:
        path = ROOT / place
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            if "sandbox" not in file.parts:  # uses reasons of Stripe's protocol
                yield str(file.relative_to(ROOT)), ast.parse(file.read_text())


def reasons() -> dict[str, str]:
    """Return every reason that an error can have, with a place where it is used."""
    places: dict[str, str] = {}
    for name, tree in files():
        passing = _passing(tree)
        for node in ast.walk(tree):
            for reason in [*_of_class(node), *_of_call(node, passing)]:
                places.setdefault(reason, f"{name}:{getattr(node, 'lineno', 0)}")
    return places


def _of_class(node: ast.AST) -> Iterator[str]:
    """`reason = "x"` and `status, reason = 402, "x"` in the body of a class."""
    if isinstance(node, ast.ClassDef):
        for value in _values_of(node, "reason"):
            yield from _texts(value)


def _values_of(node: ast.ClassDef, name: str) -> Iterator[ast.expr]:
    """Yield the expressions that a class assigns to an attribute, alone or among others."""
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign):
            targets: list[ast.expr] = [statement.target]
            value = statement.value
        elif isinstance(statement, ast.Assign):
            first, value = statement.targets[0], statement.value
            targets = list(first.elts) if isinstance(first, ast.Tuple) else [first]
        else:
            continue
        values = value.elts if isinstance(value, ast.Tuple) else [value]
        for target, expression in zip(targets, values, strict=False):
            if isinstance(target, ast.Name) and target.id == name and expression is not None:
                yield expression


def _passing(tree: ast.Module) -> dict[str, int]:
    """Return the functions and dataclasses of a module that take a `reason` for an error: name -> its position."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [argument.arg for argument in node.args.args]
            inner = (call for call in ast.walk(node) if isinstance(call, ast.Call) and _is_class(call.func))
            if "reason" in arguments and any(
                keyword.arg == "reason" and isinstance(keyword.value, ast.Name)
                for call in inner
                for keyword in call.keywords
            ):
                names[node.name] = arguments.index("reason")
        elif isinstance(node, ast.ClassDef):
            fields = [
                part.target.id
                for part in node.body
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            ]
            if "reason" in fields and "kind" in fields:  # a dataclass that represents an error
                names[node.name] = fields.index("reason")
    return names


def _of_call(node: ast.AST, passing: dict[str, int]) -> Iterator[str]:
    """`reason="x"` in a call that creates an error, and the argument of a function that passes it on."""
    if not isinstance(node, ast.Call):
        return
    at = passing.get(getattr(node.func, "id", ""))
    if _is_class(node.func) or at is not None:
        for keyword in node.keywords:
            if keyword.arg == "reason":
                yield from _texts(keyword.value)
    if at is not None and at < len(node.args):
        yield from _texts(node.args[at])


def _is_class(func: ast.expr) -> bool:
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return name[:1].isupper() or (name == "of" and isinstance(func, ast.Attribute))


def _texts(value: ast.expr) -> Iterator[str]:
    """Return the literals of an expression: one, or both of `"a" if x else "b"`."""
    if isinstance(value, ast.IfExp):
        yield from _texts(value.body)
        yield from _texts(value.orelse)
    elif isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
        yield value.value


def statuses() -> dict[str, set[int]]:
    """Return the HTTP statuses of each reason, as far as the source shows: from its class or `status=`."""
    known = _statuses_of_classes()
    statuses_of: dict[str, set[int]] = {}
    for _, tree in files():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name in known:
                for reason in _of_class(node):
                    statuses_of.setdefault(reason, set()).add(known[node.name])
            elif isinstance(node, ast.Call) and (status := _status_of_call(node, known)):
                for reason in _of_call(node, {}):
                    statuses_of.setdefault(reason, set()).add(status)
    return statuses_of


def _status_of_call(node: ast.Call, known: dict[str, int]) -> int:
    for keyword in node.keywords:
        if keyword.arg == "status" and isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, int):
            return keyword.value.value
    return known.get(getattr(node.func, "id", ""), 0)


def _statuses_of_classes() -> dict[str, int]:
    """Return the status of every error class: its own, or its base's."""
    own: dict[str, int] = {}
    bases: dict[str, str] = {}
    for _, tree in files():
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef):
                continue
            if node.bases and isinstance(node.bases[0], ast.Name):
                bases[node.name] = node.bases[0].id
            for value in _values_of(node, "status"):
                if isinstance(value, ast.Constant) and isinstance(value.value, int):
                    own[node.name] = value.value
    statuses = dict(own)
    for name in bases:
        base, seen = name, set()
        while base not in own and base in bases and base not in seen:  # two modules may have classes with the same name
            seen.add(base)
            base = bases[base]
        if base in own:
            statuses[name] = own[base]
    return statuses


def metrics() -> dict[str, str]:
    """Return every metric that /metrics can show, with the file that creates it.

    Counters have the suffix that readers see.
    """
    metrics_of: dict[str, str] = {}
    for name, tree in files("tableapi"):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _KINDS and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    metrics_of[first.value + _KINDS[getattr(node.func, "id", "")]] = name
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                for metric in _METRIC.findall(node.value):
                    metrics_of[metric] = name
    return metrics_of


def events() -> dict[str, str]:
    """The first word of every `metrics.count_event(...)`, with the file."""
    events_of: dict[str, str] = {}
    for name, tree in files():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            called, first = getattr(node.func, "attr", getattr(node.func, "id", "")), node.args[0]
            if called == "count_event" and isinstance(first, ast.Constant) and isinstance(first.value, str):
                events_of[first.value] = name
    return events_of


def hooks() -> dict[str, set[str]]:
    """Table hooks of the product: table -> the verbs that have one."""
    verbs_of: dict[str, set[str]] = {}
    for file in sorted(Path(ROOT / "scripts" / "tables").glob("*.py")):
        verbs = {
            node.name for node in ast.parse(file.read_text()).body
            if isinstance(node, ast.AsyncFunctionDef) and node.name in ("get", "post", "patch", "delete")
        }  # fmt: skip
        if verbs:
            verbs_of[file.stem] = verbs
    return verbs_of


@dataclass(frozen=True, slots=True)
class LogEvent:
    """A line that the program logs: its level, its fields besides `alarm`, and whether it is an alarm."""

    level: str
    fields: tuple[str, ...]
    alarm: bool


def log_events() -> dict[str, LogEvent]:
    """Return every event of the log except `request`, as its first call writes it."""
    found: dict[str, LogEvent] = {}
    for _, tree in files():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("debug", "info", "warning", "error", "critical")
                and getattr(node.func.value, "id", "") == "log"
            ):
                name = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
                assert isinstance(name, str), ast.unparse(node)
                names = [keyword.arg for keyword in node.keywords if keyword.arg]
                fields = tuple(name for name in names if name not in ("alarm", "exc_info"))
                found.setdefault(name, LogEvent(node.func.attr, fields, "alarm" in names))
    return found
