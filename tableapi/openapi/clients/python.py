"""Generate a Python client: the types of a description, and the runtime from `runtime.py.txt`."""

from __future__ import annotations

import ast
import json
import keyword
import re
from pathlib import Path
from typing import Any

from tableapi.openapi.clients.described import CallFacts, Described, Names, TableFacts
from tableapi.openapi.components import Json

RUNTIME = Path(__file__).with_name("runtime.py.txt")
_NOT_IN_NAME = re.compile(r"\W")
_TAKEN = {"Any", "Batch", "Calls", "Client", "Literal", "Never", "NotRequired", "Tables", "None", "True", "False"}
_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_HEAD = (
    '"""A client of the API. Made from its description; make it again when the API has changed."""\n\n# ruff: noqa\n'
)
_FOOT = '''

class Batch:
    """Requests that are run in one transaction at the end of the block."""

    def __init__(self) -> None:
        self.steps = Steps()
        self.tables = Tables(self.steps.add, None)
        self.ref = self.steps.ref


class Client:
    """The tables and calls of the API. `key` is an API key, `session` the token of a session."""

    def __init__(self, url: str, *, key: str = "", session: str = "", headers: Mapping[str, str] = {}) -> None:
        self._transport = connect(url, key, session, headers)
        self.tables = Tables(self._transport.send, self._transport)
        self.calls = Calls(self._transport)

    @contextmanager
    def batch(self, *, dry_run: bool = False, idempotency_key: str = "") -> Iterator[Batch]:
        """Collect requests, and run them in one transaction. Their results are there after the block."""
        batch = Batch()
        yield batch
        batch.steps.send(self._transport, dry_run, idempotency_key)

    def request(self, method: str, path: str, query: dict[str, object] | None = None, body: object = None) -> Any:
        """Send any request: the way to what has no method here."""
        return self._transport.send(Call(method, path, query or {}, body))

    def close(self) -> None:
        self._transport.http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
'''


def write(described: Described, *, numbers: str | None) -> str:
    """Return the text of a module. `numbers`: the option used to read the description."""
    runtime = RUNTIME.read_text()
    body = runtime.partition('"""\n\n')[2].replace(
        "from typing import ", "from typing import Literal, Never, NotRequired, ", 1
    )
    body = body.replace("NUMBERS: str | None = None", f"NUMBERS: str | None = {numbers!r}", 1)
    return _HEAD + body.rstrip() + "\n\n\n" + _Python(described, runtime).text() + _FOOT


