"""Break one component after the other under load, and report the clients' observations.

Only the broken component is restored; the rest of the cluster recovers by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import asyncpg
import httpx2

from tableapi.crypto.vault import token_hash
from tests.helpers.customer import KEY
from tests.helpers.newer_project import newer_project
from tests.helpers.support import ROOT, clean_environment, until
from tests.system.cluster.clients import ACCOUNTS, Clients, books, prepare, states, traffic
from tests.system.cluster.history import State
from tests.system.cluster.programs import Missing
from tests.system.cluster.stack import DATABASES, NODES, PASSWORD, Stack

FAILOVER, SWITCHOVER, RESTART, SIGN_OUT = 15.0, 5.0, 5.0, 1.0  # maximum seconds
LAG_SECONDS = 6.0
TRIES = 20  # attempts to update the schema while there is no primary


@dataclass
class Row:
    """One line of the table."""

    fault: str
    expected: str
    seen: str
    problems: list[str] = field(default_factory=list)


@dataclass
class Health:
    """The responses of the nodes' /healthz and /readyz during a fault."""

    sick: Counter[str] = field(default_factory=Counter)
    asked: int = 0
    ready: Counter[int] = field(default_factory=Counter)

    async def watch(self, stack: Stack, stop: asyncio.Event) -> None:
        async with httpx2.AsyncClient(timeout=5) as http:
            while not stop.is_set():
                for name in NODES:
                    self.asked += 1
                    with contextlib.suppress(httpx2.HTTPError):
                        if (await http.get(f"http://{stack.at[name]}:8000/healthz")).status_code != 200:
                            self.sick[name] += 1
                        self.ready[(await http.get(f"http://{stack.at[name]}:8000/readyz")).status_code] += 1
                await asyncio.sleep(0.2)


class Run:
    """One fault under load."""

    def __init__(self, stack: Stack, clients: Clients) -> None:
        self.stack, self.clients = stack, clients
        self.begun = time.monotonic()
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


Fault = Callable[[Run], Awaitable[None]]


async def settled(stack: Stack) -> None:
    """Wait until Patroni has a primary with two replicas, one of them synchronous. Raises Missing."""
    await asyncio.to_thread(stack.wait_whole)


async def settled_or_helped(stack: Stack) -> list[str]:
    """Do the same, but if Patroni does not recover by itself, restart it and return the reason."""
    try:
        await settled(stack)
        return []
    except Missing as error:
        primary = stack.primary()
        if primary:
            await asyncio.to_thread(stack.database(primary).restart_patroni)
        await settled(stack)
        return [f"Patroni had to be restarted: {str(error)[:200]}"]


@contextlib.asynccontextmanager
async def watched(stack: Stack) -> AsyncIterator[Health]:
    health, stop = Health(), asyncio.Event()
    task = asyncio.create_task(health.watch(stack, stop))
    try:
        yield health
    finally:
        stop.set()
        await task


async def under_load(stack: Stack, name: str, expected: str, cause: Fault, allowed: float) -> Row:
    """Run one fault between two settled states, and compare the history with the database."""
    await settled(stack)
    first = await states(stack.direct)
    row = Row(name, expected, "")
    async with traffic(lambda: stack.url, stack.provider) as clients, watched(stack) as health:
        run = Run(stack, clients)
        try:
            await cause(run)
            await clients.calm()
        except (TimeoutError, AssertionError, Missing) as error:
            row.problems.append(f"{type(error).__name__}: {error}")
    row.problems += await settled_or_helped(stack)
    last = await states(stack.direct)
    row.problems += clients.wrong(first, last) + await books(stack.direct) + bugs(stack)
    reads, writes = clients.outage(writes=False), clients.outage(writes=True)
    if max(reads, writes) > allowed:
        row.problems.append(f"{max(reads, writes):.1f} s without an answer, {allowed:.0f} s are allowed")
    row.problems += impolite(clients, health)
    refused = named(clients.errors())
    lost, doubled = lost_and_doubled(clients, last)
    unready = health.ready[503]
    row.seen = "; ".join(
        [
            f"no write for {writes:.1f} s, no read for {reads:.1f} s",
            f"{len(clients.attempts)} requests: {refused}",
            f"{clients.acknowledged()} writes acknowledged, {lost} lost, {doubled} doubled",
            *([f"/readyz 503 for {unready} of {sum(health.ready.values())}"] if unready else []),
            *run.notes,
        ]
    )
    return row


