"""Tools that call database functions and project scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from tableapi import exact_json
from tableapi.datasets.dataset import Dataset
from tableapi.errors import Invalid, NotFound
from tableapi.mcp import truncation
from tableapi.mcp.arguments import CallFunction, CallScript
from tableapi.mcp.caller import Caller
from tableapi.project.guard import Script
from tableapi.query.spelling import suggestion
from tableapi.schema.model import Routine
from tableapi.tables import overloads, routines

MAX_LISTED = 40  # functions or scripts in the description of a tool
SUMMARY_CHARS = 160


def functions(caller: Caller, dataset: Dataset) -> list[Routine]:
    """Return the functions and procedures that the caller may call."""
    return routines.public(dataset, caller.actor.role, _verb(caller))


def _verb(caller: Caller) -> str:
    """Return the method that calls functions. GET runs them in a read-only transaction."""
    return "GET" if caller.reads_only else "POST"


async def call_function(caller: Caller, arguments: CallFunction) -> dict[str, Any]:
    """Call a function or procedure, and return its rows."""
    dataset = caller.dataset(arguments.database)
    named = [routine for routine in functions(caller, dataset) if routine.name.lower() == arguments.name.lower()]
    if not named:
        hint = suggestion(arguments.name, (routine.name for routine in functions(caller, dataset)))
        raise NotFound(f"There is no function '{arguments.name[:100]}'.{hint}", reason="unknown_routine")
    # A procedure may have the name of a function; the one with the parameters is meant.
    meant = {name.lower() for name in arguments.arguments}
    kind = max(named, key=lambda routine: (meant <= set(overloads.names(routine)), routine.kind == "f")).kind
    path, sent = ("_proc" if kind == "p" else "_func", arguments.name), {"params": arguments.arguments}
    if caller.reads_only:
        return _shown(await caller.json("GET", dataset, path, sent))
    return _shown(await caller.json("POST", dataset, path, {}, sent))


async def call_script(caller: Caller, arguments: CallScript) -> dict[str, Any]:
    """Call a script of the project, and return its response."""
    script = next((script for script in caller.scripts if script.name == arguments.name), None)
    if script is None:
        hint = suggestion(arguments.name, (script.name for script in caller.scripts))
        raise NotFound(f"There is no script '{arguments.name[:100]}'.{hint}", reason="unknown_service")
    return await run_script(caller, script, arguments.input)


async def run_script(caller: Caller, script: Script, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Call a script with input values by field name, and return its response."""
    parts, values = script.name.split("/"), dict(sent)
    if script.tail:
        parts[-1] = str(values.pop(script.tail, ""))
    if script.method == "GET":
        response = await caller.send("GET", parts, {name: _query_text(value) for name, value in values.items()})
    else:
        response = await caller.send(script.method, parts, {}, values)
    if not response.content_type.startswith("application/json"):
        return {"status": response.status, "content_type": response.content_type, "bytes": len(response.body)}
    return _shown(exact_json.loads(response.body))


async def run_tool(caller: Caller, script: Script, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Call a script that is offered as a tool.

    Raises Invalid; for a missing or unknown argument it lists those that the tool takes.
    """
    try:
        return await run_script(caller, script, sent)
    except Invalid as error:
        raise _with_arguments(script, sent, error) from None


def _with_arguments(script: Script, sent: Mapping[str, Any], error: Invalid) -> Invalid:
    """Return the error of a script with the names that its tool takes, if one is missing or unknown."""
    known = [field.alias or name for name, field in script.input.model_fields.items()] if script.input else []
    fields: dict[str, str] = error.context["fields"]
    if not any((name in known) != (name in sent) for name in fields if "." not in name):
        return error
    told = "; ".join(
        f"{name}: {f'is not an argument.{suggestion(name, known)}' if name not in known else text}".rstrip(".")
        for name, text in fields.items()
    )
    end = "" if told.endswith("?") else "."
    error.message = f"The arguments of {script.tool} are not valid. {told}{end} It takes: {', '.join(known)}."
    return error


def _query_text(value: Any) -> str:
    return value if isinstance(value, str) else exact_json.dumps(value).decode()


def _shown(result: Any) -> dict[str, Any]:
    """Return a result that fits the size limit."""
    if isinstance(result, list):
        rows, cut = truncation.fitting(result) if result else ([], [])
        note = f"{len(rows)} of {len(result)} rows fit into the result."
        shown = truncation.columns_and_values(rows) | ({"note": note} if len(rows) < len(result) else {})
        return shown | ({"cut_texts": cut} if cut else {})
    record, ends = truncation.record(result, 0)
    return {"result": record} | ({"cut_texts": ends} if ends else {})


def describe_functions(caller: Caller) -> str:
    """Return a line for each function that the caller may call; "" if there are none."""
    lines = [
        _function(dataset.name if len(caller.datasets) > 1 else "", routine)
        for dataset in caller.datasets.values()
        for routine in functions(caller, dataset)
    ]
    return _lines(lines)


def _function(dataset: str, routine: Routine) -> str:
    summary = f": {routine.comment[:SUMMARY_CHARS]}" if routine.comment else ""
    return f"{dataset + '.' if dataset else ''}{overloads.signature(routine)}{summary}"


def of_tool(caller: Caller) -> list[Script]:
    """Return the scripts that `call_script` can call."""
    return [script for script in caller.scripts if not script.tool]


def describe_scripts(caller: Caller) -> str:
    """Return a line for each of them; "" if there are none."""
    return _lines([_script(script) for script in of_tool(caller)])


def summary(script: Script) -> str:
    """Return the first paragraph of a script's description."""
    return " ".join(script.summary.split("\n\n")[0].split())


def _script(script: Script) -> str:
    return f"{script.name}({', '.join(_fields(script.input))}): {summary(script)[:SUMMARY_CHARS]}"


def _fields(model: type[BaseModel] | None) -> list[str]:
    """Return the input fields of a script with their types; optional ones are marked."""
    if model is None:
        return []
    schema = model.model_json_schema()
    required = schema.get("required", [])
    fields = []
    for name, field in schema.get("properties", {}).items():
        kind = "|".join(map(str, field["enum"])) if "enum" in field else field.get("type", "")
        fields.append(f"{name} {kind}".strip() + ("" if name in required else "?"))
    return fields


def _lines(lines: list[str]) -> str:
    more = [f"and {len(lines) - MAX_LISTED} more"] if len(lines) > MAX_LISTED else []
    return "\n".join(f"- {line}" for line in [*lines[:MAX_LISTED], *more])
