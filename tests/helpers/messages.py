"""The messages that the code raises, each with the word by which the app translates it: its case or its reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from tests.helpers.support import ROOT

_WORD = re.compile(r"[a-z][a-z0-9_]*")
# Besides the classes of errors: their arguments are a word and a text.
_TAKES_WORDS = ("FieldError", "PydanticCustomError", "rejected", "_invalid")
Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Message:
    """A message; `{}` stands for what is inserted. `word` is its case, or its reason if it has none."""

    word: str
    text: str
    place: str


def _reasons() -> dict[str, str]:
    """Return the reason of every class of errors: its own, or that of its base."""
    own = {"ApiError": "bad_request"}
    bases: dict[str, str] = {}
    for path in _files("tableapi", "product", "scripts"):
        for node in _nodes(ast.parse(path.read_text()), ast.ClassDef):
            if node.bases:
                bases[node.name] = ast.unparse(node.bases[0]).rpartition(".")[2]
            for part in node.body:
                if isinstance(part, ast.Assign) and (found := _assigned(part, "reason")):
                    own[node.name] = found
    for name in bases:
        base, seen = name, set[str]()
        while base not in own and base in bases and base not in seen:  # two modules may have classes of one name
            seen.add(base)
            base = bases[base]
        if base in own:
            own.setdefault(name, own[base])
    return own


@cache
def messages(*folders: str) -> tuple[Message, ...]:
    """Return the messages of the Python files in these folders of the repository."""
    return tuple(_messages(*folders))


def _messages(*folders: str) -> Iterator[Message]:
    classes = _reasons()
    constants = dict(_constants(*folders))
    for path in _files(*folders):
        module = ast.parse(path.read_text())
        file = str(path.relative_to(ROOT))
        owners = {id(call): owner.name for owner in _nodes(module, ast.ClassDef) for call in _nodes(owner, ast.Call)}
        variables = [node for node in _nodes(module, ast.Assign) if isinstance(node.targets[0], ast.Name)]
        for call in _nodes(module, ast.Call):
            name = ast.unparse(call.func).rpartition(".")[2]
            if name == "__init__":
                name = owners.get(id(call), "")
            if name not in classes and name not in _TAKES_WORDS:
                continue
            near = {
                target.id: node.value
                for node in variables
                if node.lineno <= call.lineno and isinstance(target := node.targets[0], ast.Name)
            }
            values = [_text(argument, constants | near) for argument in call.args]
            text = next((value for value in values if " " in value), "")
            words = [value for value in values if _WORD.fullmatch(value)]
            keywords = {keyword.arg: _text(keyword.value, {}) for keyword in call.keywords}
            place = f"{file}:{call.lineno}"
            if text and name in classes:
                yield Message(keywords.get("case") or keywords.get("reason") or classes[name], text, place)
            elif text and words:
                yield Message(words[-1], text, place)
        pairs = (value for table in _nodes(module, ast.Dict) for value in table.values if isinstance(value, ast.Tuple))
        for pair in pairs:  # the policy and a table of messages have pairs of a word and a text
            texts = [text for value in pair.elts if (text := _text(value, {}))]
            word, text = texts if len(texts) == 2 else ("", "")
            if _WORD.fullmatch(word) and " " in text and text[0].isupper():
                yield Message(word, text, f"{file}:{pair.lineno}")


def _constants(*folders: str) -> Iterator[tuple[str, ast.expr]]:
    for path in _files(*folders):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                yield node.targets[0].id, node.value
                yield f"{path.stem}.{node.targets[0].id}", node.value


def _text(value: ast.expr, known: dict[str, ast.expr]) -> str:
    """Return the text of a literal, of a constant or variable, or of an f-string."""
    if isinstance(value, ast.Name | ast.Attribute):
        value = known.get(ast.unparse(value), value)
    if isinstance(value, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in value.values]
        return "".join(map(str, parts))
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _assigned(node: ast.Assign, name: str) -> str:
    """Return the text that a statement such as `status, reason = 402, "x"` assigns to a name."""
    target, value = node.targets[0], node.value
    targets = target.elts if isinstance(target, ast.Tuple) else [target]
    values = value.elts if isinstance(value, ast.Tuple) else [value]
    pairs = zip(targets, values, strict=False)
    return next((_text(value, {}) for part, value in pairs if isinstance(part, ast.Name) and part.id == name), "")


def _nodes(tree: ast.AST, kind: type[Node]) -> Iterator[Node]:
    return (node for node in ast.walk(tree) if isinstance(node, kind))


def _files(*folders: str) -> Iterator[Path]:
    for folder in folders:
        path = ROOT / folder
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))
