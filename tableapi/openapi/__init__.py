"""The OpenAPI 3.1 description, as the caller may see it."""