def named(errors: Counter[int]) -> str:
    """Format the rejected requests by status for the table."""
    found = (f"{count} × {'no answer' if status == 0 else status}" for status, count in sorted(errors.items()))
    return ", ".join(found) or "no error"


def impolite(clients: Clients, health: Health) -> list[str]:
    """Return results that no client should see during any fault."""
    found = []
    if untold := clients.untold():
        found.append(f"{untold} times 503 without Retry-After")
    if health.sick:
        found.append(f"/healthz was not green: {dict(health.sick)}")
    return found


def lost_and_doubled(clients: Clients, last: dict[int, State]) -> tuple[int, int]:
    """Return the acknowledged reveals that were lost, and the people charged for twice."""
    charged: Counter[tuple[int, int]] = Counter()
    gone = 0
    for one in clients.operations:
        if one.kind == "reveal" and one.answer is not None:
            charged[one.client, one.argument] += one.answer[0] == 1
            gone += one.argument not in last[one.client].revealed
    return gone, sum(count > 1 for count in charged.values())


_told: dict[str, int] = {}


def bugs(stack: Stack) -> list[str]:
    """Return the distinct lines of the nodes' logs that report a bug."""
    found = []
    for name, server in stack.nodes.items():
        lines = server.log.read_text().splitlines()
        found += [f"{name}: {line[:300]}" for line in lines[_told.get(name, 0) :] if '"bug"' in line or "bug=" in line]
        _told[name] = len(lines)
    return found


# -- faults ------------------------------------------------------------------------------------------------------------


async def _new_primary(run: Run, old: str) -> None:
    began = time.monotonic()
    await until(lambda: asyncio.to_thread(lambda: run.stack.primary() not in ("", old)), 60)
    run.note(f"new primary after {time.monotonic() - began:.1f} s")


async def primary_machine_killed(run: Run) -> None:
    old = run.stack.primary()
    machine = run.stack.database(old)
    await asyncio.to_thread(machine.kill)
    try:
        await _new_primary(run, old)
        await run.clients.calm()
    finally:
        await asyncio.to_thread(machine.start)
    await settled(run.stack)


async def primary_postgres_killed(run: Run) -> None:
    old = run.stack.primary()
    await asyncio.to_thread(run.stack.database(old).kill_postgres)
    await _new_primary(run, old)
    await run.clients.calm()
    await settled(run.stack)


async def primary_frozen(run: Run) -> None:
    """Freeze the primary's machine, and thaw it once there is a new primary: it must not continue as primary."""
    old = run.stack.primary()
    machine = run.stack.database(old)
    machine.freeze()
    try:
        await _new_primary(run, old)
        await run.clients.calm()
    finally:
        machine.thaw()
    await settled(run.stack)


async def primary_cut_off(run: Run) -> None:
    old = run.stack.primary()
    relay = run.stack.programs[f"relay{DATABASES.index(old) + 1}"]
    relay.freeze()
    try:
        await _new_primary(run, old)
        await run.clients.calm()
    finally:
        relay.thaw()
    await settled(run.stack)


async def etcd_leader_killed(run: Run) -> None:
    store = run.stack.programs[run.stack.leader_of_etcd()]
    await asyncio.to_thread(store.kill)
    await asyncio.sleep(LAG_SECONDS)  # two cycles of Patroni
    await asyncio.to_thread(store.start)


def _replica(stack: Stack, role: str) -> str:
    return next(name for name, member in stack.members().items() if member["role"] == role)


