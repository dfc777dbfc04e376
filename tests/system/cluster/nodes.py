"""Start two nodes behind nginx, an embedded PostgreSQL with a streaming replica, and Redis."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

from tableapi.server.postgres.server import Embedded
from tests.helpers.customer import SETTINGS
from tests.helpers.standby import Standby
from tests.helpers.support import ROOT, Server, free_port, start
from tests.system.cluster.programs import Missing
from tests.system.cluster.provider import Provider

NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/nginx.log warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
    uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    upstream nodes {{
        {servers}
        keepalive 32;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://nodes;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_connect_timeout 1s;
            proxy_next_upstream error timeout;  # only what is safe to repeat: GET, PUT, DELETE
        }}
    }}
}}
"""


@dataclass
class Cluster:
    folder: Path
    stack: ExitStack
    primary: Embedded
    standby: Standby
    settings: dict[str, str]
    provider: Provider
    nodes: list[Server] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def node(self, number: int, **settings: str) -> Server:
        """Start a node; after a restart it has the same data folder and port."""
        folder = self.folder / f"node{number}"
        folder.mkdir(exist_ok=True)
        more = {"PORT": str(self.nodes[number].port)} if number < len(self.nodes) else {}
        return start(self.stack, folder, cwd=ROOT, **(self.settings | more | settings))


def bring_up(folder: Path, stack: ExitStack, *, whole: bool = True) -> Cluster:
    """Start the cluster until `stack` closes.

    Unless `whole`, without nginx and Redis: `port` is that of a node, and the first node runs jobs.
    """
    primary = Embedded(folder / "primary" / "postgres")
    first = stack.enter_context(primary)
    standby = Standby(folder / "standby" / "postgres", primary)
    second = stack.enter_context(standby)
    both = first.replace(f":{primary.port}/", f":{primary.port},127.0.0.1:{standby.port}/")
    settings = SETTINGS | {
        "METRICS_TOKEN": "watch",
        "DATABASE_URL": f"{both}?target_session_attrs=read-write",
        "DATABASE_REPLICA_URLS": second,
        "TRUSTED_PROXIES": "127.0.0.1",
        "DRAIN_SECONDS": "2",
        "WORKER": "off",
    }
    port = free_port()  # of the first node
    provider = Provider(folder / "provider", stack, f"http://127.0.0.1:{port}/api/v2/webhooks/payment")
    settings |= provider.settings
    if whole:
        settings["REDIS_URL"] = f"redis://127.0.0.1:{_redis(folder, stack)}/0"
    cluster = Cluster(folder, stack, primary, standby, settings, provider)
    cluster.nodes.append(cluster.node(0, PORT=str(port), WORKER="off" if whole else "on"))
    cluster.nodes.append(cluster.node(1))
    cluster.port = _nginx(folder, stack, [node.port for node in cluster.nodes]) if whole else cluster.nodes[0].port
    return cluster


def _redis(folder: Path, stack: ExitStack) -> int:
    port = free_port()
    _run(stack, port, "redis-server", "--port", str(port), "--save", "", "--dir", str(folder), "--bind", "127.0.0.1")
    return port


def _nginx(folder: Path, stack: ExitStack, nodes: list[int]) -> int:
    port = free_port()
    servers = "\n        ".join(f"server 127.0.0.1:{node} max_fails=1 fail_timeout=2s;" for node in nodes)
    config = folder / "nginx.conf"
    config.write_text(NGINX.format(folder=folder, servers=servers, port=port))
    _run(stack, port, "nginx", "-p", str(folder), "-c", str(config), "-e", str(folder / "nginx.log"))
    return port


def _run(stack: ExitStack, port: int, program: str, *words: str) -> None:
    path = shutil.which(program) or shutil.which(program, path="/usr/sbin")
    if path is None:
        raise Missing(f"{program} is not installed; as root: tools/peers")
    process = subprocess.Popen([path, *words], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    stack.callback(_end, process)
    until = time.monotonic() + 20
    while not _listens(port):
        if process.poll() is not None or time.monotonic() > until:
            raise Missing(f"{program} does not start")
        time.sleep(0.05)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()


def _listens(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
