"""The `Context` of scripts, typed with the settings and vendors of the product."""

from __future__ import annotations

from scripts._shared.settings import Settings
from scripts._shared.vendors import Vendors
from tableapi.endpoints import context

Context = context.Context[Settings, Vendors]
