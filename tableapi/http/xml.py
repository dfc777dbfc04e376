"""Render JSON responses as XML, in DreamFactory's format, for clients that ask for it.

The root element is `dfapi`. A list repeats its name for each item, so `{"resource": [{"id": 1}]}` becomes
`<dfapi><resource><id>1</id></resource></dfapi>`. Items of a list inside a list are called `item`. Null becomes an empty
element.
"""

from __future__ import annotations

import re
from typing import Any

from tableapi import exact_json, threads
from tableapi.errors import BadRequest
from tableapi.http.compression import media_type
from tableapi.http.request import HttpRequest
from tableapi.http.response import JSON, Response, error_response

CONTENT_TYPE = "application/xml; charset=utf-8"
_TYPES = frozenset(("application/xml", "text/xml"))
_OPTION = re.compile(rb"(?:\A|&)(?:format=xml|accept=(?:xml|(?:application|text)(?:/|%2[fF])xml))(?:&|\Z)")
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_ROOT, _RECORD, _ITEM = "dfapi", "resource", "item"
_START = "_A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u2c00-\u2fef\u3001-\ud7ff"
# names that look like an escape are escaped as well
_NOT_IN_NAME = re.compile(rf"[^{_START}0-9.\-]|_(?=x[0-9A-F]{{4,6}}_)")
_NO_START = re.compile(rf"\A[^{_START}]")
_NOT_IN_TEXT = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REPLACEMENT = "\ufffd"
MAX_BYTES = 4_000_000  # maximum size of the JSON
_ESCAPED = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord("\r"): "&#13;"}


def wanted(accept: str, query_string: bytes) -> bool:
    """Return whether a request asks for XML, by `Accept` or with `format=xml`."""
    if b"xml" in query_string and _OPTION.search(query_string):
        return True
    return "xml" in accept and media_type(accept) in _TYPES


async def negotiate(response: Response, request: HttpRequest) -> Response:
    """Convert the response to XML if the request asks for it, unless it is nested too deeply.

    Above MAX_BYTES of JSON, a read fails; a write is kept and its response stays JSON.
    """
    # Elsewhere the query belongs to a function or script, which may have a parameter called `format`.
    query_string = request.query_string if "/_table" in request.path or "/_schema" in request.path else b""
    if not wanted(request.headers.get("accept", ""), query_string):
        return response
    if response.content_type != JSON or response.stream is not None or not response.body:
        return response
    if len(response.body) > MAX_BYTES:
        return _too_large(request) if request.method in ("GET", "HEAD") else response
    try:
        response.body = await threads.body(len(response.body), of_json, response.body)
    except (ValueError, RecursionError):
        return response
    response.content_type = CONTENT_TYPE
    return response


def _too_large(request: HttpRequest) -> Response:
    error = BadRequest(
        f"An XML response may be made from at most {MAX_BYTES // 1_000_000} MB of JSON. Request less, or request JSON.",
        reason="answer_too_large",
        context={"bytes": MAX_BYTES},
    )
    return error_response(error, request.request_id, request.root_path)


def of_json(body: bytes) -> bytes:
    """Convert JSON to XML. Raises ValueError or RecursionError."""
    value = exact_json.loads_list(body)
    root = {_RECORD: value} if isinstance(value, list) else value
    parts: list[str] = [_HEAD]
    _element(parts, _ROOT, root, _Names())
    return "".join(parts).encode()


class _Names(dict[str, str]):
    """Cache the element name for each JSON key."""

    def __missing__(self, key: str) -> str:
        self[key] = name = escaped_name(key)
        return name


def _element(parts: list[str], name: str, value: Any, names: _Names) -> None:
    if value is None:
        parts.append(f"<{name}/>")
    elif isinstance(value, dict):
        parts.append(f"<{name}>")
        for key, item in value.items():
            for each in item if isinstance(item, list) else (item,):
                _element(parts, names[key], each, names)
        parts.append(f"</{name}>")
    elif isinstance(value, list):
        parts.append(f"<{name}>")
        for item in value:
            _element(parts, _ITEM, item, names)
        parts.append(f"</{name}>")
    else:
        text = ("true" if value else "false") if isinstance(value, bool) else str(value)
        parts.append(f"<{name}>{_NOT_IN_TEXT.sub(_REPLACEMENT, text).translate(_ESCAPED)}</{name}>")


def escaped_name(name: str) -> str:
    """Return a valid XML name: other characters become `_x` and their code, such as `_x0020_` for a space."""
    return _NO_START.sub(_escape, _NOT_IN_NAME.sub(_escape, name)) or "_x0000_"


def _escape(match: re.Match[str]) -> str:
    return f"_x{ord(match[0]):04X}_"
