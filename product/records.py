"""The fields that a table hook takes from a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, model_validator


class Record(BaseModel):
    """A record with the fields of a hook.

    Other columns and relations of the table are ignored, because clients send records back as they read them. Any other
    field is an error, such as `scope` for `scopes`.
    """

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    columns: ClassVar[frozenset[str]]

    @model_validator(mode="before")
    @classmethod
    def _without_columns(cls, sent: object) -> object:
        if not isinstance(sent, Mapping):
            return sent
        left_out = {name for name in sent if name in cls.columns or "_by_" in name} - cls.model_fields.keys()
        return {name: value for name, value in sent.items() if name not in left_out}
