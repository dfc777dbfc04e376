"""`tableapi mcp`: the tables as tools for language-model agents over standard input and output."""

from __future__ import annotations

from tableapi.app.features import application
from tableapi.app.features.mcp.endpoint import Mcp
from tableapi.app.options import ServeOptions
from tableapi.config.command_error import CommandError
from tableapi.config.settings import Settings
from tableapi.db.errors import UNREACHABLE
from tableapi.errors import ApiError


class CannotServeMcp(CommandError):
    """MCP cannot be served with these arguments."""

    code = 2


async def serve_stdio(settings: Settings, datasets: ServeOptions, key: str, session: str) -> None:
    """Answer MCP messages on standard input until it ends.

    Args:
        key: The application key that gives the agent its rights; "" for none.
        session: The session token that gives the agent its rights; "" for none.

    Raises:
        CannotServeMcp: The key or session is not valid, or the extra `mcp` is not installed.
    """
    headers = [(b"x-api-key", key.encode())] if key else []
    headers += [(b"x-session-token", session.encode())] if session else []
    app = application(settings, datasets)
    await app.life.start()
    try:
        await app.feature(Mcp).check(headers)
        await app.feature(Mcp).serve_stdio(headers)
    except ApiError as error:
        raise CannotServeMcp(error.message) from None
    except UNREACHABLE as error:
        raise CannotServeMcp(f"The database cannot be reached: {type(error).__name__}.") from None
    finally:
        await app.life.stop()
