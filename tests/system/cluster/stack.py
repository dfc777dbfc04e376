"""PostgreSQL under Patroni, HAProxy, pgbouncer, Redis, nginx and the product, each at its own address.

The configuration is that of deploy/cluster, with addresses of this machine instead of host names.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import orjson

from tests.helpers.customer import SETTINGS
from tests.helpers.support import ROOT, Server, clean_environment, start
from tests.system.cluster.programs import (
    Addresses,
    Database,
    Missing,
    Program,
    postgres_programs,
    program,
    unprivileged,
    wait_for,
)
from tests.system.cluster.provider import Provider

CONFIGURATION = ROOT / "deploy" / "cluster"
DATABASES, STORES = ("pg1", "pg2", "pg3"), ("etcd1", "etcd2", "etcd3")
NODES = ("node1", "node2")
# Between each Patroni and etcd stands a relay: frozen, the machine is cut off from etcd.
RELAYS = tuple(f"relay{number}" for number in range(1, 4))
PASSWORD = "a-password-of-the-test"
NGINX = """
daemon off; master_process off; pid nginx.pid; error_log stderr warn;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
    {site}
}}
"""
RELAY = """
defaults
    mode tcp
    timeout connect 1s
    timeout client 1h
    timeout server 1h
{listens}
"""


@dataclass
class Stack:
    """Everything that runs, by name."""

    folder: Path
    exits: ExitStack
    at: Addresses = field(default_factory=lambda: Addresses(
        [*DATABASES, *STORES, *RELAYS, "haproxy", "pgbouncer", "redis", "proxy", *NODES]
    ))  # fmt: skip
    programs: dict[str, Program] = field(default_factory=dict)
    nodes: dict[str, Server] = field(default_factory=dict)
    worker: subprocess.Popen[bytes] | None = None
    provider: Provider = field(init=False)

    def __post_init__(self) -> None:
        self.provider = Provider(self.folder / "provider", self.exits, f"{self.url}/api/v2/webhooks/payment")

    # -- addresses -----------------------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The address of the product, for its clients."""
        return f"http://{self.at['proxy']}:8000"

    @property
    def direct(self) -> str:
        """The database at its primary, without the pooler."""
        return f"postgresql://app:{PASSWORD}@{self.at['haproxy']}:5000/leads"

    @property
    def settings(self) -> dict[str, str]:
        """The settings of every node and of the worker."""
        return (
            SETTINGS
            | self.provider.settings
            | {
                "DATABASE_URL": f"postgresql://app:{PASSWORD}@{self.at['pgbouncer']}:6432/leads?statement_cache_size=0",
                "DATABASE_DIRECT_URL": self.direct,
                "DATABASE_REPLICA_URLS": f"postgresql://app:{PASSWORD}@{self.at['haproxy']}:5001/leads",
                "REDIS_URL": f"redis://{self.at['redis']}:6379/0",
                "TRUSTED_PROXIES": "127.0.0.1," + self.at["proxy"],
                "METRICS_TOKEN": "watch",
                "DRAIN_SECONDS": "2",
                "INIT": "off",
                "WORKER": "off",
            }
        )

    def database(self, name: str) -> Database:
        found = self.programs[name]
        assert isinstance(found, Database)
        return found

    # -- the state of the cluster --------------------------------------------------------------------------------------

    def members(self) -> dict[str, dict[str, Any]]:
        """Return Patroni's members by name; empty while no Patroni responds."""
        for name in DATABASES:
            with suppress(httpx2.HTTPError, orjson.JSONDecodeError):
                response = httpx2.get(f"http://{self.at[name]}:8008/cluster", timeout=1)
                return {member["name"]: member for member in orjson.loads(response.content)["members"]}
        return {}

    def primary(self) -> str:
        """Return the name of the machine that responds as the primary; "" if none does."""
        for name in DATABASES:
            with suppress(httpx2.HTTPError):
                if httpx2.get(f"http://{self.at[name]}:8008/primary", timeout=1).status_code == 200:
                    return name
        return ""

    def whole(self) -> bool:
        """Return whether there is a primary, a synchronous replica and a further one, all following."""
        members = self.members().values()
        roles = sorted(str(member["role"]) for member in members)
        return (
            roles == ["leader", "replica", "sync_standby"]
            and all(member["state"] in ("running", "streaming") for member in members)
            and all(member.get("lag", 0) != "unknown" and int(member.get("lag", 0)) < 1 << 20 for member in members)
            and len({member["timeline"] for member in members}) == 1
            and bool(self.primary())
        )

    def wait_whole(self, seconds: float = 50.0) -> None:
        try:
            wait_for(self.whole, "the cluster with two replicas", seconds)
        except Missing as error:
            logs = "\n".join(f"{name}: {self.programs[name].log.read_text()[-1500:]}" for name in DATABASES)
            raise Missing(f"{error}: {self.members()}\n{logs}") from None

    def leader_of_etcd(self) -> str:
        """Return the name of etcd's leader."""
        for name in STORES:
            with suppress(httpx2.HTTPError, KeyError):
                status = httpx2.post(f"http://{self.at[name]}:2379/v3/maintenance/status", json={}, timeout=1).json()
                if status["leader"] == status["header"]["member_id"]:
                    return name
        raise AssertionError("etcd has no leader")

    def switch_over(self) -> None:
        """Ask Patroni for a planned change of the primary, to the synchronous replica."""
        members = self.members()
        old = next(name for name, member in members.items() if member["role"] == "leader")
        new = next(name for name, member in members.items() if member["role"] == "sync_standby")
        response = httpx2.post(
            f"http://{self.at[old]}:8008/switchover", json={"leader": old, "candidate": new},
            auth=("patroni", PASSWORD), timeout=60,
        )  # fmt: skip
        assert response.status_code == 200, response.text

    # -- starting ------------------------------------------------------------------------------------------------------

    def run(self, made: Program) -> Program:
        """Start a program that ends with the stack."""
        self.programs[made.name] = made
        self.exits.callback(made.stop)
        return made.start(wait=False)

    def _folder(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir()
        if user := unprivileged():
            os.chown(folder, *user)
        return folder

    def _etcd(self) -> None:
        everyone = ",".join(f"{name}=http://{self.at[name]}:2380" for name in STORES)
        for name in STORES:
            folder, clients, peers = self._folder(name), f"http://{self.at[name]}:2379", f"http://{self.at[name]}:2380"
            command = [
                program("etcd"), "--name", name, "--data-dir", str(folder / "data"), "--listen-client-urls", clients,
                "--advertise-client-urls", clients, "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                "--initial-cluster", everyone, "--log-level", "warn", "--unsafe-no-fsync", "--enable-v2=true",
            ]  # fmt: skip
            self.run(Program(name, folder, command, self.at[name], 2379))

        wait_for(self._etcd_decided, "etcd")

    def _etcd_decided(self) -> bool:
        """Return whether every member knows the cluster version, without which Patroni exits."""
        try:
            responses = [httpx2.get(f"http://{self.at[name]}:2379/version", timeout=1).json() for name in STORES]
        except httpx2.HTTPError:
            return False
        return all(response["etcdcluster"] != "not_decided" for response in responses)

    def _patroni(self) -> None:
        configuration = (CONFIGURATION / "patroni.yaml").read_text()
        for number, name in enumerate(DATABASES):
            relay, folder, address = RELAYS[number], self._folder(name), self.at[name]
            listens = "\n".join(
                f"listen {store}\n    bind {self.at[relay]}:{2379 + place}\n    server {store} {self.at[store]}:2379"
                for place, store in enumerate(STORES)
            )
            self._haproxy(relay, RELAY.format(listens=listens), 2379)
            (folder / "patroni.yaml").write_text(configuration)
            environment = {
                "PATRONI_NAME": name,
                "PATRONI_ETCD_HOSTS": ",".join(f"{self.at[relay]}:{2379 + place}" for place in range(3)),
                "PATRONI_ETCD_USE_PROXIES": "true",
                "PATRONI_POSTGRESQL_LISTEN": f"{address}:5432",
                "PATRONI_POSTGRESQL_CONNECT_ADDRESS": f"{address}:5432",
                "PATRONI_RESTAPI_LISTEN": f"{address}:8008",
                "PATRONI_RESTAPI_CONNECT_ADDRESS": f"{address}:8008",
                "PATRONI_RESTAPI_USERNAME": "patroni",
                "PATRONI_RESTAPI_PASSWORD": PASSWORD,
                "PATRONI_POSTGRESQL_DATA_DIR": str(folder / "data"),
                "PATRONI_POSTGRESQL_BIN_DIR": str(postgres_programs()),
                "PATRONI_POSTGRESQL_PGPASS": str(folder / "pgpass"),
                "PATRONI_SUPERUSER_PASSWORD": PASSWORD,
                "PATRONI_REPLICATION_PASSWORD": PASSWORD,
                "LC_ALL": "C.UTF-8",
            }
            command = [program("patroni"), str(folder / "patroni.yaml")]
            self.run(Database(name, folder, command, address, 8008, environment, data=folder / "data"))

    def _haproxy(self, name: str, configuration: str, port: int) -> None:
        folder = self._folder(name)
        (folder / "haproxy.cfg").write_text(configuration)
        command = [program("haproxy"), "-db", "-f", str(folder / "haproxy.cfg")]
        self.run(Program(name, folder, command, self.at[name], port))

    def _pgbouncer(self) -> None:
        folder = self._folder("pgbouncer")
        (folder / "pgbouncer.ini").write_text(self.at.put_into((CONFIGURATION / "pgbouncer.ini").read_text()))
        (folder / "userlist.txt").write_text(f'"app" "{PASSWORD}"\n')
        if user := unprivileged():
            os.chown(folder / "userlist.txt", *user)
        (folder / "userlist.txt").chmod(0o600)
        command = [program("pgbouncer"), str(folder / "pgbouncer.ini")]
        self.run(Program("pgbouncer", folder, command, self.at["pgbouncer"], 6432))

    def _redis(self) -> None:
        folder = self._folder("redis")
        command = [program("redis-server"), "--port", "6379", "--save", "", "--bind", self.at["redis"]]
        self.run(Program("redis", folder, command, self.at["redis"], 6379))

    def _nginx(self) -> None:
        folder = self._folder("proxy")
        site = self.at.put_into((CONFIGURATION / "nginx.conf").read_text())
        (folder / "nginx.conf").write_text(NGINX.format(site=site))
        command = [program("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"]
        self.run(Program("proxy", folder, command, self.at["proxy"], 8000))

    def _create_database(self) -> None:
        words = [str(postgres_programs() / "psql"), "-qX", "-v", "ON_ERROR_STOP=1", "-v", f"password={PASSWORD}"]
        where = f"postgresql://postgres:{PASSWORD}@{self.at['haproxy']}:5000/postgres"
        subprocess.run([*words, where, "-f", str(CONFIGURATION / "database.sql")], check=True, stdin=subprocess.DEVNULL)
        subprocess.run(
            [str(ROOT / ".venv" / "bin" / "tableapi"), "init"], cwd=ROOT, check=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, env=clean_environment(**self.settings, DATA_DIR=self.folder / "init"),
        )  # fmt: skip

    def start_node(self, name: str, *, project: Path = ROOT, **settings: str) -> Server:
        """Start a node of the product; after a restart it has the same address and data folder."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        more = {"HOST": self.at[name], "PORT": "8000"}
        self.nodes[name] = start(self.exits, folder, cwd=project, **(self.settings | more | settings))
        return self.nodes[name]

    def start_worker(self) -> None:
        """Start the worker that runs jobs."""
        folder = self.folder / "worker"
        folder.mkdir(exist_ok=True)
        with (folder / "worker.log").open("a") as log:
            self.worker = subprocess.Popen(
                [str(ROOT / ".venv" / "bin" / "tableapi"), "worker"], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, env=clean_environment(**self.settings, DATA_DIR=folder), start_new_session=True,
            )  # fmt: skip
        self.exits.callback(self.stop_worker, self.worker)

    def stop_worker(self, worker: subprocess.Popen[bytes], number: int = signal.SIGTERM) -> None:
        if worker.poll() is None:
            worker.send_signal(number)
            worker.wait(30)


def bring_up(folder: Path, exits: ExitStack) -> Stack:
    """Start everything; it ends with `exits`. Raises Missing."""
    stack = Stack(folder, exits)
    began = time.monotonic()
    stack._etcd()
    stack._patroni()
    stack._haproxy("haproxy", stack.at.put_into((CONFIGURATION / "haproxy.cfg").read_text()), 5000)
    stack._pgbouncer()
    stack._redis()
    stack._nginx()
    for one in stack.programs.values():
        one.wait()
    stack.wait_whole(120)
    stack._create_database()
    for name in NODES:
        stack.start_node(name)
    stack.start_worker()
    print(
        f"{len(stack.programs)} programs, {len(NODES)} nodes and a worker after {time.monotonic() - began:.0f} s",
        flush=True,
    )
    return stack


def left_behind(folder: Path) -> list[str]:
    """Return the command lines of running processes that name the folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with suppress(OSError):
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                inside = str((entry / "cwd").resolve()).startswith(str(folder))
                if inside or str(folder) in line:
                    found.append(f"{entry.name} {line}")
    return found


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
