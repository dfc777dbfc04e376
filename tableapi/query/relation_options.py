"""Options of one relation in a read: `<relation>.limit`, `<relation>.filter` and so on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tableapi.errors import BadRequest
from tableapi.query import names
from tableapi.query.spelling import suggestion

RELATION_OPTIONS = ("fields", "filter", "order", "limit", "offset", "related")
MAX_PATH_CHARS = 2000  # for the relation's path in an option name

Relations = Callable[[str], Any]  # returns the relation with a name, or None


@dataclass(frozen=True, slots=True)
class RelationOptions:
    """The options of one relation, such as `<relation>.limit`."""

    fields: str | None = None
    filter: str = ""
    order: str = ""
    limit: int | None = None
    offset: int = 0
    related: str = ""


def may_concern_relation(name: str) -> bool:
    """Return whether the name of an option has the form of a relation's option."""
    return "." in name or name.endswith(RELATION_OPTIONS)


def relation_option(name: str, relation: Relations) -> str | None:
    """Return `<relation>.<option>` in lower case and without quotes, or None for any other option.

    The last dot may be an underscore, as sent by DreamFactory clients.

    Raises:
        BadRequest: `<relation>.` is followed by a misspelt option.
    """
    lower = name.lower()
    option = next((option for option in RELATION_OPTIONS if lower.endswith(option)), "")
    path, sign = lower[: -len(option) - 1], lower[-len(option) - 1 : -len(option)]
    if not option or not path or sign not in "._":
        _check_spelling(lower, relation)
        return None
    path = _relation_path(path, relation)
    return f"{path}.{option}" if path else None


def _relation_path(path: str, relation: Relations) -> str:
    """Return the unquoted path if it begins with a relation of the table, else ""."""
    if len(path) > MAX_PATH_CHARS:
        return ""
    if path[0] in names.CLOSING or '."' in path or ".`" in path or ".[" in path:
        parts, end = names.path(path)
        return ".".join(parts) if end == len(path) and parts and relation(parts[0]) is not None else ""
    at = len(path)
    while at > 0 and relation(path[:at]) is None:  # the name of a relation may contain a dot
        at = path.rfind(".", 0, at)
    return path if at > 0 else ""


def _check_spelling(name: str, relation: Relations) -> None:
    """Reject a misspelt option of a relation. Other unknown options are ignored."""
    path, _, option = name.rpartition(".")
    hint = suggestion(option, RELATION_OPTIONS) if path else ""
    if hint and _relation_path(path, relation):
        message = f"A relation has no option '{option[:100]}'.{hint}"
        raise BadRequest(message, reason="bad_option", context={"option": name[:100]})
