"""The ASGI application: routes, dispatch, lifespan, and the state of one worker process."""
