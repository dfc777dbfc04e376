"""The command line.

Errors that a user can cause end in one line on standard error and exit code 1 or 2.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import signal
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from tableapi.app.options import BadDatasets, ServeOptions, named_in, of_any, of_project
from tableapi.cli.check import checked, checked_datasets
from tableapi.cli.process_title import hide_secrets
from tableapi.config.command_error import CommandError
from tableapi.config.environment import EnvironmentSettings
from tableapi.config.settings import Settings
from tableapi.crypto.vault import hash_keys
from tableapi.errors import ApiError, Invalid
from tableapi.project.files import check_files, load_project, recorded_tables
from tableapi.server.preflight import check_database
from tableapi.version import VERSION

SERVE = """examples:
  tableapi serve                                     the project in this folder, on http://127.0.0.1:8000
  tableapi serve --port 9000 --workers 4
  tableapi serve --dataset shop=postgresql://me@localhost/shop --open
  tableapi serve --dataset shop=postgresql://... --dataset hr=postgresql://... --access access.json
  tableapi serve --dataset shop=postgresql://... --open --host 0.0.0.0 --api-key "$(openssl rand -hex 16)"
  DATASETS=@/etc/tableapi/datasets ACCESS_FILE=/etc/tableapi/access.json tableapi serve

Without DATABASE_URL the project runs on an embedded PostgreSQL under DATA_DIR. Settings come from the environment or
from .env; docs/reference/settings.md lists them."""
WORKER = """example:
  WORKER=off tableapi serve & tableapi worker        run jobs in a separate process or on another machine"""
INIT = """example:
  DATABASE_URL=postgresql://... tableapi init        before the first start, and after each upgrade"""
RUN = """examples:
  tableapi run                                       list the scripts of the project
  tableapi run NAME
  tableapi run NAME month=2026-01                    with an argument"""
MCP = """examples:
  tableapi mcp --dataset shop=postgresql://me@localhost/shop --open
  tableapi mcp --dataset shop=postgresql://... --access access.json --api-key KEY
  tableapi mcp --session TOKEN                       the project in this folder, as the user of this session

An assistant starts the command itself; docs/guides/agents.md has the lines of its configuration. A running server
offers the same tools over HTTP under /mcp."""
CHANGES = """examples:
  tableapi changes install                           the tables that policy.py marks with changes=...; init does it too
  tableapi changes install item --dataset shop=postgresql://me@localhost/shop
  tableapi changes remove                            all triggers, and the record of changes"""
DEMO = """example:
  tableapi demo                                      a sample shop with Studio on http://127.0.0.1:8000/studio/

The shop has 30 tables and about 1,000,000 rows. It is made once, on an embedded PostgreSQL under DATA_DIR/demo, and
changes are kept until that folder is deleted."""
ROTATE_KEYS = """examples:
  tableapi rotate-keys                               after adding a key to SECRET_KEYS; servers may keep running
  tableapi rotate-keys --hash-keys                   SECRET_KEYS in which only the first key can decrypt"""
CHECK = """examples:
  tableapi check && tableapi serve                   start only when nothing is missing for production
  DATASETS=shop=postgresql://... ACCESS_FILE=access.json tableapi check"""


DOCTOR = """examples:
  tableapi doctor mcp https://api.example.com/mcp    check each step of the sign-in, and report problems

Exit code 1 when an assistant cannot sign in. docs/guides/agents.md describes the steps."""


_LOGIN = re.compile("://[^' ]*@")  # user and password of an address in the wrong place
_CHOICE = re.compile("invalid choice: '([^']{1,60})'")


