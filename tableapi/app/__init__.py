"""The ASGI application: routing, lifespan, and what one worker holds."""
