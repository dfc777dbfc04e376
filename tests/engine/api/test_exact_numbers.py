"""Numbers of a request reach PostgreSQL and return with every digit."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import httpx2 as httpx
import pytest

from tests.helpers.served import Served
from tests.helpers.support import execute

TABLES = """
create type money_of as (amount numeric, currency text);
create domain price as numeric check (value >= 0);
create table item (id serial primary key, n numeric, p price, ns numeric[], of money_of, ofs money_of[], j json,
                   jb jsonb, jbs jsonb[], t text, f double precision, r real, l bigint, i integer, m money);
create table exact_key (n numeric primary key, v text, back numeric references exact_key);
create function twice(n numeric) returns numeric language sql as 'select n * 2';
"""
LONG = "12345678901234567890.123456789"
NUMBERS = [
    LONG, "-" + LONG, "1.50", "1.0", "0.10", "100", "1e400", "1E+400", "1e-400", "-0.00001", "0.00001", "1e5", "1.5e3",
    "18446744073709551616", "-9223372036854775809", "99999999999999999999999999", "9007199254740993",
    "0.1234567890123456789", "123456789.123456789", "9" * 5000, "0." + "1" * 5000, "9007199254740993.5",
]  # fmt: skip
SERVED = Served(TABLES, under="", PUBLIC_ROUTINES="twice")


def parsed(text: str) -> Any:
    """Parse JSON with each number as text, so that no digit is lost."""
    return json.loads(text, parse_float=str, parse_int=str)


def send(http: httpx.Client, verb: str, url: str, body: str, **headers: str) -> httpx.Response:
    return http.request(verb, url, content=body, headers={"Content-Type": "application/json", **headers})


def made(http: httpx.Client, record: str, fields: str = "*") -> Any:
    response = send(http, "POST", f"/_table/item?fields={fields}", f'{{"resource": [{record}]}}')
    assert response.status_code == 200, response.text
    return parsed(response.text)["resource"][0]


def row(http: httpx.Client, ident: object) -> Any:
    return parsed(http.get(f"/_table/item/{ident}").text)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_is_stored_with_every_digit_in_every_kind_of_field(http: httpx.Client, number: str) -> None:
    plain = number if number[0] != "-" else number[1:]
    stored = made(
        http,
        f'{{"n": {number}, "p": {plain}, "ns": [{number}, null], "of": {{"amount": {number}, "currency": "EUR"}}, '
        f'"ofs": [{{"amount": {number}}}], "j": {{"a": [{number}]}}, "jb": {{"a": {{"b": {number}}}}}, '
        f'"jbs": [{{"c": {number}}}], "t": {number}}}',
    )
    expected = Decimal(number).as_tuple() if "e" not in number.lower() else None
    for place in (
        stored["n"], stored["ns"][0], stored["of"]["amount"], stored["ofs"][0]["amount"], stored["jb"]["a"]["b"],
        stored["jbs"][0]["c"],
    ):  # fmt: skip
        assert Decimal(place) == Decimal(number)
        assert expected is None or Decimal(place).as_tuple() == expected, "the scale is kept"
    assert Decimal(stored["p"]) == Decimal(plain)
    assert stored["j"]["a"][0] == stored["t"] == number


def test_writing_a_record_back_does_not_change_it(http: httpx.Client, url: str) -> None:
    ident = made(http, '{"t": null}')["id"]
    values = (
        f"n = {LONG}, p = 1.500, ns = '{{{LONG},NaN}}', of = ({LONG}, 'x'), jb = '{{\"a\": 1e3, \"b\": {LONG}}}', "
        f'j = \'{{"a":1.50,"b":-0.0,"c":1E+2}}\', f = 0.1, r = 0.1, l = 9223372036854775807, m = 12.34'
    )
    execute(url, f"update item set {values} where id = {ident}")
    before = http.get(f"/_table/item/{ident}").text
    for verb in ("PATCH", "PUT", "PATCH"):  # the third write uses the prepared statement
        assert send(http, verb, f"/_table/item/{ident}", before).status_code == 200
        assert http.get(f"/_table/item/{ident}").text == before
    assert send(http, "PATCH", "/_table/item", f"[{before}]").status_code == 200
    assert send(http, "POST", "/_table/item?upsert=true", f'{{"resource": [{before}]}}').status_code == 200
    assert http.get(f"/_table/item/{ident}").text == before


@pytest.mark.parametrize("special", ["NaN", "Infinity", "-Infinity"])
def test_nan_and_infinity_round_trip_as_text(http: httpx.Client, url: str, special: str) -> None:
    ident = made(http, '{"t": null}')["id"]
    execute(url, f"update item set n = '{special}', f = '{special}', r = '{special}' where id = {ident}")
    before = http.get(f"/_table/item/{ident}").text
    assert send(http, "PATCH", f"/_table/item/{ident}", before).status_code == 200
    assert http.get(f"/_table/item/{ident}").text == before


@pytest.mark.parametrize("form", ["{}", '{{"resource": [{}]}}'])
@pytest.mark.parametrize("zero", ["-0", "-0.0"])
def test_negative_zero_keeps_its_sign(http: httpx.Client, url: str, form: str, zero: str) -> None:
    ident = made(http, '{"t": null}')["id"]
    path = f"/_table/item/{ident}" if form == "{}" else "/_table/item"
    sent = form.format(f'{{"id": {ident}, "f": {zero}, "r": {zero} , "l": -0, "n": {zero}}}')
    assert send(http, "PATCH", path, sent).status_code == 200
    stored = http.get(f"/_table/item/{ident}?fields=f,r,l,n").text
    assert stored in ('{"f":-0,"r":-0,"l":0,"n":0}', '{"f":-0,"r":-0,"l":0,"n":0.0}')


@pytest.mark.parametrize("verb", ["PATCH", "PUT"])
def test_a_change_by_filter_or_ids_keeps_every_digit(http: httpx.Client, verb: str) -> None:
    ident = made(http, '{"t": null}')["id"]
    for rest in (f'"ids": [{ident}]', f'"filter": "id = {ident}"', f'"filter": "id = :i", "params": {{"i": {ident}}}'):
        sent = f'{{{rest}, "resource": [{{"n": {LONG}, "jb": {LONG}}}]}}'
        assert send(http, verb, "/_table/item", sent).status_code == 200
        stored = row(http, ident)
        assert (stored["n"], stored["jb"]) == (LONG, LONG)
        send(http, verb, f"/_table/item/{ident}", '{"n": 0, "jb": 0}')


def test_named_values_and_identifiers_are_compared_with_every_digit(http: httpx.Client) -> None:
    near = LONG[:-1] + "8"
    body = f'{{"resource": [{{"n": {LONG}, "v": "it"}}, {{"n": {near}, "v": "near"}}]}}'
    assert send(http, "POST", "/_table/exact_key", body).status_code == 200
    get = {"X-HTTP-Method": "GET"}
    params = f'{{"filter": "n = :n", "params": {{"n": {LONG}}}}}'
    several = f'{{"filter": "n in :n", "params": {{"n": [{LONG}, 1.5]}}}}'
    for sent in (params, several, f'{{"ids": [{LONG}]}}', f'{{"resource": [{{"n": {LONG}}}]}}'):
        for _ in range(2):
            response = send(http, "POST", "/_table/exact_key", sent, **get)
            assert [record["v"] for record in response.json()["resource"]] == ["it"], sent
    query = http.get("/_table/exact_key", params={"filter": "n = :n", "params": f'{{"n": {LONG}}}'})
    assert [record["v"] for record in query.json()["resource"]] == ["it"]
    listed = http.get("/_table/exact_key", params={"as_list": "true"})
    assert parsed(listed.text)["resource"] == [near, LONG]
    cells = http.get("/_table/exact_key", params={"file": "x.csv"}).text
    assert LONG in cells
    assert near in cells
    child = f'{{"n": {LONG}, "exact_key_by_back": [{{"n": 5.00, "v": "child"}}]}}'
    response = send(http, "PATCH", "/_table/exact_key", f'{{"resource": [{child}]}}')
    assert response.status_code == 200, response.text
    assert parsed(http.get("/_table/exact_key/5").text) == {"n": "5.00", "v": "child", "back": LONG}
    failed = send(http, "POST", "/_table/exact_key?continue=true", f'[{{"n": {LONG}0}}, {{"n": 7.70}}]')
    assert failed.status_code == 400
    assert parsed(failed.text)["error"]["context"]["resource"][1] == {"n": "7.70"}
    by_filter = http.delete("/_table/exact_key", params={"filter": "n = 5", "fields": "*", "related": "*"})
    assert parsed(by_filter.text)["resource"][0]["n"] == "5.00"


def test_a_routine_keeps_every_digit(http: httpx.Client) -> None:
    response = send(http, "POST", "/_func/twice?returns=decimal", f'{{"params": [{LONG}]}}')
    assert response.text == "24691357802469135780.246913578"


def test_an_idempotency_key_distinguishes_requests_by_every_digit(http: httpx.Client) -> None:
    first, second = (f'{{"resource": [{{"n": {LONG}{last}}}]}}' for last in (1, 2))
    key = {"Idempotency-Key": "exact"}
    assert send(http, "POST", "/_table/item", first, **key).status_code == 200
    assert send(http, "POST", "/_table/item", first, **key).headers["Idempotency-Replayed"] == "true"
    assert send(http, "POST", "/_table/item", second, **key).status_code == 422


@pytest.mark.parametrize(
    ("field", "number"),
    [
        ("l", "18446744073709551616"), ("l", "9223372036854775808.0"), ("l", "1e400"), ("l", "1.5"), ("i", "1e10"),
        ("f", "1e400"), ("r", "1e39"), ("n", "1e200000"), ("n", "1e-20000"), ("n", "1e99999999999999999999"),
        ("m", "1e400"), ("n", "1" * 140_000), ("f", "9" * 5000), ("l", "9" * 5000), ("j", "NaN"), ("jb", "Infinity"),
        ("jb", "1e999999"), ("n", "01"), ("n", "1."), ("t", "[1.50]"), ("id", "1.5e"),
    ],
)  # fmt: skip
def test_a_number_out_of_range_is_rejected(http: httpx.Client, field: str, number: str) -> None:
    response = send(http, "POST", "/_table/item", f'{{"resource": [{{"{field}": {number}}}]}}')
    assert response.status_code == 400, response.text


@pytest.mark.parametrize(
    "body", ['{"a": 1e400, "b": "\\ud800"}', "[" * 2000 + "1.50" + "]" * 2000, '{"n": 1.50, "x": "\ud800"}', "1e400,"]
)
def test_an_invalid_json_body_is_rejected_whatever_its_numbers(http: httpx.Client, body: str) -> None:
    sent = body.encode("utf-8", "surrogatepass")
    response = http.request("POST", "/_table/item", content=sent, headers={"Content-Type": "application/json"})
    assert response.status_code == 400, response.text


@pytest.mark.parametrize(
    ("field", "sent", "stored"),
    [("l", "9007199254740993.0", "9007199254740993"), ("l", "5e3", "5000"), ("i", "5.00", "5"), ("f", "0.10", "0.1"),
     ("f", "1e-400", "0"), ("r", "1.50", "1.5"), ("m", "1e2", "100.00"),
     ("l", "9223372036854775807", "9223372036854775807")],
)  # fmt: skip
def test_numbers_are_converted_to_the_type_of_their_column(
    http: httpx.Client, field: str, sent: str, stored: str
) -> None:
    assert made(http, f'{{"{field}": {sent}}}')[field] == stored
