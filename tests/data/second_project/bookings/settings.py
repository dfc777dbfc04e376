"""Settings of the booking project."""

from __future__ import annotations

from tableapi import EnvironmentSettings


class Settings(EnvironmentSettings):
    """The address of the pager, added to the settings of the engine."""

    dataset: str = "hotel"
    pager_url: str = ""
