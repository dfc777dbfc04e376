"""A misspelt name in an access file or policy stops the server at start with one line, and exposes nothing."""

from __future__ import annotations

import copy
import json
import operator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tableapi import Access, Rule, Sessions, TableAPI
from tests.helpers.support import NewDatabase, Serve, tableapi

SCHEMA = """
create table product (id integer primary key, name text not null, city text, owner_id integer);
create table login (token bytea primary key, customerid integer not null);
create function twice(n integer) returns integer language sql as 'select 2 * n';
"""
FILE: dict[str, Any] = {
    "comment": "for people",
    "keys": {"KEY-1": {"role": "sales", "user": {"id": 8}}},
    "roles": {"sales": {"access": [
        {"component": "_table/product/*", "verb_mask": 31,
         "filters": [{"name": "owner_id", "operator": "=", "value": "{user.id}"}]},
        {"component": "_func/twice", "verb_mask": 3},
        {"component": "_schema/*", "verb_mask": 1},
        {"component": "_table/pro*", "verb_mask": 1},
    ]}},
}  # fmt: skip
POLICY = '''"""A project of one table."""
import sqlalchemy as sa
from tableapi.auth.policy import Access, Rule, Sessions
def own(table, actor):
    return table.c.owner_id == actor.customerid
POLICY = {"product": Access(read=Rule(rows=own, hidden={"city"}), create=Rule(fields={"name"}))}
SESSIONS = Sessions(lookup="select customerid, 'user' as role from login where token = $1", user="customerid")
'''