async def replica_behind(run: Run) -> None:
    """Freeze the replay of one replica: it is connected and healthy according to Patroni, but lags."""
    name = _replica(run.stack, "replica")
    db = await asyncpg.connect(f"postgresql://postgres:{PASSWORD}@{run.stack.at[name]}:5432/leads")
    replay = run.stack.database(name).replay()
    os.kill(replay, signal.SIGSTOP)  # Patroni would end a pause
    try:
        await asyncio.sleep(LAG_SECONDS)
        lag = await db.fetchval("select pg_last_wal_receive_lsn() - pg_last_wal_replay_lsn()")
        run.note(f"{int(lag) // 1024} kB behind")
    finally:
        os.kill(replay, signal.SIGCONT)
        await db.close()


async def synchronous_replica_killed(run: Run) -> None:
    machine = run.stack.database(_replica(run.stack, "sync_standby"))
    await asyncio.to_thread(machine.kill)
    try:
        await run.clients.calm()
    finally:
        await asyncio.to_thread(machine.start)
    await settled(run.stack)


async def synchronous_replica_frozen(run: Run) -> None:
    machine = run.stack.database(_replica(run.stack, "sync_standby"))
    machine.freeze()
    try:
        await asyncio.sleep(1)
        await run.clients.calm()
    finally:
        machine.thaw()
    await settled(run.stack)


def _restarted(name: str) -> Fault:
    async def fault(run: Run) -> None:
        made = run.stack.programs[name]
        await asyncio.to_thread(made.kill)
        await asyncio.sleep(2)
        await asyncio.to_thread(made.start)

    return fault


async def node_killed(run: Run) -> None:
    await asyncio.to_thread(run.stack.nodes["node1"].kill)
    await asyncio.sleep(2)
    await asyncio.to_thread(run.stack.start_node, "node1")


async def worker_killed(run: Run) -> None:
    """Kill the worker, and start another one."""
    worker = run.stack.worker
    assert worker is not None
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait(10)
    db = await asyncpg.connect(run.stack.direct)
    try:
        await asyncio.sleep(2)
        began = time.monotonic()
        await asyncio.to_thread(run.stack.start_worker)

        async def works() -> bool:
            return bool(await db.fetchval("select count(*) from pg_stat_activity where application_name = 'worker'"))

        await until(works, 30)
        run.note(f"the new one listens after {time.monotonic() - began:.1f} s")
    finally:
        await db.close()


async def switchover(run: Run) -> None:
    old = run.stack.primary()
    began = time.monotonic()
    await asyncio.to_thread(run.stack.switch_over)
    run.note(f"Patroni needed {time.monotonic() - began:.1f} s; {old} became {_role(run.stack, old)}")


async def updated_during_switchover(run: Run) -> None:
    """Deploy a newer program with a newer schema, node by node, while the primary changes."""
    stack = run.stack
    project = await asyncio.to_thread(newer_project, stack.folder)
    environment = clean_environment(**stack.settings, DATA_DIR=stack.folder / "init")
    command = (str(ROOT / ".venv" / "bin" / "tableapi"), "init")
    switching = asyncio.create_task(asyncio.to_thread(stack.switch_over))
    tries = 0
    while True:  # repeated if the primary disappears meanwhile
        tries += 1
        initialising = await asyncio.create_subprocess_exec(
            *command, cwd=project, env=environment, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE
        )
        _, said = await initialising.communicate()
        if initialising.returncode == 0:
            break
        assert tries < TRIES, said.decode()
        await asyncio.sleep(1)
    await switching
    for name in NODES:
        await asyncio.to_thread(stack.nodes[name].stop)
        await asyncio.to_thread(stack.start_node, name, project=project)
        await run.clients.calm()  # nginx asks a node again after its fail_timeout
    run.note(f"`tableapi init` needed {tries} {'try' if tries == 1 else 'tries'}")


def _role(stack: Stack, name: str) -> str:
    return str(stack.members().get(name, {}).get("role", "unknown")).replace("_", " ")


