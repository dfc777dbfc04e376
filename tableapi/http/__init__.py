"""The HTTP layer: request, response, bodies, entity tags, admission control, static files."""
