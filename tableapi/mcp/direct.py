"""Handle well-formed tool calls without the session that the SDK builds for each message.

That session costs more than most reads. The SDK's functions check the headers here as well. Invalid calls and all other
messages are left to the SDK; the responses are the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tableapi import exact_json
from tableapi.mcp import tools
from tableapi.mcp.caller import Caller
from tableapi.mcp.results import DEFAULT_REVISION, WITHOUT_STRUCTURE
from tableapi.observability import tracing
from tableapi.query.spelling import suggestion
from tableapi.version import VERSION

_MEMBERS = frozenset(("jsonrpc", "id", "method", "params"))
_KINDS = frozenset(("method", "result", "error"))
_PARAMETERS = frozenset(("name", "arguments", "_meta"))
_INVALID_REQUEST, _NO_METHOD = -32600, -32601
_METHODS = (
    "initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "resources/templates/list",
    "server/discover", "subscriptions/listen",
)  # fmt: skip
_NO_MESSAGE = (
    'This is not a JSON-RPC message. Send {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, one in each request.'
)
_BAD_ID = "The id of a request must be a string or a whole number"


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call.

    protocol: the revision of the protocol. modern: the revision includes version and capabilities in every message.
    structured: it has structured content.
    """

    ident: int | str
    tool: tools.Tool
    arguments: dict[str, Any]
    meta: dict[str, Any]
    protocol: str
    modern: bool
    structured: bool


def decoded(content: bytes) -> Any:
    """Parse a message, keeping every digit of numbers; None if it is not JSON."""
    try:
        return exact_json.loads(content)
    except ValueError:
        return None


def refusal(message: Any) -> bytes | None:
    """Return the response to an invalid message, or to one with an id such as null, else None.

    The SDK would list all forms of a message and their members, and takes such an id for a notification.
    """
    if message is None:  # no JSON, which the SDK says
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or message.keys().isdisjoint(_KINDS):
        told = _NO_MESSAGE
    elif type(message.get("id", 0)) not in (int, str) and "method" in message:
        told = _BAD_ID
    else:
        return None
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": _INVALID_REQUEST, "message": told}}).encode()


def misspelt(message: Any) -> bytes | None:
    """Return the error for a method with a name close to one that exists, else None: the SDK names none."""
    method = message.get("method") if isinstance(message, dict) else None
    if not isinstance(method, str) or method in _METHODS or type(message.get("id")) not in (int, str):
        return None
    close = suggestion(method, _METHODS)
    error = {"code": _NO_METHOD, "message": f"Method not found.{close}", "data": method[:100]}
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode() if close else None


def unknown_status(headers: Mapping[str, str]) -> int:
    """Return the HTTP status of an unknown method: 404 since the revisions without a handshake (SEP-2575)."""
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    return 200 if headers.get("mcp-protocol-version", DEFAULT_REVISION) in HANDSHAKE_PROTOCOL_VERSIONS else 404


def call_of(message: Any, headers: Mapping[str, str], pairs: Iterable[tuple[bytes, bytes]]) -> Call | None:
    """Parse a message as a tool call; None if it is to be left to the SDK.

    The SDK must be loaded. `pairs`: the headers as they were sent.
    """
    if not isinstance(message, dict) or message.keys() != _MEMBERS or not _takes_json(headers.get("accept", "")):
        return None
    ident, params = message["id"], message["params"]
    if message["jsonrpc"] != "2.0" or message["method"] != "tools/call" or type(ident) not in (int, str):
        return None
    if not isinstance(params, dict) or not params.keys() <= _PARAMETERS:
        return None
    name, arguments, meta = params.get("name"), params.get("arguments", {}), params.get("_meta", {})
    tool = tools.TOOLS.get(name) if isinstance(name, str) else None
    if tool is None or not isinstance(arguments, dict) or not isinstance(meta, dict):
        return None
    modern = _is_modern(message, meta, headers, pairs)
    if modern is None:
        return None
    protocol = headers.get("mcp-protocol-version", DEFAULT_REVISION)
    return Call(ident, tool, arguments, meta, protocol, modern, structured=protocol not in WITHOUT_STRUCTURE)


@lru_cache(maxsize=64)
def _takes_json(accept: str) -> bool:
    """Whether a client accepts JSON; anything more specific is left to the SDK."""
    return "application/json" in accept.lower() and ";" not in accept


def _is_modern(
    message: dict[str, Any], meta: dict[str, Any], headers: Mapping[str, str], pairs: Iterable[tuple[bytes, bytes]]
) -> bool | None:
    """Whether a call uses a revision without a handshake; None if it is contradictory."""
    from mcp.shared.inbound import InboundModernRoute, classify_inbound_request, find_duplicated_routing_header
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    version = headers.get("mcp-protocol-version")
    raw = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in pairs)
    if find_duplicated_routing_header(raw) is not None:
        return None
    if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
        return False if _is_plain(meta) else None
    if not isinstance(classify_inbound_request(message, headers=headers), InboundModernRoute):
        return None
    return True if _is_plain(meta) else None


def _is_plain(meta: dict[str, Any]) -> bool:
    """Whether the SDK's types accept a message's metadata, which is the same for every message."""
    return _accepted(json.dumps(meta, sort_keys=True)) if meta else True


@lru_cache(maxsize=256)
def _accepted(meta: str) -> bool:
    if len(meta) > 4000:
        return False
    from mcp_types import CallToolRequestParams, ClientCapabilities, Implementation
    from pydantic import ValidationError

    values = json.loads(meta)
    prefix = "io.modelcontextprotocol/"
    try:
        CallToolRequestParams.model_validate({"name": "", "_meta": values})
        if (info := values.get(f"{prefix}clientInfo")) is not None:
            Implementation.model_validate(info)
        if (capabilities := values.get(f"{prefix}clientCapabilities")) is not None:
            ClientCapabilities.model_validate(capabilities)
    except ValidationError:
        return False
    return True


async def respond(caller: Caller, call: Call) -> bytes:
    """Run a call, and return the response as JSON."""
    with tracing.tool_call(call.tool.name, call.ident, call.meta, call.protocol) as span:
        outcome = await tools.call(caller, call.tool, call.arguments)
        if outcome.error is not None:
            tracing.describe_tool_error(span)
    structured = call.structured and caller.results != "text"
    result: dict[str, Any] = {
        "content": outcome.content(brief=structured and caller.results == "structured"),
        "isError": outcome.error is not None,
    }
    if call.modern:
        server = {"name": caller.title, "title": caller.title, "version": VERSION}
        result |= {"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": server}}
    text = json.dumps({"jsonrpc": "2.0", "id": call.ident, "result": result}, separators=(",", ":")).encode()
    if structured and outcome.error is None:
        return text[:-2] + b',"structuredContent":' + outcome.encoded + b"}}"
    return text
