"""The regular expressions of the code take linear time on any text."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import importlib
import pkgutil
import re
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import policy
import scripts
import tableapi
from tableapi.errors import BadRequest
from tableapi.query import names, syntax
from tableapi.query.expressions.order import order_terms
from tableapi.query.filter import cache

parser: Any = importlib.import_module("re._parser")
ROOT = Path(__file__).parents[2]
SOURCES = [*(ROOT / "tableapi").rglob("*.py"), *(ROOT / "scripts").rglob("*.py"), ROOT / "policy.py"]
LENGTH, SECONDS = 2000, 0.05
_CALLS = {"match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"}


def _modules() -> Iterator[ModuleType]:
    """Yield the modules of the engine and of the product."""
    yield policy
    for package in (tableapi, scripts):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not module.name.endswith("__main__"):
                yield importlib.import_module(module.name)


def _inside(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    """Yield the patterns in a value of a module: itself, or in a class, a collection or a record."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth > 3:
        return
    elif isinstance(value, dict):
        for item in value.values():
            yield from _inside(item, depth + 1)
    elif isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _inside(item, depth + 1)
    elif isinstance(value, type):
        for item in list(vars(value).values()):
            yield from _inside(item, depth + 1)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _inside(getattr(value, field.name, None), depth + 1)


def _all() -> dict[str, tuple[re.Pattern[Any], set[str]]]:
    """Return every pattern by name, with the methods that the code calls on it."""
    patterns: dict[str, tuple[re.Pattern[Any], set[str]]] = {}
    for module in _modules():
        source = Path(module.__file__ or "").read_text()
        for name, value in list(vars(module).items()):
            for pattern in _inside(value):
                methods = set(re.findall(rf"\b{name}(?:\[[^\]]*\])?\.(\w+)\(", source)) & _CALLS
                if isinstance(value, re.Pattern) and not methods:
                    continue  # imported; the module that calls it is checked
                patterns.setdefault(f"{module.__name__}.{name}: {pattern.pattern!r}", (pattern, methods or _CALLS))
    return patterns


PATTERNS = _all()


_SIGNS = "a0 .-_:@/,=x'()[]A"
_CATEGORIES = {
    parser.CATEGORY_DIGIT: "0", parser.CATEGORY_WORD: "a", parser.CATEGORY_SPACE: " ", parser.CATEGORY_NOT_DIGIT: "a",
    parser.CATEGORY_NOT_WORD: ".", parser.CATEGORY_NOT_SPACE: "a",
}  # fmt: skip


def _one_of(items: Any) -> str:
    """Return one character of a class."""
    if items[0][0] is parser.NEGATE:
        named = {chr(v) for k, v in items if k is parser.LITERAL}
        named |= {_CATEGORIES[v] for k, v in items if k is parser.CATEGORY}
        return next(sign for sign in _SIGNS if sign not in named)
    kind, value = items[-1]
    return _CATEGORIES[value] if kind is parser.CATEGORY else chr(value if kind is parser.LITERAL else value[0])


def _example(items: Any) -> list[str]:
    """Return a text that a pattern matches, in parts: with its last alternatives, and one extra repetition each."""
    parts: list[str] = []
    for kind, value in items:
        if kind is parser.LITERAL:
            parts.append(chr(value))
        elif kind in (parser.ANY, parser.NOT_LITERAL):
            parts.append("a")
        elif kind is parser.IN:
            parts.append(_one_of(value))
        elif kind is parser.BRANCH:
            parts += _example(value[1][-1])
        elif kind is parser.SUBPATTERN:
            parts += _example(value[-1])
        elif kind is parser.ATOMIC_GROUP:
            parts += _example(value)
        elif kind in (parser.MAX_REPEAT, parser.MIN_REPEAT, parser.POSSESSIVE_REPEAT):
            parts += _example(value[2]) * min(max(value[0], 1), 20)
    return parts


def _texts(pattern: re.Pattern[Any]) -> Iterator[str]:
    """Yield the start of a match, then one piece many times, then a character that matches nothing."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    parts = _example(parser.parse(text, pattern.flags & ~re.UNICODE & ~re.DEBUG))
    heads = list(dict.fromkeys("".join(parts[:end]) for end in range(len(parts) + 1)))[:60]
    for piece in {" ", "\n", "0", "a", "a.", "''", "(", *parts, *heads[-1:]} - {""}:
        for head in heads:
            yield head + piece * (LENGTH // len(piece)) + "\x01"
            yield (head + piece) * (LENGTH // len(head + piece))


@pytest.mark.parametrize("name", sorted(PATTERNS))
def test_a_pattern_matches_hostile_input_in_linear_time(name: str) -> None:
    pattern, methods = PATTERNS[name]
    calls: list[Any] = [pattern.match] * ("match" in methods) + [pattern.fullmatch] * ("fullmatch" in methods)
    calls += [lambda text: all(pattern.finditer(text))] * bool(methods - {"match", "fullmatch"})
    for text in _texts(pattern):
        argument: Any = text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")
        for call in calls:
            start = time.thread_time()
            call(argument)
            assert time.thread_time() - start < SECONDS, (call.__name__, text[:40])


def _inline(path: Path) -> list[str]:
    """Return the calls of `re` inside functions; patterns are compiled at the top of a module or class."""
    tree = ast.parse(path.read_text())
    places = []
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
        for node in ast.walk(function):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "re" and node.func.attr in _CALLS | {"compile"}:
                places.append(f"{path.name}:{node.lineno}")
    return places


@pytest.mark.parametrize(
    "slow", [r"email\s*=\s*'?([^'()]+?)'?\s*\)?\s*and\s*verifytoken", r"(count|sum)\s*\(\s*(\*|[^()*]+?)\s*\)\Z"]
)
def test_a_slow_pattern_is_found(slow: str) -> None:
    pattern = re.compile(slow)
    for text in _texts(pattern):
        start = time.thread_time()
        pattern.match(text[:250])
        if time.thread_time() - start > SECONDS / 50:
            return
    raise AssertionError("not found")


def test_no_pattern_is_hidden_in_a_function() -> None:
    assert not [place for path in SOURCES for place in _inline(path)]


def test_models_use_the_linear_engine() -> None:
    """Pydantic's patterns cannot backtrack, unless a model selects `python-re`."""
    assert not [path.name for path in SOURCES if "python-re" in path.read_text()]


@pytest.mark.parametrize(
    "text",
    [
        "(email=" + " " * 1900 + "x",
        "email = a and verifytoken = " + " " * 1900 + ")",
        "a = " + "x " * 900,
        "a = " + " " * 1900 + "(",
        "a = " + "'x' " * 450,
        "a = '" + "' " * 900,
        "a = " + "(" * 1900,
        "a = now" + " " * 1900 + "(",
        "a = " + "(" * 900 + "now()" + ")" * 900,
        "a = 'x'" + " and" * 480,
        "a in (" + " " * 1900,
        "a = " + "1" * 1990,
        "a = " + "1." * 990,
        "[" * 1990,
        '"' * 1990,
        "count(" + " " * 1900 + "x > 1",
        "sum ( " + "a " * 900 + " > 1",
    ],
)
def test_a_filter_parses_hostile_input_in_linear_time(text: str) -> None:
    for parse in (cache.parse, order_terms, names.names, syntax.selected, syntax.whole):
        start = time.thread_time()
        with contextlib.suppress(BadRequest):
            parse(text)
        assert time.thread_time() - start < SECONDS, parse
