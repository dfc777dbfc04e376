"""The files in deploy/ are valid, contain no passwords in URLs, and restrict the rights of their services."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson
import pytest
import yaml

from product.accounts import avatars
from scripts import bulklookup, files, listimport
from tests.docs import code, pages
from tests.helpers.support import ROOT

DEPLOY = ROOT / "deploy"
COMPOSE = {"compose.yaml": "app", "dataset.compose.yaml": "api"}


def _services(name: str) -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((DEPLOY / name).read_text())["services"]
    return services


FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(DEPLOY)))
def test_no_password_is_part_of_an_address(path: Path) -> None:
    text = "\n".join(line for line in path.read_text().splitlines() if not line.lstrip().startswith("#"))
    assert not re.search(r"://[^\s/@]*:[^\s/@]+@", text)


@pytest.mark.parametrize(("name", "service"), COMPOSE.items())
def test_a_server_in_a_container_has_minimal_privileges(name: str, service: str) -> None:
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


ALERTS = yaml.safe_load((DEPLOY / "alerts.yaml").read_text())["groups"][0]["rules"]
_SELECTOR = re.compile(r"((?:tableapi|project)_\w+)(?:\{([^}]*)\})?")
_LABEL = re.compile(r'(\w+)(?:=~?|!=)"')


def test_alerts_use_existing_metrics_and_labels() -> None:
    documented = dict(
        _SELECTOR.findall("\n".join(cells[0] for cells in pages.rows(pages.read("reference/metrics.md"))))
    )
    for rule in ALERTS:
        for name, labels in _SELECTOR.findall(rule["expr"]):
            assert name in code.metrics(), rule["alert"]
            of_metric = set(documented[name].split(","))
            assert set(_LABEL.findall(labels)) <= of_metric, rule["alert"]
            grouped = {word for words in re.findall(r"by \(([^)]*)\)", rule["expr"]) for word in re.split(", *", words)}
            assert grouped <= of_metric | {"instance"}, rule["alert"]
        assert set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"]))) <= of_metric | {"instance"}


def test_every_metric_to_alert_on_has_a_rule() -> None:
    """All but the last line, which is about the log."""
    listed = pages.read("reference/metrics.md").partition("## What to alert on")[2].split("\n- ")[1:-1]
    named = {re.sub(r'[{"].*', "", re.findall(r"`(\w+)", line)[0]) for line in listed}
    used = {word for rule in ALERTS for word in re.findall(r"\w+", rule["expr"])}
    assert named <= used


def test_alerts_mention_existing_commands_and_events() -> None:
    text = str([rule["annotations"] for rule in ALERTS])
    assert set(re.findall(r"tableapi run (\w+)", text)) <= {
        path.stem for path in (ROOT / "scripts" / "jobs").glob("*.py")
    }
    assert {"webhook_given_up", "webhook_missed", "bug"} <= code.log_events().keys()


def test_the_proxy_passes_the_largest_body_of_a_call() -> None:
    """1.1 MB of a picture, of 2 MB that are allowed, got an HTML page with 413."""
    largest = max(files.MAX_BYTES, listimport.MAX_CHARS * 4, bulklookup.MAX_BYTES, avatars.MAX_BYTES) + 65_536
    for name in ("nginx.conf", "cluster/nginx.conf"):
        sizes = re.findall(r"client_max_body_size (\d+)m;", (DEPLOY / name).read_text())
        assert sizes, name
        assert min(map(int, sizes)) * 1024 * 1024 >= largest, name


UNITS = sorted(path.name for path in DEPLOY.glob("*.service"))


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_is_valid_and_restricts_its_service(name: str, tmp_path: Path) -> None:
    """Where systemd is installed, by its own checks: from 0 (closed) to 100 (open)."""
    text = (DEPLOY / name).read_text()
    assert "NoNewPrivileges=yes" in text
    assert "User=tableapi" in text
    if (analyze := shutil.which("systemd-analyze")) is None:
        return
    unit = tmp_path / name
    unit.write_text(text.replace("/opt/tableapi/.venv/bin/tableapi", "/bin/true"))
    for words in (["verify", "--man=no"], ["security", "--offline=true", "--threshold=25", "--no-pager"]):
        checked = subprocess.run([analyze, *words, unit], capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, ""), checked.stdout + checked.stderr


def test_units_of_one_machine_have_the_same_restrictions() -> None:
    """All but what differs by purpose: the lines from CapabilityBoundingSet on."""
    ends = {(DEPLOY / name).read_text().partition("CapabilityBoundingSet=")[2] for name in UNITS}
    assert len(ends) == 1


@pytest.mark.parametrize("name", COMPOSE)
def test_services_of_compose_refer_to_what_exists(name: str) -> None:
    file = yaml.safe_load((DEPLOY / name).read_text())
    for service, options in file["services"].items():
        for other, condition in options.get("depends_on", {}).items():
            assert other in file["services"], (service, other)
            if condition["condition"] == "service_healthy":
                assert "test" in file["services"][other]["healthcheck"]
        for volume in options.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source.startswith("./") or source in file["volumes"], (service, volume)
        if "build" in options:
            stages = re.findall(r"^FROM \S+ AS (\S+)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
            assert options["build"].get("target", "base") in stages


MANIFESTS = ("product.yaml", "dataset.yaml")


def _manifests(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes" / name).read_text()))


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_has_only_fields_of_the_kubernetes_schema(name: str) -> None:
    """Compare with the strict schemas of Kubernetes 1.37 for these kinds, without descriptions (Apache License 2.0)."""
    schemas = orjson.loads(gzip.decompress((ROOT / "tests" / "data" / "kubernetes.json.gz").read_bytes()))
    for manifest in _manifests(name):
        kind = schemas["kinds"][manifest["kind"]]
        schema = {"$ref": f"#/definitions/{kind}", "definitions": schemas["definitions"]}
        found = jsonschema_rs.validator_for(schema)
        assert [(list(error.instance_path), error.message) for error in found.iter_errors(manifest)] == []
        manifest["spec"]["replica"] = 2
        assert not found.is_valid(manifest), "a misspelt field is found"


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_pod_has_minimal_privileges(name: str) -> None:
    for manifest in _manifests(name):
        if manifest["kind"] not in ("Deployment", "Job"):
            continue
        spec = manifest["spec"]["template"]["spec"]
        assert (spec["securityContext"]["runAsNonRoot"], spec["automountServiceAccountToken"]) == (True, False)
        for container in spec["containers"]:
            allowed = container["securityContext"]
            assert (allowed["readOnlyRootFilesystem"], allowed["allowPrivilegeEscalation"]) == (True, False)
            assert allowed["capabilities"] == {"drop": ["ALL"]}
            assert container["resources"]["limits"]["memory"]
            mounted = {mount["name"] for mount in container["volumeMounts"]}
            assert mounted == {volume["name"] for volume in spec["volumes"]}


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_pod_is_restarted_when_it_hangs_and_unready_without_its_database(name: str) -> None:
    served = next(one for one in _manifests(name) if one["kind"] == "Deployment")
    (container,) = served["spec"]["template"]["spec"]["containers"]
    paths = {probe: container[f"{probe}Probe"]["httpGet"]["path"] for probe in ("startup", "liveness", "readiness")}
    assert paths == {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}
    service = next(one for one in _manifests(name) if one["kind"] == "Service")
    assert service["spec"]["selector"] == served["spec"]["selector"]["matchLabels"]
    drain = next(int(one["value"]) for one in container["env"] if one["name"] == "DRAIN_SECONDS")
    probe = container["readinessProbe"]
    assert drain > probe["periodSeconds"] * probe["failureThreshold"]
    assert served["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] > drain + 20


def test_every_workload_of_the_cluster_has_minimal_privileges() -> None:
    for name, options in _services("cluster/compose.yaml").items():
        assert options.get("mem_limit") or name == "database", name
        if "build" in options:
            assert options["cap_drop"] == ["ALL"], name
        assert all(port.startswith("127.0.0.1:") for port in options.get("ports", [])), name


def test_the_settings_of_the_cluster_refer_to_its_services() -> None:
    services = _services("cluster/compose.yaml")
    named = set()
    for file in ("patroni.yaml", "haproxy.cfg", "pgbouncer.ini", "nginx.conf"):
        text = (DEPLOY / "cluster" / file).read_text()
        named |= set(re.findall(r"\b((?:pg|etcd|node)\d|haproxy|pgbouncer|proxy)(?=:\d| port=)", text))
    assert named == {"pg1", "pg2", "pg3", "etcd1", "etcd2", "etcd3", "node1", "node2", "haproxy", "pgbouncer", "proxy"}
    assert named <= set(services)