def _key(text: str) -> str:
    """Return the key of --api-key, which may be an unset variable of a shell."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the key is empty. Write a key, or leave --api-key out")
    return text


class _Parser(argparse.ArgumentParser):
    """A parser that names the commands if there is none, and the one that was probably meant."""

    def error(self, message: str) -> NoReturn:
        names = next((action.choices for action in self._actions if isinstance(action.choices, dict)), {})
        if names and "required: COMMAND" in message:
            message = f"name a command: {', '.join(names)}."
        elif names and (wrong := _CHOICE.search(message)) and (close := get_close_matches(wrong[1], names, n=1)):
            message = f"there is no command '{wrong[1]}'. Did you mean '{close[0]}'?"
        elif not names and (wrong := _CHOICE.search(message)):
            choices = next((action.choices for action in self._actions if action.choices), ())
            close = get_close_matches(wrong[1], choices, n=1)
            message = f"must be {' or '.join(choices)}, not '{wrong[1]}'." + (
                f" Did you mean '{close[0]}'?" if close else ""
            )
        super().error(_LOGIN.sub("://...@", message))


def parser() -> argparse.ArgumentParser:
    top = _Parser(
        prog="tableapi", description="Every table of a PostgreSQL database as an HTTP API.",
        epilog="Details and examples of a command: tableapi COMMAND --help",
    )  # fmt: skip
    top.add_argument("--version", action="version", version=f"tableapi {VERSION}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, run: Any, help: str, epilog: str) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name, help=help, description=help, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        command.set_defaults(run=run)
        return command

    serve = add("serve", _serve, "Serve the project in this folder, or any database.", SERVE)
    serve.add_argument("--host", help="address to listen on (HOST, 127.0.0.1)")
    serve.add_argument("--port", help="port to listen on (PORT, 8000)")
    serve.add_argument("--workers", help="worker processes (WORKERS, one per core)")
    serve.add_argument("--dataset", action="append", default=[], metavar="NAME=URL", help="serve this database")
    serve.add_argument("--open", action="store_true", help="give every client full rights")
    serve.add_argument("--access", type=Path, metavar="FILE", help="rights from a JSON file of keys and roles")
    serve.add_argument("--api-key", type=_key, metavar="KEY", help="with --open: only requests with this key")
    serve.add_argument("--reload", action="store_true", help="restart when a file changes (for development)")
    add("worker", _worker, "Run queued and scheduled jobs of the project.", WORKER)
    add("init", _init, "Create or upgrade the database of the project. Safe to repeat.", INIT)
    run = add("run", _run, "Run an internal script of the project.", RUN)
    run.add_argument("script", nargs="?", default="", help="its name; without one, the names are listed")
    run.add_argument("values", nargs="*", metavar="name=value")
    mcp = add("mcp", _mcp, "Offer the tables to a language-model agent as MCP tools over stdio.", MCP)
    mcp.add_argument("--dataset", action="append", default=[], metavar="NAME=URL", help="offer this database")
    mcp.add_argument("--open", action="store_true", help="give the agent full rights")
    mcp.add_argument("--access", type=Path, metavar="FILE", help="rights from a JSON file of keys and roles")
    mcp.add_argument("--api-key", default="", metavar="KEY", help="the key whose rights the agent has")
    mcp.add_argument("--session", default="", metavar="TOKEN", help="in a project: the session of the agent's user")
    changes = add(
        "changes", _changes, "Record the changes of tables, which lets clients follow them, or stop recording.", CHANGES
    )
    changes.add_argument("action", choices=("install", "remove"))
    changes.add_argument("tables", nargs="*", metavar="table", help="tables of the database of --dataset")
    changes.add_argument("--dataset", metavar="NAME=URL", help="this database instead of the project's")
    changes.add_argument("--reader", metavar="ROLE", help="the database user of the servers, if it is a different one")
    demo = add("demo", _demo, "Serve a sample shop with Studio; no database is needed.", DEMO)
    demo.add_argument("--port", help="port to listen on (PORT, 8000)")
    rotate_keys = add(
        "rotate-keys",
        _rotate_keys,
        "Re-encrypt values under older keys of SECRET_KEYS with the first key.",
        ROTATE_KEYS,
    )
    rotate_keys.add_argument("--hash-keys", action="store_true", help="print the SECRET_KEYS to use afterwards")
    add("check", _check, "List missing or unsafe settings; exit with 1 if unfit for production.", CHECK)
    doctor = add("doctor", _doctor, "Check the sign-in of agents at a URL, and suggest fixes.", DOCTOR)
    doctor.add_argument("what", choices=("mcp",))
    doctor.add_argument(
        "url", nargs="?", default="", help="address of the endpoint, such as https://api.example.com/mcp"
    )
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    args = _parsed(words)
    if getattr(args, "api_key", "") is None:
        args.api_key = ""
    hide_secrets()
    signal.signal(signal.SIGTERM, _terminated)
    try:
        return int(args.run(args) or 0)
    except CommandError as error:
        return _reject(error, error.code)
    except KeyboardInterrupt:
        return 130


def _parsed(words: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line. An unknown option ends the command with the one that was probably meant."""
    args, unknown = parser().parse_known_args(words)
    if unknown:
        command = next(action.choices[args.command] for action in parser()._actions if isinstance(action.choices, dict))
        known = [option for action in command._actions for option in action.option_strings if option.startswith("--")]
        close = get_close_matches(unknown[0].partition("=")[0], known, n=1, cutoff=0.8)
        meant = f" Did you mean {close[0]}?" if close else f" Its options: {', '.join(known)}."
        # Without their values: that of --dataset has a password.
        names = [word.partition("=")[0] for word in unknown if word.startswith("-")] or [f"'{unknown[0][:60]}'"]
        if "://" in names[0]:
            names = ["an address, which this command does not take"]
        command.error(f"unrecognized arguments: {' '.join(names)}.{meant}")
    return args


