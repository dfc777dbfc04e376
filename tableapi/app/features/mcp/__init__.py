"""The MCP endpoint, over HTTP and stdio, and the requests made by its tools."""
