"""Turn the numbers of several rounds into a Markdown table and a dictionary."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict
from statistics import median
from typing import Any

from bench.load import Result
from bench.scenarios import NAMES

Runs = Mapping[str, Mapping[str, list[Result]]]  # scenario -> contender -> one result per round
# Targets: the smallest ratio to the hand-written handler and to the best peer (docs/explanation/performance.md).
OF_BASELINE = {"S1": 1.25, "S2": 1.1, "S3": 1.05, "S4": 1.0, "S5": 1.0, "S6": 1.05, "S7": 1.0}  # the others: none
OF_EARLIER = 0.97
OF_PEERS = {"S1": 1.8, "S2": 2.1, "S3": 2.1, "S4": 3.2, "S5": 1.2, "S6": 1.25, "S7": 1.2}


def summary(runs: Runs) -> dict[str, Any]:
    """Return medians over the rounds, the spread of the rate, and the medians of each round's ratios."""
    scenarios: dict[str, Any] = {}
    for scenario, contenders in runs.items():
        rows: dict[str, Any] = {}
        for name, results in contenders.items():
            columns = [asdict(result) for result in results]
            rows[name] = {key: round(median(c[key] for c in columns), 2) for key in columns[0]}
            rates = [result.rate for result in results]
            rows[name]["spread"] = round((max(rates) - min(rates)) / median(rates), 3)
            rows[name]["rates"] = rates
        ours = contenders["tableapi"]
        for name, results in contenders.items():
            if name != "tableapi":
                pairs = list(zip(ours, results, strict=True))
                rows[name]["ratio"] = round(median(a.rate / b.rate for a, b in pairs), 3)
                rows[name]["cpu_ratios"] = [round(a.server / b.server, 2) for a, b in pairs]
                rows[name]["cpu_ratio"] = median(rows[name]["cpu_ratios"])
        scenarios[scenario] = rows
    return scenarios


def lines(results: Mapping[str, Any], commits: Collection[str] = ()) -> list[str]:
    """Format the summary as a Markdown table. `commits` are contenders: earlier versions of tableapi."""
    head = "| | | req/s | spread | p50 ms | p99 ms | server us | PostgreSQL us | stolen | tableapi is | must be |"
    head += " server CPU |"
    items = [head, "|" + " --- |" * (head.count("|") - 1)]
    for scenario, rows in results.items():
        peers = _peers(rows, commits)
        best = max(peers, key=lambda name: peers[name]["rate"], default="")
        for name, row in rows.items():
            must = ""
            if name == "baseline":
                must = f">= {OF_BASELINE[scenario]}x" if scenario in OF_BASELINE else ""
            elif name in commits:
                must = f">= {OF_EARLIER}x"
            elif name == best and scenario in OF_PEERS:
                must = f">= {OF_PEERS[scenario]}x"
            ratio = f"{row['ratio']:.2f}x" if "ratio" in row else ""
            cpu = f"{row['cpu_ratio']:.2f} ({' '.join(map(str, row['cpu_ratios']))})" if "cpu_ratio" in row else ""
            what = f"{scenario} {NAMES[scenario]}" if name == "tableapi" else ""
            items.append(
                f"| {what} | {name} | {row['rate']:,.0f} | {row['spread']:.0%} | {row['p50']:.1f} | {row['p99']:.0f} |"
                f" {row['server']:.0f} | {row['postgres']:.0f} | {row['stolen']:.0%} | {ratio} | {must} | {cpu} |"
            )
    return items


def _peers(rows: Mapping[str, Any], commits: Collection[str]) -> dict[str, Any]:
    """Return the rows of other programs."""
    return {name: row for name, row in rows.items() if name not in ("tableapi", "baseline", *commits)}


def missed(results: Mapping[str, Any], commits: Collection[str] = ()) -> list[str]:
    """Return the targets that were missed."""
    misses = []
    for scenario, rows in results.items():
        peers = _peers(rows, commits)
        misses += [
            f"{scenario}: {rows[commit]['ratio']:.2f} of {commit}, {OF_EARLIER} wanted"
            for commit in commits
            if commit in rows and rows[commit]["ratio"] < OF_EARLIER
        ]
        if scenario not in OF_BASELINE:
            continue
        if rows["baseline"]["ratio"] < OF_BASELINE[scenario]:
            misses.append(
                f"{scenario}: {rows['baseline']['ratio']:.2f} of the baseline, {OF_BASELINE[scenario]} wanted"
            )
        for name, row in peers.items():
            if row["rate"] == max(p["rate"] for p in peers.values()) and row["ratio"] < OF_PEERS[scenario]:
                misses.append(f"{scenario}: {row['ratio']:.2f} times {name}, {OF_PEERS[scenario]} wanted")
        for name, row in [("baseline", rows["baseline"]), *peers.items()]:
            if row["p99"] < rows["tableapi"]["p99"]:
                misses.append(f"{scenario}: p99 {rows['tableapi']['p99']:.0f} ms, {name} has {row['p99']:.0f} ms")
    return misses
