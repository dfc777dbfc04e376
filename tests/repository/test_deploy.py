"""The files in deploy/ are valid, keep passwords out of addresses, and restrict what their services may do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs import code
from tests.helpers.support import ROOT

DEPLOY = ROOT / "deploy"
COMPOSE = {"compose.yaml": "app", "dataset.compose.yaml": "api"}


def _services(name: str) -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((DEPLOY / name).read_text())["services"]
    return services


@pytest.mark.parametrize("path", sorted(DEPLOY.glob("*")), ids=lambda path: path.name)
def test_no_password_is_part_of_an_address(path: Path) -> None:
    text = "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith("#"))
    assert not re.search(r"://[^\s/@]*:[^\s/@]+@", text)


@pytest.mark.parametrize(("name", "service"), COMPOSE.items())
def test_a_server_in_a_container_may_do_little(name: str, service: str) -> None:
    options = _services(name)[service]
    assert (options["read_only"], options["cap_drop"]) == (True, ["ALL"])
    assert "no-new-privileges:true" in options["security_opt"]
    assert options["mem_limit"]
    assert options["pids_limit"]
    assert all(port.startswith("127.0.0.1:") for port in options["ports"])


def test_the_product_starts_only_after_its_settings_were_checked() -> None:
    services = _services("compose.yaml")
    assert services["check"]["command"] == ["check"]
    assert services["app"]["depends_on"]["check"] == {"condition": "service_completed_successfully"}


def test_a_container_is_healthy_only_with_its_database() -> None:
    health = (DEPLOY / "Dockerfile").read_text().partition("HEALTHCHECK")[2]
    assert "/readyz" in health


def test_alerts_name_metrics_that_exist() -> None:
    rules = yaml.safe_load((DEPLOY / "alerts.yaml").read_text())["groups"][0]["rules"]
    named = {name for rule in rules for name in re.findall(r"(?:tableapi|project)_\w+", rule["expr"])}
    assert len(rules) > 5
    assert named <= set(code.metrics())
