"""The features of the application, and the application with all of them.

A feature registers with the core through the interface `tableapi.app.feature.Feature`. All features are listed here.
"""

from __future__ import annotations

from tableapi.app.application import App
from tableapi.app.feature import Route
from tableapi.app.features.batch.endpoint import Batches
from tableapi.app.features.changes import Changes
from tableapi.app.features.channels import Channels
from tableapi.app.features.mcp.endpoint import Mcp
from tableapi.app.features.meta import Meta
from tableapi.app.features.metrics import Metrics
from tableapi.app.features.studio import Studio
from tableapi.app.features.webhooks import WebhookCalls
from tableapi.app.lifespan import Process
from tableapi.app.options import ServeOptions
from tableapi.app.routes import ROUTES
from tableapi.config.settings import Settings

FEATURES = (Mcp, Studio, Meta, Batches, WebhookCalls, Changes, Channels, Metrics)


def application(settings: Settings, served: ServeOptions, process: Process | None = None) -> App:
    """Return the application with every feature; the arguments are those of `App`."""
    return App(settings, served, process, FEATURES)


def all_routes() -> tuple[Route, ...]:
    """Return every URL of the engine."""
    return (*ROUTES, *(route for feature in FEATURES for route in feature.routes))
