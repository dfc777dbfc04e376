"""Choose the databases to serve and the source of their rights, from the command line.

A project has its policy. Any other database is served with `--open` (full rights for every client) or with an access
file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from tableapi.config.command_error import CommandError
from tableapi.config.settings import Name, PostgresUrl
from tableapi.http.origin import is_loopback as is_loopback

if TYPE_CHECKING:
    from tableapi.auth.access_file import AccessFile
    from tableapi.auth.authenticators import Authenticator
    from tableapi.auth.policy import Access, DatabaseRole, Sessions


ANY_ORIGIN = "CORS_ORIGINS=* would give full rights to every web page that a browser opens: name the origins,"


class BadDatasets(CommandError):
    """The arguments name nothing that can be served."""

    code = 2


@dataclass(frozen=True, slots=True)
class Datasets:
    """The databases to serve by name, and one source of rights; none gives full rights (`open`)."""

    urls: Mapping[str, str]
    replicas: tuple[str, ...] = ()
    project: Path | None = None
    access: AccessFile | None = None
    key: str = field(default="", repr=False)
    policy: Mapping[str, Access] | None = None  # of a host program (see `TableAPI`)
    sessions: Sessions | None = None
    database_roles: Mapping[str, DatabaseRole] = field(default_factory=dict)  # of a host program
    authenticator: Authenticator | None = None
    embedded: bool = False  # in a host program: which clients reach it is unknown

    @property
    def open(self) -> bool:
        """Whether every client has full rights; with `key`, every client that sends it."""
        return self.project is None and self.access is None and self.policy is None


def of_project(folder: Path) -> Datasets:
    """Return the project in `folder`. `urls` stays empty until its database is known. Raises BadDatasets."""
    if not (folder / "policy.py").is_file() or not (folder / "schema.sql").is_file():
        raise BadDatasets(
            f"{folder} is no project (it has no schema.sql and policy.py). Any database is served by: "
            "tableapi serve --dataset NAME=postgresql://... --open"
        )
    return Datasets(urls={}, project=folder)


def of_any(named: Sequence[str], *, is_open: bool, access: Path | None, key: str, host: str) -> Datasets:
    """Return the databases of `--dataset NAME=URL`, with rights from `--open` or `--access`.

    Raises BadDatasets.
    """
    urls: dict[str, str] = {}
    for text in named:
        name, _, url = text.partition("=")
        try:
            name, url = TypeAdapter(Name).validate_python(name), TypeAdapter(PostgresUrl).validate_python(url)
        except ValidationError:
            raise BadDatasets(
                f"--dataset {name}: give it as NAME=postgresql://user:password@host:5432/database."
            ) from None
        if name in urls:
            raise BadDatasets(f"--dataset {name} is given twice.")
        urls[name] = url
    if not urls:
        raise BadDatasets("--open and --access need a database: --dataset NAME=postgresql://...")
    if is_open == (access is not None):
        raise BadDatasets("Give either --open (full rights to whoever reaches the server) or --access FILE.")
    if access is not None:
        if key:
            raise BadDatasets("--api-key goes with --open; an access file names its own keys.")
        return Datasets(urls=urls, access=_access_file(access))
    if not key and not is_loopback(host):
        raise BadDatasets(
            f"--open gives full rights to whoever reaches {host}: add --api-key KEY, or serve on 127.0.0.1."
        )
    return Datasets(urls=urls, key=key)


def _access_file(path: Path) -> AccessFile:
    from tableapi.auth.access_file import AccessFile  # imports SQLAlchemy, which most commands do not need

    try:
        return AccessFile.load(path)
    except OSError as error:
        raise BadDatasets(f"--access {path}: {error.strerror}.") from None
    except ValueError as error:
        raise BadDatasets(f"--access {path}: {str(error).splitlines()[0]}.") from None
