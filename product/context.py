"""The `Context` of scripts, typed with the settings and vendors of the product."""

from __future__ import annotations

import tableapi
from product.settings import Settings
from product.vendors import Vendors

Context = tableapi.Context[Settings, Vendors]
