"""Old names, which are accepted for one minor version (docs/guides/upgrading.md#old-names)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import Any, TypeVar

from tableapi.log import get_logger

log = get_logger(__name__)
C = TypeVar("C", bound=type)


@cache  # a name may be used many times
def warn(old: str, new: str) -> None:
    """Log once that a name is deprecated."""
    log.warning("deprecated_name", name=old, use=new)


def renamed(**names: str) -> Callable[[C], C]:
    """Accept arguments of a class under their old names: `old="new"`."""

    def accept(of: C) -> C:
        create = of.__init__  # type: ignore[misc]

        @wraps(create)
        def accepting(self: object, *args: Any, **values: Any) -> None:
            create(self, *args, **translated(values, names, f"{of.__name__}.".__add__))

        of.__init__ = accepting  # type: ignore[misc]
        return of

    return accept


def translated(
    values: Mapping[str, Any], names: Mapping[str, str], shown: Callable[[str], str] = str
) -> dict[str, Any]:
    """Return values under their new names.

    Args:
        values: Values by name. One under a new name takes precedence over one under its old name.
        names: Old names and their new ones.
        shown: Returns a name as it is logged.
    """
    current = {name: value for name, value in values.items() if name not in names}
    for old in names.keys() & values.keys():
        warn(shown(old), shown(names[old]))
        current.setdefault(names[old], values[old])
    return current
