"""The response of a call that only reports success."""

from __future__ import annotations

from pydantic import BaseModel


class Output(BaseModel):
    success: int = 1
