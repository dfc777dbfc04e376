"""The OpenAPI 3.1 description, limited to what the caller may use."""