def _reject(error: Exception, code: int) -> int:
    print(f"tableapi: {' '.join(str(error).split())}", file=sys.stderr)
    return code


def _terminated(number: int, frame: object) -> NoReturn:
    """Exit as for Ctrl-C, so that everything that was started is stopped."""
    sys.exit(128 + number)


def _serve(args: argparse.Namespace) -> None:
    from tableapi.server.serve import serve

    options = {name: value for name in ("host", "port", "workers") if (value := getattr(args, name)) is not None}
    if _is_any(args) or args.api_key:
        datasets = _any(args, EnvironmentSettings.read(options, make_secrets=False), args.api_key)
        settings = EnvironmentSettings.read(options)
        if settings.rate_limits is None:
            settings = settings.model_copy(update={"rate_limits": False})
    else:
        project = load_project(Path.cwd())
        project.settings_class().read(options, make_secrets=False)  # report bad settings before a missing project
        datasets = of_project(Path.cwd())
        settings = project.settings_class().read(options)
    serve(settings, datasets, reload=args.reload)


def _is_any(args: argparse.Namespace) -> bool:
    """Return whether a command is for databases without a project, by its options or by DATASETS."""
    settings = EnvironmentSettings.read(make_secrets=False)
    return bool(args.dataset or args.open or args.access or settings.datasets or settings.access_file)


def _any(args: argparse.Namespace, settings: EnvironmentSettings, key: str) -> ServeOptions:
    """Return the databases and rights from the options, or from the settings if options are missing.

    Raises BadDatasets.
    """
    access = args.access or (None if args.open else settings.access_file)
    named, source = (args.dataset, "--dataset") if args.dataset else (named_in(settings.datasets), "DATASETS")
    return of_any(named, is_open=args.open, access=access, key=key, host=settings.host, source=source)


def _mcp(args: argparse.Namespace) -> None:
    from tableapi.cli.mcp import serve_stdio

    with ExitStack() as stack:
        settings, datasets, key = _served(args, stack)
        asyncio.run(serve_stdio(settings, datasets, key, args.session))


def _served(args: argparse.Namespace, stack: ExitStack) -> tuple[Settings, ServeOptions, str]:
    """Return the settings and databases that a command uses without a server, and the key of its caller."""
    from tableapi.cli.mcp import CannotServeMcp
    from tableapi.server.serve import with_database, with_postgres

    key = args.api_key
    if _is_any(args) and not args.session:
        environment = EnvironmentSettings.read({"host": "127.0.0.1"}, make_secrets=False)
        datasets = _any(args, environment, "")
        settings: Settings = environment
        if datasets.access and not key:
            raise CannotServeMcp(
                "--access requires --api-key KEY: a key in the file that determines the caller's rights."
            )
    else:
        settings, folder = _project()
        settings = with_postgres(settings, stack)
        datasets = with_database(of_project(folder), settings)
        key = key or (settings.app_keys[0] if settings.app_keys else "")
    for name, url in datasets.urls.items():
        asyncio.run(check_database(url, datasets.setting(name)))
    return settings.model_copy(update={"rate_limits": bool(settings.rate_limits)}), datasets, key


def _project(*, complete: bool = True) -> tuple[Settings, Path]:
    folder = Path.cwd()
    of_project(folder)
    check_files(folder, complete=complete)
    return load_project(folder).settings_class().read(), folder


