"""deploy/nginx.conf in front of a server: large bodies, streams, addresses, time-outs and hidden pages.

Only the name, the certificate, the ports and the address of the node are replaced, as its first line says.
"""

from __future__ import annotations

import datetime
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from product.settings import Settings
from tests.helpers.support import PATIENCE, ROOT, NewDatabase, Serve, Server, execute, free_port, tableapi, wait_until

CONF = ROOT / "deploy" / "nginx.conf"
TABLES = """
create table customer (id int primary key, name text);
create table big (id int primary key, data text);
"""
MAIN = """
daemon off; master_process off; user root; pid {folder}/pid; error_log {folder}/error.log warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    include {folder}/site.conf;
}}
"""


def _nginx() -> str:
    """Return the program that tools/nginx installs."""
    found = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    assert found, "run tools/nginx"
    return found


def _certificate(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )  # fmt: skip


def _site(folder: Path, node: int, port: int) -> Path:
    """Write the file of deploy/ for this machine, and the main configuration that includes it."""
    _certificate(folder)
    text = CONF.read_text()
    for written, here in (
        ("127.0.0.1:8000", f"127.0.0.1:{node}"), ("listen 443 ", f"listen 127.0.0.1:{port} "),
        ("/etc/ssl/api.example.com.pem", f"{folder}/cert.pem"),
        ("/etc/ssl/private/api.example.com.key", f"{folder}/key.pem"), ("api.example.com", "127.0.0.1"),
    ):  # fmt: skip
        assert written in text, written
        text = text.replace(written, here)
    (folder / "site.conf").write_text(text)
    main = folder / "nginx.conf"
    main.write_text(MAIN.format(folder=folder))
    return main


@pytest.fixture(scope="module")
def server(module_serve: Serve, module_database: NewDatabase, tmp_path_factory: pytest.TempPathFactory) -> Server:
    url, folder = module_database(TABLES), tmp_path_factory.mktemp("shop")
    tableapi("changes", "install", "customer", "--dataset", f"shop={url}", cwd=folder)
    server = module_serve("--dataset", f"shop={url}", "--open", cwd=folder, TRUSTED_PROXIES="127.0.0.1")
    execute(url, "insert into customer values (1, 'Ada')")
    return server


@pytest.fixture(scope="module")
def proxy(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    main = _site(folder, server.port, port)
    tested = subprocess.run([_nginx(), "-t", "-c", main], capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stderr
    assert "[warn]" not in tested.stderr
    process = subprocess.Popen([_nginx(), "-c", main])
    try:
        with httpx2.Client(base_url=f"https://127.0.0.1:{port}", verify=False, timeout=PATIENCE) as client:

            def answers() -> bool:
                try:
                    return client.get("/healthz").status_code == 200
                except httpx2.TransportError:
                    return False

            wait_until(answers)
            yield client
    finally:
        process.terminate()
        process.wait(PATIENCE)


def test_metrics_are_hidden(proxy: httpx2.Client, server: Server) -> None:
    assert proxy.get("/metrics").status_code == 404
    assert httpx2.get(f"{server.url}/metrics").status_code == 200


def test_a_body_that_is_too_large_gets_the_error_of_the_server(proxy: httpx2.Client) -> None:
    """1.1 MB, of 1 MB that a table allows, and 10.9 MB, of which a call may have 10: JSON with a reason, not a page."""
    for size, path in ((1_100_000, "/api/v2/shop/_table/customer"), (10_900_000, "/api/v2/shop/_batch")):
        response = proxy.post(path, content=b" " * size, headers={"Content-Type": "application/json"})
        assert response.headers["content-type"].startswith("application/json"), response.text[:200]
        assert response.json()["error"]["context"]["reason"] == "too_large"


def test_a_large_import_passes_while_it_arrives(proxy: httpx2.Client) -> None:
    """40 MB, above the limit of all other requests."""
    rows = b"".join(b"%d,%s\n" % (number, b"x" * 1000) for number in range(40_000))
    response = proxy.post(
        "/api/v2/shop/_table/big?import=true", content=b"id,data\n" + rows, headers={"Content-Type": "text/csv"}
    )
    assert response.status_code in (200, 201), response.text[:300]
    assert proxy.get("/api/v2/shop/_table/big", params={"count_only": "true"}).text == "40000"


def test_a_stream_of_changes_is_not_buffered(proxy: httpx2.Client) -> None:
    with proxy.stream("GET", "/api/v2/shop/_table/customer/_changes") as stream:
        lines = stream.iter_lines()
        assert next(lines).startswith("retry:")
        while next(lines) != "event: reset":
            pass
        proxy.patch("/api/v2/shop/_table/customer/1", json={"name": "Ben"})
        while not (line := next(lines)).startswith('data: {"id"'):
            pass
        assert json.loads(line.removeprefix("data: "))["name"] == "Ben"


def test_a_client_cannot_choose_its_address(proxy: httpx2.Client, server: Server) -> None:
    marked = proxy.get("/api/v2/shop/_table", headers={"X-Forwarded-For": "192.0.2.7"}).headers["x-request-id"]
    wait_until(lambda: marked in server.log.read_text())
    line = next(json.loads(line) for line in server.log.read_text().splitlines() if marked in line)
    assert line["ip"] == "127.0.0.1"


def test_limits_and_time_outs_are_above_those_of_the_server() -> None:
    """The server's own limits apply, because its errors say what to do."""
    settings = {name: field.default for name, field in Settings.model_fields.items()}
    sections = re.split(r"\n    location ", CONF.read_text())
    seconds = {
        section.partition(" {")[0]: int(found[1]) * {"s": 1, "h": 3600}[found[2]]
        for section in sections
        if (found := re.search(r"proxy_read_timeout (\d+)([sh]);", section))
    }
    assert next(value for key, value in seconds.items() if "_changes" in key) > settings["changes_heartbeat_seconds"]
    assert next(value for key, value in seconds.items() if "_table" in key) >= settings["import_seconds"]
    assert next(iter(seconds.values())) > settings["request_seconds"]
    assert "client_max_body_size 1g;" in next(section for section in sections if "_table" in section)
    assert settings["import_bytes"] == 1024**3
