"""Measure a cycle of California's deletion requests: a million hashes against as many people."""

from __future__ import annotations

import asyncio
import io
import re
import resource
import subprocess
import sys
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import asyncpg

from bench.contenders import Stage
from bench.load import WrongAnswers
from bench.reveal import SECRET, drop, fresh, settings
from product.people.directory import sealed_fields
from product.people.removal import email_hash
from product.vendors.people import FoundPerson
from tableapi.crypto.vault import Vault
from tests.helpers.support import ROOT, free_port

MATCHING, BLOCK = 100, 50_000


class _Platform(BaseHTTPRequestHandler):
    """Serves one archive, and accepts the statuses."""

    archive = b""

    def do_GET(self) -> None:
        self._answer(200, "application/zip", self.archive)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(202, "application/json", b'{"rejected": []}')

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        headers = {"Content-Type": kind, "Content-Length": str(len(body))}
        headers["Content-Disposition"] = 'attachment; filename="20260312_4821_DROP.zip"'
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def _archive(entries: int) -> bytes:
    data = io.BytesIO()
    with (
        zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as files,
        files.open("20260312_4821_Email.csv", "w") as file,
    ):
        file.write(b"ID,Hash\n")
        for n in range(entries):  # the first of them are in the directory
            address = f"person{n}@home.example" if n < MATCHING else f"nobody{n}@home.example"
            file.write(f"{n:012},{email_hash(address)}\n".encode())
    return data.getvalue()


async def _filled(stage: Stage, server: str, people: int) -> str:
    url, vault = await fresh(stage, server, "bench_deletions"), Vault([SECRET])
    connection = await asyncpg.connect(url)
    columns = ("profilekey", "full_name", "personalcipher", "businesscipher", "phonecipher", "searchable")
    await connection.execute("create temporary table s (like person)")
    await connection.execute("alter table s alter searchable type text using '', alter personid drop not null")
    for name in (
        "title",
        "company",
        "company_domain",
        "country",
        "city",
        "industry",
        "company_size",
        "seniority",
        "jobfunction",
        "source",
        "firstseen",
        "updatedon",
    ):
        await connection.execute(f"alter table s drop {name}")
    for first in range(0, people, BLOCK):
        rows = []
        for n in range(first, first + BLOCK):
            person = FoundPerson(
                full_name="", personal_emails=[f"person{n}@home.example"], phones=[f"+1202{n:07}"],
                business_emails=[f"person{n}@company.example:valid"],
            )  # fmt: skip
            rows.append((f"in/bench-{n}", f"Person {n}", *sealed_fields(vault, person)[-3:], ""))
        await connection.copy_records_to_table("s", records=rows, columns=columns)
        names = ", ".join(columns[:-1])
        await connection.execute(f"insert into person ({names}, searchable) select {names}, '' from s; truncate s")
    await connection.execute("vacuum (analyze)")
    await connection.close()
    return url


def _processor() -> float:
    """Return the CPU time of the ended children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(stage: Stage, server: str, *, people: int = 1_000_000, entries: int = 1_000_000) -> dict[str, Any]:
    """Measure `tableapi run drop` from the start of the process to its end, and the match within it."""
    url = asyncio.run(_filled(stage, server, people))
    handler, port = type("Platform", (_Platform,), {"archive": _archive(entries)}), free_port()
    platform = ThreadingHTTPServer(("127.0.0.1", port), handler)
    Thread(target=platform.serve_forever, daemon=True).start()
    more = {"DROP_URL": f"http://127.0.0.1:{port}", "DROP_API_KEY": "key"}
    began, spent = time.monotonic(), _processor()
    words = [sys.executable, "-m", "tableapi", "run", "drop"]
    run = subprocess.run(words, cwd=ROOT, env=settings(stage, url, **more), capture_output=True, text=True)
    seconds, cpu = time.monotonic() - began, _processor() - spent
    platform.shutdown()
    said = run.stdout + run.stderr
    match = re.search(r"([\d,]+) match \(in ([\d.]+) s\)", said)
    if match is None or int(match[1]) != MATCHING:
        raise WrongAnswers(f"deletions: {said}")
    asyncio.run(drop(server, "bench_deletions"))
    times = {"match_seconds": float(match[2]), "cycle_seconds": round(seconds, 1), "processor_seconds": round(cpu, 1)}
    result = {"people": people, "entries": entries} | times
    print(f"deletions: {result}", flush=True)
    return result
