"""The ASGI application: routes, dispatch, lifespan, and what one worker process holds."""
