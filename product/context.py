"""The `Context` of scripts, typed with the settings and vendors of the product."""

from __future__ import annotations

from product.settings import Settings
from product.vendors import Vendors
from tableapi.project import context

Context = context.Context[Settings, Vendors]