AWAY = "503 with Retry-After meanwhile; nothing lost or doubled"
FAULTS: dict[str, tuple[str, str, Fault, float]] = {
    "primary-killed": ("The primary's machine is killed", AWAY, primary_machine_killed, FAILOVER),
    "postgres-killed": ("PostgreSQL of the primary is killed", AWAY, primary_postgres_killed, FAILOVER),
    "primary-frozen": ("The primary's machine is frozen, and thawed later", AWAY, primary_frozen, FAILOVER),
    "primary-cut-off": ("The primary is cut off from etcd", AWAY, primary_cut_off, FAILOVER),
    "etcd": ("The leader of etcd is killed", "requests do not notice", etcd_leader_killed, 1.0),
    "behind": ("A replica is behind", "requests do not notice, no old value is read", replica_behind, 1.0),
    "sync-killed": ("The synchronous replica is killed", "writes wait for the next one", synchronous_replica_killed,
                    FAILOVER),
    "sync-frozen": ("The synchronous replica is frozen", "writes wait for the next one", synchronous_replica_frozen,
                    FAILOVER),
    "pgbouncer": ("pgbouncer is killed, and back after 2 s", AWAY, _restarted("pgbouncer"), RESTART),
    "haproxy": ("HAProxy is killed, and back after 2 s", AWAY, _restarted("haproxy"), RESTART),
    "redis": ("Redis is killed, and back after 2 s", "requests do not notice", _restarted("redis"), 1.0),
    "node": ("A node is killed, and back", "the other one answers", node_killed, RESTART),
    "worker": ("The worker is killed, and a new one started", "requests do not notice", worker_killed, 1.0),
    "switchover": ("A planned switchover", "at most 5 s without writes; nothing lost or doubled", switchover,
                   SWITCHOVER),
    "update": ("A rolling update of schema and program during a switchover", "the same", updated_during_switchover,
               SWITCHOVER),
}  # fmt: skip


# -- checks on every node ------------------------------------------------------------------------------------------


async def signed_out_everywhere(stack: Stack) -> Row:
    """End sessions on one node: the other rejects them within a second, behind the pooler."""
    db = await asyncpg.connect(stack.direct)
    times = []
    try:
        async with httpx2.AsyncClient(timeout=20) as http:
            for turn in range(20):
                token = f"session-to-end-{time.monotonic()}"
                account = ACCOUNTS[0]
                sql = "insert into usersession (tokenhash, appuserid, clientid) values ($1, $2, $2)"
                await db.execute(sql, token_hash(token), account)
                headers = {"X-API-Key": KEY, "X-Session-Token": token}
                here, there = (f"http://{stack.at[NODES[(turn + more) % 2]]}:8000/api/v2" for more in (0, 1))
                listed = "/leads/_table/usercontact?limit=1"
                for url in (here, there):
                    assert (await http.get(url + listed, headers=headers)).status_code == 200
                assert (await http.delete(f"{here}/user/session", headers=headers)).status_code == 200
                began = time.monotonic()
                while (await http.get(there + listed, headers=headers)).status_code != 401:
                    if time.monotonic() - began > 40:
                        break
                    await asyncio.sleep(0.005)
                times.append(time.monotonic() - began)
    finally:
        await db.close()
    row = Row("A session is ended at one node", "refused at the other within 1 s, also behind pgbouncer",
              f"{len(times)} of 20; the slowest after {max(times) * 1000:.0f} ms")  # fmt: skip
    if max(times) > SIGN_OUT:
        row.problems.append("too slow")
    return row


async def run_all(stack: Stack, only: set[str], show: Callable[[Row], None]) -> list[Row]:
    """Run the faults named in `only`, or all of them."""
    await prepare(stack.direct)
    rows = []
    if not only or "sign-out" in only:
        rows.append(await signed_out_everywhere(stack))
        show(rows[-1])
    for name, (title, expected, cause, allowed) in FAULTS.items():
        if not only or name in only:
            rows.append(await under_load(stack, title, expected, cause, allowed))
            show(rows[-1])
    return rows
