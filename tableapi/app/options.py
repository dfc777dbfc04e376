"""Choose the databases to serve and the source of their rights, from the command line.

A project has its own policy. Any other database is served with `--open` (full rights for every client) or with an
access file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from tableapi.config.command_error import CommandError
from tableapi.config.networks import is_loopback as is_loopback
from tableapi.config.rules import described
from tableapi.config.settings import Name, PostgresUrl

NAME = re.compile(r"[A-Za-z][\w-]{0,62}", re.ASCII)
_IN_ADDRESS = re.compile("[:/@?]")  # in a text that is an address rather than a name

if TYPE_CHECKING:
    from tableapi.auth.access_file import AccessFile
    from tableapi.auth.authenticators import Authenticator
    from tableapi.auth.policy import Access, DatabaseRole, Sessions
    from tableapi.auth.webhook import Webhook
    from tableapi.project.writes import Write


ANY_ORIGIN = "CORS_ORIGINS=* would give full rights to every web page that a browser opens: list the origins,"


class BadDatasets(CommandError):
    """The arguments do not name anything that can be served."""

    code = 2


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """The databases to serve, by name, and one source of rights; without one, rights are full (`open`)."""

    urls: Mapping[str, str]
    replicas: tuple[str, ...] = ()
    project: Path | None = None
    access: AccessFile | None = None
    access_path: Path | None = None  # path of `access`; read again on SIGHUP
    key: str = field(default="", repr=False)
    policy: Mapping[str, Access] | None = None  # set by a host program (see `TableAPI`)
    sessions: Sessions | None = None
    database_roles: Mapping[str, DatabaseRole] = field(default_factory=dict)  # set by a host program
    authenticator: Authenticator | None = None
    scripts: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # set by a host program, by path
    hooks: tuple[Callable[..., Any], ...] = ()  # set by a host program
    on_write: Callable[[Write], Any] | None = None  # set by a host program
    webhooks: tuple[Webhook, ...] = ()  # set by a host program
    embedded: bool = False  # in a host program: which clients reach it is unknown
    source: str = ""  # the option or setting that names the databases, if there is no project

    @property
    def open(self) -> bool:
        """Whether every client has full rights or, with `key`, every client that sends it."""
        return self.project is None and self.access is None and self.policy is None

    def setting(self, name: str) -> str:
        """Return the option or setting with the address of a database, for messages."""
        return f"{self.source} {name}" if self.source else "DATABASE_URL"

    def reread(self) -> ServeOptions:
        """Return the same databases with the current access file. Raises BadDatasets."""
        assert self.access_path is not None
        return replace(self, access=_access_file(self.access_path))


def of_project(folder: Path) -> ServeOptions:
    """Return the project in `folder`. `urls` stays empty until the database is known. Raises BadDatasets."""
    if not (folder / "policy.py").is_file() or not (folder / "schema.sql").is_file():
        raise BadDatasets(
            f"{folder} is not a project (it has no schema.sql and policy.py). To serve any database, run: tableapi "
            "serve --dataset NAME=postgresql://... --open"
        )
    return ServeOptions(urls={}, project=folder)


def named_in(setting: str) -> list[str]:
    """Return the databases in DATASETS: `NAME=URL` separated by spaces, or `@FILE` with the same.

    Raises BadDatasets.
    """
    if not setting.startswith("@"):
        return setting.split()
    try:
        lines = Path(setting[1:]).read_text("utf-8").splitlines()
    except OSError as error:
        raise BadDatasets(f"DATASETS {setting}: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise BadDatasets(f"DATASETS {setting}: the file is not UTF-8 text.") from None
    named = [word for line in lines if not line.lstrip().startswith("#") for word in line.split()]
    if not named:
        raise BadDatasets(f"DATASETS {setting}: the file does not name a database.")
    return named


def of_any(
    named: Sequence[str], *, is_open: bool, access: Path | None, key: str, host: str, source: str = "--dataset"
) -> ServeOptions:
    """Return the databases of `--dataset NAME=URL` or DATASETS, with rights from `--open` or `--access`.

    Raises BadDatasets. `source` is the option or setting to name in messages.
    """
    urls: dict[str, str] = {}
    for number, text in enumerate(named, 1):
        name, _, url = text.partition("=")
        try:
            name, url = TypeAdapter(Name).validate_python(name), TypeAdapter(PostgresUrl).validate_python(url)
        except ValidationError as error:
            # A URL without a name is not repeated, because it may contain a password.
            label = name if NAME.fullmatch(name) else f"number {number}"
            told = described(error.errors(include_url=False)[0])
            if label != name and url and len(name) <= 63 and not _IN_ADDRESS.search(name):
                told = f"the name {name!r} must begin with a letter and have only letters, digits, - and _"
            elif not url or not told.startswith("the "):  # another form altogether
                told = "must be NAME=postgresql://user:password@host:5432/database"
            raise BadDatasets(f"{source} {label}: {told}.") from None
        if name in urls:
            raise BadDatasets(f"{source} {name} is given twice. Choose another name for one of them.")
        urls[name] = url
    if not urls:
        raise BadDatasets("--open and --access need a database: --dataset NAME=postgresql://..., or DATASETS.")
    if is_open == (access is not None):
        raise BadDatasets("Pass either --open (full rights to every client) or --access FILE (also as ACCESS_FILE).")
    if access is not None:
        if key:
            raise BadDatasets("--api-key requires --open; an access file has its own keys.")
        return ServeOptions(urls=urls, access=_access_file(access), access_path=access.absolute(), source=source)
    if not key and not is_loopback(host):
        raise BadDatasets(
            f"--open gives full rights to every client that can reach {host}: add --api-key KEY, or serve on 127.0.0.1."
        )
    return ServeOptions(urls=urls, key=key, source=source)


def _access_file(path: Path) -> AccessFile:
    from tableapi.auth.access_file import AccessFile  # imports SQLAlchemy, which most commands do not need

    try:
        return AccessFile.load(path)
    except OSError as error:
        raise BadDatasets(f"The access file {path}: {error.strerror}.") from None
    except ValueError as error:
        told = str(error).splitlines()[0]
        raise BadDatasets(f"The access file {path}: {told}{'' if told.endswith('?') else '.'}") from None