@pytest.fixture(scope="module")
def url(module_database: NewDatabase) -> str:
    return module_database(SCHEMA)


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the file with one member changed; a member that is None is removed."""
    file = copy.deepcopy(FILE)
    *parents, last = path.split("/")
    place: Any = file
    for name in parents:
        place = place[int(name)] if isinstance(place, list) else place[name]
    place[last] = value
    return file


FIRST = "roles/sales/access/0"


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (f"{FIRST}/filtres", [], "did you mean 'filters'?"),
        (f"{FIRST}/componnt", "x", "did you mean 'component'?"),
        ("rols", {}, "did you mean 'roles'?"),
        ("keys/KEY-1/rol", "x", "did you mean 'role'?"),
        ("roles/sales/acess", [], "did you mean 'access'?"),
        (f"{FIRST}/component", "_table/prodct/*", "Did you mean 'product'?"),
        (f"{FIRST}/component", "product", "access.json: roles.sales.access.0: "),
        (f"{FIRST}/component", "product", "Did you mean '_table/product/*'?"),
        (f"{FIRST}/component", "_tabel/product/*", "Did you mean '_table'?"),
        (f"{FIRST}/component", "_table/x*", "does not match any table"),
        (f"{FIRST}/component", "_schema/prodct", "Did you mean 'product'?"),
        ("roles/sales/access/1/component", "_func/twic", "Did you mean 'twice'?"),
        (f"{FIRST}/verb_mask", 64, "verb_mask 64"),
        (f"{FIRST}/service", "shp", "Did you mean 'shop'?"),
        (f"{FIRST}/filters", [{"name": "ctiy", "value": "x"}], "Did you mean 'city'?"),
        (f"{FIRST}/filters", [{"name": "city", "operater": "=", "value": "x"}], "did you mean 'operator'?"),
        (f"{FIRST}/filters", [{"name": "city", "operator": "==", "value": "x"}], "unknown operator"),
        (f"{FIRST}/filters", [{"name": "owner_id", "value": "{user.idd}"}], "Did you mean 'user.id'?"),
        (f"{FIRST}/filters", [{"name": "owner_id", "operator": "IN", "value": ["{user.idd}"]}], "user.idd"),
        (f"{FIRST}/filters", [{"name": "owner_id", "operator": "IN", "value": "({user.id}, {user.idd})"}], "user.idd"),
        (f"{FIRST}/filters", [{"name": "owner_id", "value": "many"}], "does not match the column type"),
        ("keys/KEY-1/role", "sale", "not defined"),
        ("anonymous", "guest", "not defined"),
        (f"{FIRST}/filter", [], "did you mean 'filters'?"),
        ("role", {}, "did you mean 'roles'?"),
        ("keys/", {"role": "sales"}, "name a role under 'anonymous'"),
        ("keys/ ", {"role": "sales"}, "name a role under 'anonymous'"),
    ],
)
def test_an_invalid_access_file_is_rejected_with_a_hint(
    url: str, tmp_path: Path, path: str, value: Any, told: str
) -> None:
    (tmp_path / "access.json").write_text(json.dumps(changed(path, value)))
    words = ("serve", "--dataset", f"shop={url}", "--access", "access.json")
    ended = tableapi(*words, cwd=tmp_path, DATA_DIR=tmp_path / "data")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert told in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ('"filters":', '"filters": [], "filters":', "'filters' occurs twice"),
        ('"KEY-1":', '"KEY-1": {"role": "*"}, "KEY-1":', "'KEY-...' occurs twice"),
    ],
)
def test_a_duplicate_json_member_is_rejected(url: str, tmp_path: Path, right: str, wrong: str, told: str) -> None:
    """JSON takes the last one, so rights that were written down would not hold."""
    text = json.dumps(FILE)
    assert right in text
    (tmp_path / "access.json").write_text(text.replace(right, wrong, 1))
    words = ("serve", "--dataset", f"shop={url}", "--access", "access.json")
    ended = tableapi(*words, cwd=tmp_path, DATA_DIR=tmp_path / "data")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert told in ended.stderr


def test_an_empty_key_on_the_command_line_is_rejected(url: str, tmp_path: Path) -> None:
    """A variable that is not set would otherwise let in every request."""
    words = ("serve", "--dataset", f"shop={url}", "--open", "--api-key", "")
    ended = tableapi(*words, cwd=tmp_path, DATA_DIR=tmp_path / "data")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "--api-key: the key is empty" in ended.stderr


def test_a_valid_access_file_starts(url: str, serve: Serve, tmp_path: Path) -> None:
    (tmp_path / "access.json").write_text(json.dumps(FILE))
    serve("--dataset", f"shop={url}", "--access", "access.json", cwd=tmp_path)


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ('hidden={"city"}', 'hidden={"ctiy"}', "Did you mean 'city'?"),
        ('fields={"name"}', 'fields={"nmae"}', "Did you mean 'name'?"),
        ('{"product": ', '{"prodct": ', "Did you mean 'product'?"),
        ("table.c.owner_id", "table.c.owner_idd", "Did you mean 'owner_id'?"),
        ("actor.customerid", "actor.custmerid", "Did you mean 'customerid'?"),
        ('user="customerid"', 'user="userid"', "not a column of its lookup"),
        ("from login", "from logins", "lookup query of SESSIONS fails"),
        ("return table", "raise KeyError('x')\n    return table", "KeyError"),
        ("return table", "table", "it returned None, not a condition. Is a return missing?"),
        ("where token = $1", "", "must have one parameter"),
    ],
)
def test_an_invalid_policy_is_rejected_with_a_hint(
    new_database: NewDatabase, tmp_path: Path, right: str, wrong: str, told: str
) -> None:
    (tmp_path / "schema.sql").write_text(SCHEMA)
    assert right in POLICY
    (tmp_path / "policy.py").write_text(POLICY.replace(right, wrong))
    ended = tableapi("serve", cwd=tmp_path, DATABASE_URL=new_database(), DATA_DIR=tmp_path / "data", WORKER="off")
    assert ended.returncode == 2
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("slip", "told"),
    [
        ("POLICY = []", "POLICY must be a dict of tables and their Access, not list"),
        ("POLICY['product'] = Rule()", "POLICY['product'] must be an Access, not Rule"),
        ("POLICY['product'] = Access(read=True)", "read must be a Rule or a tuple of rules, not bool"),
        ("POLICY['product'] = Access(delete=Rule)", "delete must be a Rule or a tuple of rules, not the class Rule"),
        ("POLICY['product'] = Access(read=Rule(roles=None))", "must name its roles as text"),
        ("SESSIONS = None", "SESSIONS must be a Sessions"),
        ("POLICIES = [POLICY]", "POLICIES must be a dict of roles"),
        ("POLICIES = {'staff': None}", "POLICIES['staff'] must be a dict of tables and their Access, not None"),
    ],
)
def test_a_policy_of_the_wrong_type_is_rejected(project: Path, slip: str, told: str) -> None:
    (project / "policy.py").write_text(f"{POLICY}{slip}\n")
    ended = tableapi("serve", cwd=project, DATABASE_URL="postgresql://127.0.0.1:1/x", DATA_DIR=project / "data")
    assert ended.returncode == 1, ended.stderr
    assert told in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


CONDITIONS: dict[str, Any] = {
    "or": lambda t, a: t.c.owner_id == a.customerid or t.c.city == "x",
    "and": lambda t, a: t.c.owner_id == a.customerid and t.c.city == "x",
    "not": lambda t, a: operator.not_(t.c.owner_id == a.customerid),
    "if": lambda t, a: sa.true() if a.customerid == 1 else sa.false(),
    "in": lambda t, a: t.c.owner_id in (a.customerid, 1),
    "text": lambda t, a: "owner_id = 1",
    "number": lambda t, a: 1,
    "nothing": lambda t, a: None,
}


@pytest.mark.parametrize("slip", sorted(CONDITIONS))
async def test_a_row_rule_that_is_not_a_condition_is_rejected(url: str, slip: str) -> None:
    """SQLAlchemy gives a comparison a truth value, so `a == b or c` is `c`."""
    lookup = Sessions("select customerid, 'user' as role from login where token = $1", user="customerid")
    rule = Rule(rows=CONDITIONS[slip])
    for access in (Access(read=rule), Access(read=Rule(), update=(Rule(editable_in={"name": CONDITIONS[slip]}),))):
        api = TableAPI({"shop": url}, policy={"product": access}, sessions=lookup)
        with pytest.raises(ValueError, match=r"sa\.and_|not a condition"):
            await api.start()
        await api.stop()


async def test_a_single_name_is_one_name(url: str) -> None:
    """A text in place of several names is that name, not the set of its letters, nor every part of it."""
    rules = [Rule(roles="viewclient", hidden="city"), Rule(roles=("client",), fields={"id"})]  # type: ignore[arg-type]
    policy = {"product": Access(read=rules, sealed="name", masked="viewclient")}  # type: ignore[arg-type]
    lookup = Sessions("select convert_from($1, 'utf8') as role, 1 as customerid where false", user="customerid")
    api = TableAPI({"shop": url}, policy=policy, sessions=lookup)
    await api.start()
    access = policy["product"]
    found = {role: access.rule("read", role) for role in ("viewclient", "client", "view", "")}
    assert found == {"viewclient": rules[0], "client": rules[1], "view": None, "": None}
    assert (rules[0].hidden, access.sealed, "client" in access.masked) == ({"city"}, {"name"}, False)
    await api.stop()


async def test_an_invalid_policy_of_a_host_program_is_rejected(url: str) -> None:
    lookup = Sessions("select customerid, 'user' as role from login where token = $1", user="customerid")
    for policy, told in (
        ({"product": Access(read=Rule(hidden={"nme"}))}, "Did you mean 'name'?"),
        ({"prodct": Access(read=Rule())}, "Did you mean 'product'?"),
        ({"product": Access(read=Rule(rows=lambda t, a: t.c.owner_id == a.custmerid))}, "Did you mean 'customerid'?"),
    ):
        api = TableAPI({"shop": url}, policy=policy, sessions=lookup)
        with pytest.raises(ValueError, match="policy") as error:
            await api.start()
        assert told in str(error.value)
        await api.stop()
