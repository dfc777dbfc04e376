"""The additions of the booking project to the engine."""

from __future__ import annotations

from collections.abc import Iterator

from bookings.settings import Settings
from bookings.vendors import Vendors

from tableapi import Project


class Hotel(Project):
    """Rooms and bookings."""

    settings = Settings

    def title(self, settings: Settings) -> str:
        return "Hotel"

    def vendors(self, settings: Settings) -> Vendors:
        return Vendors(settings)

    def checks(self, settings: Settings) -> Iterator[tuple[bool, str]]:
        if not settings.pager_url:
            yield True, "PAGER_URL is missing: bookings cannot be confirmed."


PROJECT = Hotel()
