"""The settings of a command, read once at start. No other module reads the environment.

The sources, in order of precedence, are command-line options, the environment, and `.env` in the working folder.
Missing keys and secrets are generated once and kept below DATA_DIR (`secret_file.py`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Self

from dotenv.parser import parse_stream
from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from tableapi.config.command_error import BadSettings
from tableapi.config.rules import described
from tableapi.config.secret_file import close_folder, kept_secret, unusable
from tableapi.config.settings import Settings
from tableapi.log import get_logger

log = get_logger(__name__)
AS_THEY_ARE = frozenset({"jwt_secret"})  # shared byte by byte with another program
MIN_CHARS, CLOSE = 7, 0.9  # of names that are compared with settings, and their similarity (`difflib`)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Trimmed(PydanticBaseSettingsSource):
    """The values of another source without surrounding whitespace; blank values count as not set."""

    def __init__(self, settings_cls: type[BaseSettings], source: PydanticBaseSettingsSource) -> None:
        super().__init__(settings_cls)
        self._source = source

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return self._source.get_field_value(field, field_name)

    def __call__(self) -> dict[str, Any]:
        values = {name: value if isinstance(value, str) else "" for name, value in self._source().items()}
        return {
            name: value if name in AS_THEY_ARE else value.strip() for name, value in values.items() if value.strip()
        }


class EnvironmentSettings(Settings, BaseSettings):
    """Settings of a command. Precedence: options, the environment, `.env` in the working folder.

    A project adds its own in a subclass (`Project.settings`).
    """

    model_config = SettingsConfigDict(
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        case_sensitive=False,
        enable_decoding=False,  # lists are separated by commas, not JSON
    )

    workers: int = Field(default_factory=_cores, ge=1, le=256)
    datasets: str = Field(default="", repr=False)  # databases without a project: NAME=URL separated by spaces, or @FILE
    access_file: Path | None = None  # rights of `datasets`

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource, dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:  # fmt: skip
        return init_settings, _Trimmed(settings_cls, env_settings), _Trimmed(settings_cls, dotenv_settings)

    @classmethod
    def read(cls, overrides: Mapping[str, Any] | None = None, *, make_secrets: bool = True) -> Self:
        """Read the settings; `overrides` take precedence over the environment, which does over `.env`.

        Raises BadSettings.
        """
        in_file = _names_in(Path(".env"))
        try:
            settings = cls(**(overrides or {}))
        except ValidationError as error:
            raise BadSettings(_one_line(error)) from None
        _warn_of_misspelt((*os.environ, *in_file), cls.model_fields)
        changes: dict[str, Any] = {"data_dir": settings.data_dir.expanduser().absolute()}
        if make_secrets:
            _close(changes["data_dir"])
            changes |= _generated(settings, changes["data_dir"])
        return settings.model_copy(update=changes)


def _names_in(path: Path) -> list[str]:
    """Return the names in `.env`. Raises BadSettings for a line that would be skipped as unreadable."""
    if not path.is_file():
        return []
    with path.open() as file:
        lines = list(parse_stream(file))
    if bad := next((line for line in lines if line.error), None):
        raise BadSettings(f"{path}, line {bad.original.line}: must be NAME=value.")
    return [line.key for line in lines if line.key]


def _warn_of_misspelt(variables: Iterable[str], known: Iterable[str]) -> None:
    """Log each variable with a name close to that of a setting.

    It is not an error, because the environment also contains variables of other programs.
    """
    names = {name.lower() for name in variables}
    for name in sorted(names.difference(known)):
        if len(name) >= MIN_CHARS and (close := get_close_matches(name, known, n=1, cutoff=CLOSE)):
            _warn(name.upper(), close[0].upper())


@cache  # a command may read its settings several times
def _warn(name: str, meant: str) -> None:
    log.warning("unknown_setting", name=name, told=f"It is not a setting and is ignored. Did you mean {meant}?")


def _close(data_dir: Path) -> None:
    """Restrict DATA_DIR to its owner, because it contains secrets, uploads and the database."""
    try:
        if mode := close_folder(data_dir):
            log.warning("data_dir_closed", was=f"{mode:04o}", now="0700", data_dir=str(data_dir))
    except OSError as error:
        raise BadSettings(unusable(data_dir, error)) from None


def _generated(settings: Settings, data_dir: Path) -> dict[str, Any]:
    """Return the keys that are not set, from their files below DATA_DIR."""
    missing = [name for name in ("app_keys", "secret_keys") if not getattr(settings, name)]
    try:
        return {name: (kept_secret(data_dir / "secrets" / name.removesuffix("s")),) for name in missing}
    except OSError as error:
        raise BadSettings(unusable(data_dir, error)) from None


def _one_line(error: ValidationError) -> str:
    """Describe the first problem: `PORT: must be a whole number from 1 to 65535 (is 'x')`.

    Values of secrets are omitted.
    """
    first = error.errors(include_url=False)[0]
    if not first["loc"]:
        return f"{described(first)}."
    name = str(first["loc"][0])
    field = Settings.model_fields.get(name)
    hides = field is None or not field.repr or "://" in str(first["input"])  # a URL may have a password
    shown = "" if hides else f" (is {first['input']!r})"
    if name == "dataset" and "=" in str(first["input"]):
        shown = ". To serve databases without a project, set DATASETS"
    return f"{name.upper()}: {_rule(first, field)}{shown}."


def _rule(error: Mapping[str, Any], field: FieldInfo | None) -> str:
    """Return the rule of a setting, with both bounds of a number, whichever of them a value broke."""
    kind = error["type"]
    if kind.startswith("bool_"):
        return "must be on or off"
    if kind == "string_pattern_mismatch":
        return "must begin with a letter, and consist of at most 63 letters, digits, - and _"
    if field is None or not kind.startswith(("int_", "float_", "greater_", "less_", "finite_")):
        return described(error)
    number = "a whole number" if field.annotation in (int, int | None) else "a number"
    bounds = {
        name: value
        for one in field.metadata
        for name in ("ge", "gt", "le")
        if (value := getattr(one, name, None)) is not None
    }
    low, high = bounds.get("ge"), bounds.get("le")
    if low is not None and high is not None:
        return f"must be {number} from {low} to {high}"
    least = f" of at least {low}" if low is not None else " above 0" if "gt" in bounds else ""
    return f"must be {number}{least}" + (f" and at most {high}" if high is not None else "")
