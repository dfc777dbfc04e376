"""Requests to the product: every role on every table and call, with valid, foreign and malformed input."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import policy
from tableapi.ratelimit import counter
from tests.helpers.product import API, TABLE, Product
from tests.helpers.rights import KEYS, furnish
from tests.system.replay.recording import Exchange, exchange

READS: tuple[dict[str, str], ...] = (
    {}, {"fields": "*", "limit": "2"}, {"count_only": "true"}, {"include_count": "true", "limit": "1"},
    {"related": "*", "limit": "2"}, {"filter": "nothing = 1"}, {"filter": "(("}, {"order": "nothing"},
    {"ids": "1,2,999999"},
)  # fmt: skip
BODIES: tuple[Any, ...] = (
    {},
    {"resource": []},
    {"resource": [{"clientid": 1, "name": "x"}]},
    [1, 2],
    {"email": 5, "type": None},
)


async def requests(product: Product) -> AsyncIterator[Exchange]:
    """Yield the exchanges; two accounts with rows in every table must be the only ones."""
    product.app.state.limited = False
    counter.use(counter.LocalCounter())  # other tests of this process have clients of the same numbers
    victim, own, fresh = await product.account(), await product.account(), await product.account()
    await furnish(product, victim, "theirs")
    await furnish(product, own, "ours")
    await product.db.execute("update appuser set isverified = 0 where appuserid = $1", fresh.owner.appuserid)
    callers = {
        "nobody": product.caller(key=""),
        "key": product.caller(),
        "unverified": fresh.owner.http,
        "member": (await own.user()).http,
        "admin": (await own.user("admin")).http,
        "owner": own.owner.http,
    }
    tables = sorted({*policy.POLICY, "person", "reveal", "nothing"})
    for role, http in callers.items():
        for table in tables:
            for number, options in enumerate(READS):
                response = await http.get(TABLE + table, params=options)
                yield exchange(f"{role} GET {table} {number}", response, days=True)
            key = KEYS.get(table, "id")
            writes: tuple[tuple[str, str, Any], ...] = (
                ("GET", f"{table}/999999", None),
                ("PATCH", f"{table}/999999", {"name": "x"}),
                ("PATCH", table, {"resource": [{key: 999999, "isactive": 0}]}),
                ("DELETE", f"{table}/999999", None),
                ("DELETE", table, None),
                ("POST", table, {"resource": [{"nothing": 1}]}),
                ("POST", table, {}),
            )
            for verb, path, body in writes:
                response = await http.request(verb, TABLE + path, json=body)
                yield exchange(f"{role} {verb} {path} {len(str(body))}", response, days=True)
        for endpoint in sorted(product.scripts, key=lambda one: (one.name, one.method)):
            path = API + endpoint.name.replace("{", "").replace("}", "")
            for number, body in enumerate(BODIES if endpoint.method != "GET" else BODIES[:1]):
                if endpoint.name in ("user/session", "desk/session") and endpoint.method == "DELETE":
                    continue  # it ends the session that the other requests need
                response = await http.request(endpoint.method, path, json=body if endpoint.method != "GET" else None)
                yield exchange(f"{role} {endpoint.method} {endpoint.name} {number}", response, days=True)
    product.app.state.limited = True