def _changes(args: argparse.Namespace) -> None:
    from tableapi.cli.changes import named_url, parted, set_recording
    from tableapi.server.serve import with_postgres

    with ExitStack() as stack:
        if args.dataset:
            (name, url), tables = named_url(args.dataset), parted(args.tables)
            setting = f"--dataset {name}"
        else:
            settings, folder = _project(complete=False)
            settings = with_postgres(settings, stack)
            url, setting, tables = settings.direct_url, settings.direct_setting, recorded_tables(folder)
            if args.tables:
                raise BadDatasets(
                    "Table names require --dataset. In a project, mark tables with changes=True in policy.py."
                )
        asyncio.run(check_database(url, setting))
        asyncio.run(set_recording(url, args.action, tables, only=not args.dataset, reader=args.reader))


def _worker(args: argparse.Namespace) -> None:
    from tableapi.server.serve import with_postgres
    from tableapi.server.supervisor import run_jobs

    settings, folder = _project()
    with ExitStack() as stack:
        run_jobs(with_postgres(settings, stack), folder)


def _init(args: argparse.Namespace) -> None:
    from tableapi.server.migrate import init
    from tableapi.server.serve import with_postgres
    from tableapi.server.stored_keys import check_stored

    settings, folder = _project(complete=False)
    with ExitStack() as stack:
        settings = with_postgres(settings, stack)
        asyncio.run(check_database(settings.direct_url, settings.direct_setting))
        asyncio.run(check_stored(settings, folder))
        asyncio.run(init(settings, folder))
    print("The database is ready.")


def _run(args: argparse.Namespace) -> int:
    from tableapi.cli.run import run_script
    from tableapi.server.serve import with_postgres
    from tableapi.server.stored_keys import check_stored

    settings, folder = _project()
    with ExitStack() as stack:
        settings = with_postgres(settings, stack)
        asyncio.run(check_database(settings.direct_url, settings.direct_setting))
        asyncio.run(check_stored(settings, folder))
        try:
            return asyncio.run(run_script(settings, folder, args.script, args.values))
        except Invalid as error:
            cases = error.context.get("field_errors", {})
            missing = {name for name, told in cases.items() if told["case"] == "missing"}
            fields = "; ".join(
                f"{args.script} needs {name}=VALUE" if name in missing else f"{name}: {text}"
                for name, text in error.context["fields"].items()
            )
            return _reject(ValueError(fields or error.message), 2)
        except ApiError as error:
            return _reject(error, 1)


def _demo(args: argparse.Namespace) -> None:
    from tableapi.cli.demo import serve_demo

    serve_demo({} if args.port is None else {"port": args.port})


def _rotate_keys(args: argparse.Namespace) -> None:
    from tableapi.cli.rotate_keys import rotate_keys, sealing_keys
    from tableapi.server.serve import with_postgres

    of_project(Path.cwd())
    settings: Settings = load_project(Path.cwd()).settings_class().read(make_secrets=False)
    keys = sealing_keys(settings)
    if args.hash_keys:
        print(f"SECRET_KEYS={hash_keys(keys)}")
        return
    with ExitStack() as stack:
        settings = with_postgres(settings, stack)
        asyncio.run(check_database(settings.direct_url, settings.direct_setting))
        print(asyncio.run(rotate_keys(settings.direct_url, keys, Path.cwd())))


def _check(args: argparse.Namespace) -> int:
    environment = EnvironmentSettings.read(make_secrets=False)
    if environment.datasets:
        return _report(checked_datasets(environment))
    folder = Path.cwd()
    project = load_project(folder)
    if (folder / "policy.py").is_file():
        check_files(folder)
    settings = project.settings_class().read(make_secrets=False)
    return _report(checked(settings, project, folder))


def _doctor(args: argparse.Namespace) -> int:
    from tableapi.cli.doctor import examine

    report, passed = examine(args.url)
    print(report)
    return int(not passed)


def _report(problems: list[tuple[bool, str]]) -> int:
    for fatal, text in problems:
        print(f"{'error' if fatal else 'note'}: {text}")
    if not problems:
        print("Nothing is missing.")
    return int(any(fatal for fatal, _ in problems))


if __name__ == "__main__":
    sys.exit(main())
