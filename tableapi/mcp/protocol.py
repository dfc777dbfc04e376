"""The MCP server, based on the official SDK. The SDK is an extra and is imported on the first request."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from tableapi.db.errors import to_api_error
from tableapi.errors import ApiError, BadRequest, NotFound
from tableapi.mcp import resources, tools
from tableapi.mcp.caller import Caller
from tableapi.mcp.resources import Documentation
from tableapi.mcp.results import DEFAULT_REVISION, WITHOUT_STRUCTURE
from tableapi.version import VERSION, install_command

if TYPE_CHECKING:
    from mcp.server import Server

LIST_MILLISECONDS = 60_000  # time for which a client may cache a list of tools or resources
CallerOf = Callable[[Any], Awaitable[Caller]]  # takes the HTTP request of a message, or None over stdio


class MissingSDK(NotFound):
    """Raised when the extra `mcp` is not installed."""

    reason = "no_mcp"


def load_sdk() -> None:
    """Import the SDK, which takes a second or more; run it in a thread. Raises MissingSDK."""
    try:
        importlib.import_module("mcp.server.streamable_http_manager")
    except ModuleNotFoundError:
        raise MissingSDK(f"MCP is not installed on this server: {install_command('mcp')}.") from None


def server(caller_of: CallerOf, documentation: Documentation, title: str) -> Server[Any]:
    """Return an MCP server with the tools and resources of each caller.

    `load_sdk` must be called first. title: that of the API, which clients show to their users.
    """
    import mcp.types as types
    from mcp.server import Server
    from mcp.server.caching import CacheHint

    lists = CacheHint(ttl_ms=LIST_MILLISECONDS, scope="private")  # they depend on the rights of the caller
    offers = tools.Offers()

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        caller = await _authorized(caller_of, ctx)
        structured = _is_structured(caller, ctx)
        return types.ListToolsResult(tools=[_tool(offer, structured=structured) for offer in offers.of(caller)])

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        caller = await _authorized(caller_of, ctx)
        try:
            tool = tools.named(caller, params.name)
        except BadRequest as error:
            raise _protocol_error(error) from None
        outcome = await tools.call(caller, tool, params.arguments)
        structured = _is_structured(caller, ctx)
        content: list[Any] = [
            types.TextContent(**part) for part in outcome.content(brief=structured and caller.results == "structured")
        ]
        if outcome.error is not None or not structured:
            return types.CallToolResult(content=content, is_error=outcome.error is not None)
        return types.CallToolResult(content=content, structured_content=outcome.plain())

    async def list_resources(ctx: Any, params: Any) -> types.ListResourcesResult:
        found = resources.listed(await _authorized(caller_of, ctx), documentation)
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=r.uri, name=r.name, description=r.description, mime_type=r.media_type) for r in found
            ]
        )

    async def list_templates(ctx: Any, params: Any) -> types.ListResourceTemplatesResult:
        template = types.ResourceTemplate(
            uri_template=resources.TEMPLATE,
            name="table",
            description="Description of a table",
            mime_type=resources.JSON,
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        caller = await _authorized(caller_of, ctx)
        try:
            media_type, text = await resources.read(caller, documentation, params.uri)
        except Exception as error:
            raise _protocol_error(error, uri=params.uri) from None
        contents = types.TextResourceContents(uri=params.uri, mime_type=media_type, text=text)
        return types.ReadResourceResult(contents=[contents])

    return Server(
        title,
        title=title,
        version=VERSION,
        instructions=tools.INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        cache_hints=dict.fromkeys(("tools/list", "resources/list", "resources/templates/list"), lists),
        # No tool argument is sent as a header, so there is none to compare. Otherwise the SDK would list the tools at
        # each call to look for such arguments.
        get_tool_input_schema=lambda name: None,
    )


def _is_structured(caller: Caller, ctx: Any) -> bool:
    """Whether the results of a caller's tools have structured content."""
    request = ctx.request
    version = ctx.protocol_version if request is None else request.headers.get("mcp-protocol-version", DEFAULT_REVISION)
    return caller.results != "text" and version not in WITHOUT_STRUCTURE


def _tool(offer: tools.Offer, *, structured: bool) -> Any:
    """Convert a tool to the protocol's description. structured: with the schema of its results."""
    import mcp.types as types

    tool = offer.tool
    hints = types.ToolAnnotations(
        read_only_hint=offer.reads_only,
        destructive_hint=tool.destructive and not offer.reads_only,
        idempotent_hint=tool.repeatable or offer.reads_only,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name, title=tool.title, description=offer.description, input_schema=offer.schema, annotations=hints,
        output_schema=dict(tool.output) if structured else None,
    )  # fmt: skip


async def _authorized(caller_of: CallerOf, ctx: Any) -> Caller:
    """Return the caller of a message. Raises a protocol error if the caller is rejected."""
    try:
        return await caller_of(ctx.request)
    except ApiError as error:
        raise _protocol_error(error) from None


def _protocol_error(error: Exception, **data: str) -> Exception:
    """Convert an API error to a protocol error; return any other error unchanged.

    data: details for the client program.
    """
    from mcp.shared.exceptions import MCPError

    api_error = to_api_error(error)
    if api_error is None:
        return error
    code = -32602 if api_error.status < 500 else -32603  # invalid params, internal error
    return MCPError(code=code, message=tools.error_text(api_error), data={"reason": api_error.reason, **data})
