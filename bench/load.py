"""Load one contender with wrk and measure its cost. Raises WrongAnswers when responses are not 2xx."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench import cost
from bench.contenders import Contender
from bench.scenarios import KEY, Ask, Places, filled

SCRIPT = Path(__file__).parent / "load.lua"
CONNECTIONS = 64
TRIES, PAUSE_SECONDS = 20, 3  # for a run that the host does not disturb
_UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0}


class WrongAnswers(Exception):
    """A contender returned a wrong response."""


@dataclass(frozen=True, slots=True)
class Result:
    """One run of wrk: requests per second, latency in ms, CPU microseconds per request.

    `stolen` is the share of the machine's CPU time that its host gave to other machines meanwhile.
    """

    rate: float
    p50: float
    p99: float
    server: float
    postgres: float
    stolen: float


def check(contender: Contender, name: str, ask: Ask, places: Places, times: int = 3) -> None:
    """Send a few requests and check the responses."""
    for _ in range(times):
        drawn = places.draw()
        headers = {"X-API-Key": KEY, "X-Session-Token": "bench-staff" if ask.staff else f"bench-{drawn['client']}"}
        headers |= {"Content-Type": "application/json"} if ask.body else {}
        request = urllib.request.Request(
            contender.url + filled(ask.path, drawn), method=ask.method, headers=headers | dict(ask.headers),
            data=filled(ask.body, drawn).encode() or None,
        )  # fmt: skip
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                body = response.read()
                good = ask.right(json.loads(body) if body else None, drawn, dict(response.headers.items()))
        except urllib.error.HTTPError as error:
            raise WrongAnswers(f"{contender.name} {name}: {error.code} {error.read()[:300]!r}") from None
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise WrongAnswers(f"{contender.name} {name}: {error!r} in {body[:300]!r}") from None
        if not good:
            raise WrongAnswers(f"{contender.name} {name}: not what was asked for: {body[:300]!r}")


def run(contender: Contender, ask: Ask, places: Places, seconds: int, postgres: int) -> Result:
    """Load a contender for some seconds and return its rate, latency and cost."""
    environment: Mapping[str, str] = {
        "B_METHOD": ask.method, "B_PATH": ask.path, "B_BODY": ask.body, "B_KEY": KEY, "B_STAFF": str(int(ask.staff)),
        "B_HEADERS": "\n".join(f"{k}: {v}" for k, v in ask.headers.items()), "B_SEED": str(random.randint(1, 2**30)),
        "B_CLIENTS": str(places.clients), "B_STRIDE": str(places.stride), "B_EACH": str(places.each),
        "B_USERS": str(places.users),
    }  # fmt: skip
    before, taken = (cost.cpu(contender.pid), cost.cpu(postgres)), cost.machine()
    result = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "--timeout", "30s", "-s", SCRIPT,
         contender.url],
        env={"PATH": os.environ["PATH"], **environment}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    stolen, ticks = (b - a for a, b in zip(taken, cost.machine(), strict=True))
    time.sleep(0.2)  # requests in flight when wrk closed its connections
    after = cost.cpu(contender.pid), cost.cpu(postgres)
    done = int(re.search(r"(\d+) requests in", result)[1])  # type: ignore[index]
    if bad := re.search(r"Non-2xx or 3xx responses: (\d+)", result):
        raise WrongAnswers(f"{contender.name}: {bad[1]} of {done} answers were errors")
    server, database = ((b - a) * 1e6 / max(done, 1) for a, b in zip(before, after, strict=True))
    rate = re.search(r"Requests/sec:\s+([\d.]+)", result)
    assert rate is not None
    return Result(
        float(rate[1]), _latency(result, "50%"), _latency(result, "99%"), server, database, stolen / max(ticks, 1)
    )


def undisturbed(contender: Contender, ask: Ask, places: Places, seconds: int, postgres: int, most: float) -> Result:
    """Repeat `run` while the host takes more than the share `most` of the CPU, up to TRIES times.

    Return the least disturbed result.
    """
    results = [run(contender, ask, places, seconds, postgres)]
    while results[-1].stolen > most and len(results) < TRIES:
        time.sleep(PAUSE_SECONDS)
        results.append(run(contender, ask, places, seconds, postgres))
    return min(results, key=lambda result: result.stolen)


def _latency(text: str, mark: str) -> float:
    match = re.search(rf"{mark}\s+([\d.]+)(us|ms|s|m)\b", text)
    assert match is not None
    return float(match[1]) * _UNITS[match[2]]