class _Python:
    def __init__(self, described: Described, runtime: str) -> None:
        self._described = described
        self._names = Names(_TAKEN | _top_level(runtime))
        for table in described.tables:
            self._names.type_of(table.component)

    def text(self) -> str:
        described = self._described
        parts = [
            *(part for table in described.tables for part in self._table(table)),
            *(self._declared(self._names.type_of(name), described.schemas[name]) for name in described.models()),
            *(part for call in described.calls for part in self._models(call)),
            self._tables(),
            self._calls(),
        ]
        return "\n\n\n".join(parts)

    # -- tables ------------------------------------------------------------------------------------------------------

    def _table(self, table: TableFacts) -> list[str]:
        name = self._names.type_of(table.component)
        related = {
            field: f"list[{self._names.type_of(target)}]" if many else f"{self._names.type_of(target)} | None"
            for field, (target, many) in table.relations.items()
        }
        row = {field: self._type(schema) for field, schema in table.columns.items()}
        declared = [_dictionary(name, row | {field: f"NotRequired[{kind}]" for field, kind in related.items()})]
        nested = dict.fromkeys(table.relations, "NotRequired[Any]")
        for suffix, schema in (("Create", table.create), ("Update", table.update)):
            if schema is not None:
                declared.append(_dictionary(name + suffix, nested | self._members(schema)))
        columns = _identifiers([*table.columns, *table.relations])
        lines = [f"class {name}Columns(Columns):"]
        lines += [f"    {columns[field]}: Field[{kind}] = Field({field!r})" for field, kind in row.items()]
        for field, (target, _) in table.relations.items():
            other = f"{self._names.type_of(target)}Columns"
            lines.append(f"    {columns[field]}: Related[{other}] = Related({field!r}, lambda: {other})")
        return [*declared, "\n".join(lines if len(lines) > 1 else [*lines, "    pass"])]

    def _tables(self) -> str:
        lines = [
            "class Tables:",
            "    def __init__(self, send: Callable[[Call], Any], transport: Transport | None) -> None:",
        ]
        attributes = _identifiers([table.label for table in self._described.tables])
        for table in self._described.tables:
            name = self._names.type_of(table.component)
            create = f"{name}Create" if table.create is not None else "Never"
            update = f"{name}Update" if table.update is not None else "Never"
            key = "int" if table.key == "integer" else "KeyPart | tuple[KeyPart, ...]"
            kinds = f"{name}, {create}, {update}, {key}, {name}Columns"
            lines.append(f"        self.{attributes[table.label]}: Table[{kinds}] = Table(")
            lines.append(f"            send, transport, {table.path!r}, {name}Columns")
            lines.append("        )")
        return "\n".join(lines if self._described.tables else [*lines, "        pass"])

    # -- scripts -----------------------------------------------------------------------------------------------------

    def _models(self, call: CallFacts) -> list[str]:
        name = self._names.type_of(f"call {call.name}")
        pairs = ((f"{name}Input", call.input), (f"{name}Output", call.output))
        return [self._declared(each, schema) for each, schema in pairs if schema is not None and "properties" in schema]

    def _calls(self) -> str:
        lines = [
            "class Calls:",
            "    def __init__(self, transport: Transport) -> None:",
            "        self._transport = transport",
        ]
        methods = _identifiers([call.name for call in self._described.calls])
        for call in self._described.calls:
            name = self._names.type_of(f"call {call.name}")
            sent = self._type_of(call.input, f"{name}Input") if call.input is not None else ""
            received = self._type_of(call.output, f"{name}Output")
            needs = bool(call.input and (call.input.get("required") or "$ref" in call.input))
            argument = f", input: {sent}" + ("" if needs else " | None = None") if sent else ""
            summary = json.dumps(call.summary, ensure_ascii=False)[1:-1].strip()
            values = "dict(input or {})" if sent else "{}"
            if sent and "properties" not in (call.input or {}) and "$ref" not in (call.input or {}):
                values = "input"
            lines += [
                "",
                f"    def {methods[call.name]}(self{argument}, *, headers: Mapping[str, str] = {{}}) -> {received}:",
                f'        """{summary} """' if summary.endswith('"') else f'        """{summary}"""',
                f"        result: {received} = self._call({call.method!r}, {call.path!r}, {values}, headers)",
                "        return result",
            ]
        lines += [
            "",
            "    def _call(self, method: str, path: str, values: Any, headers: Mapping[str, str]) -> Any:",
            '        filled = re.sub(r"\\{(\\w+)\\}", lambda part: quote(str(values.pop(part[1])), safe=""), path)',
            '        in_query = method in ("GET", "DELETE")',
            "        query = {name: value for name, value in values.items() if value is not None} if in_query else {}",
            "        return self._transport.send(Call(method, filled, query, None if in_query else values, headers))",
        ]
        return "\n".join(lines)

    # -- schemas -----------------------------------------------------------------------------------------------------

    def _type_of(self, schema: Json | None, name: str) -> str:
        if schema is None:
            return "Any"
        return name if "properties" in schema else self._type(schema)

    def _members(self, schema: Json) -> dict[str, str]:
        required = schema.get("required", ())
        return {
            field: self._type(each) if field in required else f"NotRequired[{self._type(each)}]"
            for field, each in schema["properties"].items()
        }

    def _declared(self, name: str, schema: Json) -> str:
        if "properties" in schema:
            return _dictionary(name, self._members(schema))
        return f"{name} = {self._type(schema)}"

    def _type(self, schema: Any) -> str:
        if not isinstance(schema, dict):
            return "Any"
        if "$ref" in schema:
            return self._names.type_of(str(schema["$ref"]).rpartition("/")[2])
        if "const" in schema or "enum" in schema:
            values = schema.get("enum", [schema.get("const")])
            return f"Literal[{', '.join(repr(value) for value in values)}]"
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return _union(self._type(each) for each in schema[word])
        if len(schema.get("allOf", ())) == 1:
            return self._type(schema["allOf"][0])
        kind = schema.get("type")
        if isinstance(kind, list):
            return _union(self._type(schema | {"type": each}) for each in kind)
        if kind == "array":
            return f"list[{self._type(schema.get('items'))}]"
        if kind == "object":
            more = schema.get("additionalProperties")
            return f"dict[str, {self._type(more) if isinstance(more, dict) else 'Any'}]"
        return _SCALARS.get(str(kind), "Any")


def _union(kinds: Any) -> str:
    different = list(dict.fromkeys(kinds))
    return "Any" if "Any" in different else " | ".join(different)


def _dictionary(name: str, members: dict[str, str]) -> str:
    """Declare a TypedDict, in functional syntax if a member name is not a Python identifier."""
    if all(field.isidentifier() and not keyword.iskeyword(field) for field in members):
        lines = [f"    {field}: {kind}" for field, kind in members.items()] or ["    pass"]
        return "\n".join([f"class {name}(TypedDict):", *lines])
    lines = [f"    {field!r}: {kind!r}," for field, kind in members.items()]
    return "\n".join([f'{name} = TypedDict("{name}", {{', *lines, "})"])


def _identifiers(names: list[str]) -> dict[str, str]:
    """Return an identifier for each name.

    Invalid characters become `_`. A keyword, or an identifier that is taken, gets a trailing `_`.
    """
    given: dict[str, str] = {}
    taken = {"path", "self"}
    for name in names:
        word = _NOT_IN_NAME.sub("_", name) or "_"
        word = f"_{word}" if word[0].isdigit() else word
        while keyword.iskeyword(word) or word in taken or (word.startswith("__") and not word.endswith("_")):
            word += "_"
        taken.add(word)
        given[name] = word
    return given


def _top_level(text: str) -> set[str]:
    """Return the names that a module declares or imports."""
    names: set[str] = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names
