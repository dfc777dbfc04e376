"""S1 to S10: the request of each scenario for each contender, and the check of its response.

A path or body has placeholders: {client} a client with a session, {contact} one of its contacts, {user} a user to
list from, {person} an unused number. `load.lua` and `filled` put the same kind of values there.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bench import data

KEY = "bench-app-key"
NAMES = {
    "S1": "one contact by key",
    "S2": "25 contacts, filter and order",
    "S3": "S2 and the count",
    "S4": "25 users, client, credits, subscriptions",
    "S5": "1,000 contacts",
    "S6": "insert a contact",
    "S7": "change a contact",
    "S8": "change a contact, with its client",
    "S9": "insert a contact and two notes",
    "S10": "a batch of ten with references",
}
HIDDEN = {
    "usercontact": "personid",
    "client": "stripe_custid",
    "appuser": "password",
    "usersubscription": "stripe_subid",
}


@dataclass(frozen=True, slots=True)
class Ask:
    """One kind of request to one contender. `right(body, headers)` checks a decoded response."""

    path: str
    right: Callable[[Any, Mapping[str, int], Mapping[str, str]], bool]
    method: str = "GET"
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    staff: bool = False


@dataclass(frozen=True, slots=True)
class Places:
    """The ranges of the placeholders, for one size of data."""

    clients: int
    stride: int  # contacts of client c are c, c + stride, c + 2 stride, ...
    each: int
    users: int

    @classmethod
    def of(cls, scale: float) -> Places:
        large = int(scale * data.LARGE)
        users = large * data.USERS[0] + int(scale * data.SMALL) * data.USERS[1]
        return cls(min(large, data.SESSIONS), large, data.CONTACTS[0], users - 1000)

    def draw(self) -> dict[str, int]:
        client = random.randint(1, self.clients)
        return {
            "client": client,
            "contact": client + self.stride * random.randint(0, self.each - 1),
            "user": random.randint(1, self.users),
            "person": random.randint(10**9, 2**52),
        }


def filled(text: str, places: Mapping[str, int]) -> str:
    for name, value in places.items():
        text = text.replace("{" + name + "}", str(value))
    return text


# -- what is right ---------------------------------------------------------------------------------------------------


def one(row: Mapping[str, Any], places: Mapping[str, int]) -> bool:
    """Check that the body is the requested contact."""
    return int(row["contactid"]) == places["contact"] and row["name"] == f"Person {places['contact']}"


def page(rows: list[Mapping[str, Any]], places: Mapping[str, int], size: int = 25) -> bool:
    """Check for live contacts of the client, newest first."""
    times = [row["createdon"] for row in rows]
    mine = all(int(row["clientid"]) == places["client"] and row["deleted"] == 0 for row in rows)
    return len(rows) == size and mine and times == sorted(times, reverse=True)


def counted(count: int) -> bool:
    """Check the number of live contacts of a large client, of which about 1 in 50 is deleted."""
    return 0.9 * data.CONTACTS[0] <= count <= data.CONTACTS[0]


def nested(rows: list[Any], places: Mapping[str, int], names: tuple[str, str, str]) -> bool:
    """Check for 25 users from the requested one, each with client, credits and subscriptions."""
    client, balances, subscriptions = names
    ids = [int(row["appuserid"]) for row in rows]
    full = all(
        int(row[client]["clientid"]) == int(row["clientid"])
        and len(row[client][balances]) == 1
        and len(row[client][subscriptions]) == 2
        for row in rows
    )
    return len(rows) == 25 and ids == sorted(ids) and ids[0] >= places["user"] and full


# -- the product and the baseline ------------------------------------------------------------------------------------

_RELATIONS = ("client_by_clientid", "usercredit_by_clientid", "usersubscription_by_clientid")
NOTES = "contactnote_by_contactid"
_NEW = '"personid":{person},"name":"New Person","linkedinurl":"https://www.linkedin.com/in/new"'
_STEP = (
    '{"method":"POST","path":"_table/contactnote",'
    '"body":{"resource":[{"contactid":{"$ref":"new.resource.0.contactid"},"text":"One"}]}}'
)
_BATCH = (
    f'{{"requests":[{{"id":"new","method":"POST","path":"_table/usercontact","body":{{"resource":[{{{_NEW}}}]}}}},'
    f"{','.join([_STEP] * 9)}]}}"
)
_PAGE = "filter=(clientid={client})%20and%20(deleted=0)&order=createdon%20desc"


def product() -> dict[str, Ask]:
    table = "/api/v2/leads/_table/usercontact"
    client, balances, subscriptions = _RELATIONS
    users = (
        "/api/v2/leads/_table/appuser?filter=(appuserid%3E={user})&order=appuserid&limit=25"
        f"&related={client}&{client}.related={balances},{subscriptions}"
    )
    return {
        "S1": Ask(f"{table}/{{contact}}", lambda a, p, h: one(a, p) and "personid" not in a),
        "S2": Ask(f"{table}?{_PAGE}&limit=25", lambda a, p, h: page(a["resource"], p)),
        "S3": Ask(
            f"{table}?{_PAGE}&limit=25&include_count=true",
            lambda a, p, h: page(a["resource"], p) and counted(a["meta"]["count"]),
        ),
        "S4": Ask(users, lambda a, p, h: nested(a["resource"], p, _RELATIONS), staff=True),
        "S5": Ask(f"{table}?{_PAGE}&limit=1000", lambda a, p, h: page(a["resource"], p, 1000)),
        "S6": Ask(table, lambda a, p, h: a["resource"][0]["contactid"] > 0, "POST", f'{{"resource":[{{{_NEW}}}]}}'),
        "S7": Ask(
            f"{table}/{{contact}}",
            lambda a, p, h: a["contactid"] == p["contact"],
            "PATCH",
            '{"name":"Person {contact}"}',
        ),
        "S8": Ask(
            f"{table}/{{contact}}?related={client}",
            lambda a, p, h: a["contactid"] == p["contact"] and a[client]["clientid"] == a["clientid"],
            "PATCH",
            '{"name":"Person {contact}"}',
        ),
        "S9": Ask(
            f"{table}?fields=*&related={NOTES}",
            lambda a, p, h: len(a["resource"][0][NOTES]) == 2 and a["resource"][0]["name"] == "New Person",
            "POST",
            f'{{"resource":[{{{_NEW},"{NOTES}":[{{"text":"One"}},{{"text":"Two"}}]}}]}}',
        ),
        "S10": Ask("/api/v2/leads/_batch", lambda a, p, h: _batched(a["responses"]), "POST", _BATCH),
    }


def _batched(responses: list[Any]) -> bool:
    """Check for one contact and nine notes."""
    return len(responses) == 10 and all(r["body"]["resource"][0] for r in responses)


def baseline() -> dict[str, Ask]:
    asks = product()
    plain = {
        "S1": "/contact/{contact}",
        "S2": "/contacts?client={client}&limit=25",
        "S3": "/contacts?client={client}&limit=25&count=1",
        "S4": "/users?from={user}",
        "S5": "/contacts?client={client}&limit=1000",
        "S6": "/contact?client={client}",
        "S7": "/contact/{contact}",
        "S8": "/contact/{contact}?client",
        "S9": "/contact?client={client}",
        "S10": "/batch?client={client}",
    }
    return {s: Ask(plain[s], a.right, a.method, a.body) for s, a in asks.items()}
