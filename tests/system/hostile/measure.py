"""Send the corpus to a server, measure its event loop's delay, and time another caller meanwhile."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from tests.helpers.support import clean_environment, free_port, wait_until
from tests.system.hostile.corpus import CORPUS, Request

# Values of an option without effect, which is part of the key of a plan: a new plan for each repeat.
REPEATS = ("true", "yes", "on")


@dataclass
class Measured:
    """The delay of the event loop and the status of each request, and the times of another caller. In seconds.

    The delay is the smallest of all repeats, because other processes may delay single ones.
    """

    delays: dict[str, float] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    others: list[float] = field(default_factory=list)

    @property
    def p99(self) -> float:
        """The 99th percentile of the other caller's response times."""
        return sorted(self.others)[int(len(self.others) * 0.99)]

    def lines(self) -> list[str]:
        """Return readable measurements, longest delay first."""
        order = sorted(self.delays, key=lambda name: -self.delays[name])
        rows = [
            f"{1000 * self.delays[name]:7.1f} ms  {self.statuses[name]}  {self.seconds[name]:6.2f} s  {name}"
            for name in order
        ]
        return [*rows, f"another caller: p99 {1000 * self.p99:.1f} ms of {len(self.others)} requests"]


@dataclass(frozen=True)
class Caller:
    """The headers of a caller, and the path that it reads meanwhile if it is the other one."""

    headers: dict[str, str] = field(default_factory=dict)
    path: str = "/api/v2/x/_table/team/1"


def started(stack: ExitStack, url: str, folder: Path, other: Caller = Caller(), **environment: str) -> str:
    """Start the host program, and return its address."""
    port = free_port()
    log = stack.enter_context((folder / "host.log").open("w"))
    process = subprocess.Popen(
        [sys.executable, "-m", "granian", "--interface", "asgi", "--port", str(port), "tests.system.hostile.host:app"],
        env=clean_environment(DATABASE_URL=url, **environment), stdout=log, stderr=log, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    stack.callback(process.wait)
    stack.callback(process.terminate)
    address = f"http://127.0.0.1:{port}"

    def ready() -> bool:
        try:
            return httpx2.get(address + other.path, headers=other.headers).status_code == 200
        except httpx2.TransportError:
            return False

    wait_until(ready)
    return address


def hostile(
    address: str, corpus: list[Request] = CORPUS, caller: Caller = Caller(), other: Caller = Caller()
) -> Measured:
    """Send each request of the corpus several times while another caller reads one row."""
    measured = Measured()
    over = threading.Event()

    def read() -> None:
        with httpx2.Client(base_url=address, timeout=60, headers=other.headers) as client:
            while not over.is_set():
                began = time.perf_counter()
                client.get(other.path)
                measured.others.append(time.perf_counter() - began)
                over.wait(0.005)

    beside = threading.Thread(target=read)
    with httpx2.Client(base_url=address, timeout=60, headers=caller.headers) as client:
        client.get(caller.path)
        beside.start()
        try:
            for request in corpus:
                _send(client, request, measured)
        finally:
            over.set()
            beside.join()
    return measured


def _send(client: httpx2.Client, request: Request, measured: Measured) -> None:
    delays = []
    began = time.perf_counter()
    for word in REPEATS:
        client.get("/lag")
        headers = {"Accept-Encoding": "identity", **request.headers}
        query = request.query if request.path.startswith("/") else {**request.query, "refresh": word}
        response = client.request(
            request.method, request.url, params=query, json=request.body, content=request.raw, headers=headers
        )
        delays.append(client.get("/lag").json())
    measured.seconds[request.name] = (time.perf_counter() - began) / len(REPEATS)
    measured.statuses[request.name] = response.status_code
    measured.delays[request.name] = min(delays)
