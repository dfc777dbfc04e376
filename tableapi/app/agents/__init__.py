"""The endpoint of MCP, over HTTP and over stdio, and the requests that its tools make."""
