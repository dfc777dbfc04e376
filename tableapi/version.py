"""The version of the engine, and how its extras are installed."""

VERSION = "0.9.0"


def install_command(extra: str) -> str:
    """Return the command that installs the wheel of this version with an extra.

    The distribution is not on the package index, where the name `tableapi` belongs to an unrelated package.
    """
    return f"pip install './tableapi_server-{VERSION}-py3-none-any.whl[{extra}]'"
