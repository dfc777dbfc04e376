"""Error messages: the reasons inside a batch, words instead of verbs, and what to send instead."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tableapi import Access, Rule, TableAPI
from tableapi.auth.authenticators import Authenticator
from tableapi.auth.policy import Actor
from tableapi.cli.progress import ProgressBar
from tests.helpers.served import Served
from tests.helpers.support import Serve, tableapi

TABLES = """
create table customer (id int primary key, email text unique, age int check (age > 0));
create table purchase (id int primary key, customer_id int not null references customer);
insert into customer values (1, 'ada@example.com', 30)
"""
SERVED = Served(TABLES, dataset="shop", under="/")


@pytest.fixture(scope="module")
def keyed(url: str, module_serve: Serve) -> str:
    return module_serve("--dataset", f"shop={url}", "--open", "--api-key", "KEY").url


@pytest.mark.parametrize(
    ("table", "record", "reason"),
    [
        ("customer", {"id": 1}, "duplicate"),
        ("customer", {"id": 2, "email": "ada@example.com"}, "duplicate"),
        ("customer", {"id": 2, "age": -1}, "check"),
        ("purchase", {"id": 1, "customer_id": 9}, "reference"),
        ("purchase", {"id": 1}, "required"),
    ],
)
def test_a_batch_reports_the_reason_of_each_failure(base: str, table: str, record: dict[str, Any], reason: str) -> None:
    response = httpx2.post(f"{base}/api/v2/shop/_table/{table}", json={"resource": [record]})
    context = response.json()["error"]["context"]
    assert (response.status_code, context["error"], context["reasons"]) == (400, [0], [reason])


def test_full_rights_include_the_name_of_a_violated_check(base: str) -> None:
    response = httpx2.patch(f"{base}/api/v2/shop/_table/customer/1", json={"age": -1})
    context = response.json()["error"]["context"]
    assert (response.status_code, context["reason"]) == (400, "check")
    assert 'check constraint "customer_age_check"' in context["postgres"]


def test_reasons_follow_the_order_of_the_failed_positions(base: str) -> None:
    records = [{"id": 1}, {"id": 5}, {"id": 6, "age": -1}]
    response = httpx2.post(f"{base}/api/v2/shop/_table/customer?continue=true", json={"resource": records})
    context = response.json()["error"]["context"]
    assert (context["error"], context["reasons"]) == ([0, 2], ["duplicate", "check"])


@pytest.mark.parametrize("path", ["config/nothing", "_spec/nothing"])
def test_an_unknown_path_is_quoted_in_the_error(base: str, path: str) -> None:
    response = httpx2.get(f"{base}/api/v2/{path}")
    assert (response.status_code, response.json()["error"]["message"]) == (404, f"Unknown path '/api/v2/{path}'.")


@pytest.mark.parametrize(("path", "meant"), [("_tabel/customer", "_table"), ("_shema", "_schema"), ("_fnc/x", "_func")])
def test_a_misspelt_part_of_a_database_gets_a_suggestion(base: str, path: str, meant: str) -> None:
    response = httpx2.get(f"{base}/api/v2/shop/{path}")
    error = response.json()["error"]
    assert (response.status_code, error["context"]["reason"]) == (404, "unknown_resource")
    assert f"Did you mean '{meant}'?" in error["message"]


class ByHeader(Authenticator):
    """Authenticates requests by a header with a role."""

    async def actor(self, headers: Mapping[str, str], ip: str) -> Actor:
        return Actor(headers.get("x-role", ""))


POLICY = {
    "customer": Access(read=Rule(), create=Rule(roles=("clerk",))),
    "purchase": Access(read=Rule(roles=("clerk",))),
}


async def _send(url: str, method: str, table: str, role: str) -> httpx2.Response:
    base = TableAPI({"shop": url}, policy=POLICY, authenticator=ByHeader())
    headers = {"X-Role": role} if role else {}
    async with base.lifespan():
        transport = httpx2.ASGITransport(app=base)
        async with httpx2.AsyncClient(transport=transport, base_url="http://test", headers=headers) as http:
            return await http.request(
                method, f"/api/v2/shop/_table/{table}", json={"resource": []} if method == "POST" else None
            )


@pytest.mark.parametrize(
    ("method", "table", "role", "status", "text"),
    [
        ("GET", "purchase", "", 401, "Authentication is required. Send your credentials."),
        ("GET", "customer", "", 401, "Authentication is required. Send your credentials."),
        ("GET", "purchase", "visitor", 403, "not allowed to read 'purchase'"),
        ("POST", "customer", "visitor", 403, "not allowed to create records in 'customer'"),
        ("GET", "customer", "anyone", 200, ""),
        ("GET", "purchase", "clerk", 200, ""),
    ],
)
async def test_a_host_program_with_its_own_authentication(
    url: str, method: str, table: str, role: str, status: int, text: str
) -> None:
    response = await _send(url, method, table, role)
    assert response.status_code == status, response.text
    assert text in response.text


def test_check_reports_unknown_settings(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("APP_KEY=x\nSECRET_KEYS=secret\nPGPASSWORD=x\nNONSENSE=1\n")
    shown = tableapi("check", cwd=tmp_path).stdout
    assert "note: .env: unknown setting APP_KEY. Did you mean 'APP_KEYS'?" in shown
    assert "note: .env: unknown setting NONSENSE." in shown
    assert "PGPASSWORD" not in shown


class Terminal(io.StringIO):
    """An output that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_redrawn_on_a_terminal_and_not_in_a_file() -> None:
    terminal, file = Terminal(), io.StringIO()
    for out in (terminal, file):
        bar = ProgressBar("Loading", 100, out)
        for done in range(100):
            bar.at(done, done)
        bar.end(100)
    assert terminal.getvalue().startswith("\rLoading [")
    assert "\r" not in file.getvalue()
    assert file.getvalue().count("\n") == 1
    assert "100 %" in file.getvalue()


@pytest.mark.parametrize("name", ["api_key", "API_KEY", "apikey", "session_token", "token", "access_token"])
@pytest.mark.parametrize("path", ["shop/_table/customer", "shop/_spec", "_spec", "shop/_func", ""])
def test_credentials_in_the_url_are_answered_with_the_header(keyed: str, path: str, name: str) -> None:
    response = httpx2.get(f"{keyed}/api/v2/{path}", params={"limit": "1", name: "KEY"})
    error = response.json()["error"]
    assert (response.status_code, error["context"]["reason"]) == (401, "no_key")
    assert error["message"].startswith("Send the key in the header X-API-Key")
    assert "URLs are logged" in error["message"]
    assert "KEY" not in error["message"].replace("X-API-KEY", "")


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("_table/customer?id=eq.1", "Write a condition on a column as filter=id = 1."),
        ("_table/customer?id=not.eq.1", "filter=NOT id = 1."),
        ("_table/customer?age=in.(1,2)", "filter=age IN (1,2)."),
        ("_table/customer?email=is.null", "filter=email IS null."),
        ("_table/customer?order=id.desc", "Write a direction after a blank: id DESC."),
        ("_table/customer?order=age.asc.nullslast", "age ASC."),
        ("_table/customer?select=id,purchase(id)", "Write related=purchase_by_customer_id for related records."),
        ("rpc/add", "Call a function at _func/NAME."),
    ],
)
def test_the_form_of_another_api_is_answered_with_ours(base: str, path: str, hint: str) -> None:
    response = httpx2.get(f"{base}/api/v2/shop/{path}")
    assert response.status_code in (400, 404)
    assert hint in response.json()["error"]["message"], response.text
