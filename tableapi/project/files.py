"""Import the Python files of a project: policy, scripts, and the project module from pyproject.toml."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import tomllib
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from tableapi.config.command_error import CommandError
from tableapi.config.settings import Settings
from tableapi.project.project import Project

if TYPE_CHECKING:  # loads SQLAlchemy
    from tableapi.auth.policy import Access, SealedTable

PYPROJECT = "pyproject.toml"
NO_PROJECT = (
    '{place}: expected `project = "module:NAME"` below [tool.tableapi], with an instance of a subclass of Project.'
)


class BadProject(CommandError):
    """A file of the project cannot be imported. The message names the file, the line and the error."""


def load_project(folder: Path | None) -> Project:
    """Return the project named in pyproject.toml (`[tool.tableapi] project`), or the defaults.

    Raises BadProject.
    """
    name = _project_name(folder) if folder is not None else None
    if folder is None or name is None:
        return Project()
    module, _, attribute = name.partition(":")
    project = getattr(_imported(folder, Path(*module.split(".")).with_suffix(".py")), attribute, None)
    if not isinstance(project, Project):
        raise BadProject(NO_PROJECT.format(place=name))
    if project.settings is not None and not issubclass(project.settings, Settings):
        raise BadProject(f"{name}: the settings class must be a subclass of EnvironmentSettings.")
    return project


def _project_name(folder: Path) -> str | None:
    try:
        tool = tomllib.loads((folder / PYPROJECT).read_text("utf-8")).get("tool", {}).get("tableapi")
    except FileNotFoundError:
        return None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError) as error:
        raise BadProject(f"{PYPROJECT}: {error}") from error
    if tool is None:
        return None
    name = tool.get("project") if isinstance(tool, dict) and tool.keys() == {"project"} else None
    if not isinstance(name, str) or not all(part.isidentifier() for part in name.replace(":", ".", 1).split(".")):
        raise BadProject(NO_PROJECT.format(place=PYPROJECT))
    return name


def load_policy(folder: Path) -> ModuleType:
    """Import `policy.py` afresh, even if it was imported before. Raises BadProject."""
    module = _import_policy(folder)
    for name in ("POLICY", "SESSIONS"):
        if not hasattr(module, name):
            raise BadProject(f"policy.py has no {name}. See docs/reference/policy.md.")
    return module


def _import_policy(folder: Path) -> ModuleType:
    file = folder / "policy.py"
    spec = importlib.util.spec_from_file_location("policy", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with _importing(folder, Path("policy.py")):
        sys.modules["policy"] = module
        spec.loader.exec_module(module)
    _check_types(module)
    return module


def _check_types(module: ModuleType) -> None:
    """Raise BadProject if a value of the policy has a type that no later check could describe."""
    from tableapi.auth.policy import NO_SESSIONS, Sessions, shape_error  # loads SQLAlchemy, as the policy has

    policies, sessions = getattr(module, "POLICIES", {}), getattr(module, "SESSIONS", NO_SESSIONS)
    if not isinstance(policies, Mapping):
        raise BadProject("policy.py: POLICIES must be a dict of roles and their policies.")
    named = {"POLICY": getattr(module, "POLICY", {})} | {f"POLICIES[{role!r}]": one for role, one in policies.items()}
    if error := shape_error(named):
        raise BadProject(f"policy.py: {error}.")
    if not isinstance(sessions, Sessions):
        raise BadProject("policy.py: SESSIONS must be a Sessions.")


def sealed_declarations(folder: Path) -> tuple[Mapping[str, Access], Iterable[SealedTable]]:
    """Return POLICY and SEALED_TABLES, also of a policy that is not complete yet. Raises BadProject."""
    module = _import_policy(folder)
    return getattr(module, "POLICY", {}), getattr(module, "SEALED_TABLES", ())


def recorded_tables(folder: Path) -> dict[str, frozenset[str]]:
    """Return the tables with recorded changes, and the columns to record. Raises BadProject."""
    module = _import_policy(folder)
    policy = getattr(module, "POLICY", {})
    tables = {
        name: frozenset() if access.changes is True else frozenset(access.changes)
        for name, access in policy.items()
        if access.streams_changes
    }
    for webhook in getattr(module, "WEBHOOKS", ()):
        tables[webhook.table] = tables.get(webhook.table, frozenset()) | {"*"}
    return tables


def import_scripts(folder: Path) -> Iterator[tuple[tuple[str, ...], ModuleType]]:
    """Yield (path below scripts/ without its suffix, module) for every file with scripts.

    Raises BadProject.
    """
    root = folder / "scripts"
    for file in sorted(root.rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        if not parts[0].startswith("_") and parts[-1] != "__init__":
            yield parts, _imported(folder, file.relative_to(folder))


def check_files(folder: Path, *, complete: bool = True) -> None:
    """Import every file of the project before anything is started. Raises BadProject if one fails.

    complete: also require the definitions that a policy must have, which `init` does not need.
    """
    load_project(folder)
    if complete:
        load_policy(folder)
    else:
        _import_policy(folder)
    for _ in import_scripts(folder):
        pass


def _imported(folder: Path, file: Path) -> ModuleType:
    with _importing(folder, file):
        return importlib.import_module(".".join(file.with_suffix("").parts))


@contextmanager
def _importing(folder: Path, file: Path) -> Iterator[None]:
    """Make the project importable, and convert an error in its code to BadProject."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        yield
    except CommandError:
        raise
    except Exception as error:
        raise BadProject(f"{_place(folder, file, error)}: {type(error).__name__}: {_text(error)}") from error


def _place(folder: Path, file: Path, error: Exception) -> str:
    """Return the innermost project line in an error's traceback: `scripts/report.py, line 3`."""
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
    for name, line in reversed(places):
        if line and Path(name).is_relative_to(folder) and ".venv" not in Path(name).parts:
            return f"{Path(name).relative_to(folder)}, line {line}"
    return str(file)


def _text(error: Exception) -> str:
    return error.msg if isinstance(error, SyntaxError) else str(error)
