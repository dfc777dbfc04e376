"""The result of one use, the stricter of two results, and the key of an address."""

from __future__ import annotations

import pytest

from tableapi.errors import TooMany
from tableapi.ratelimit import counter
from tableapi.ratelimit.counter import Hit, count_use, limit_headers, network, outcome, tighter


@pytest.mark.parametrize(
    ("count", "amount", "expected"),
    [
        (1, 3, Hit(3, 2, 9.0, True)),
        (3, 3, Hit(3, 0, 9.0, True)),
        (4, 3, Hit(3, 0, 9.0, False)),
    ],
)
def test_a_use_above_the_amount_is_not_allowed(count: int, amount: int, expected: Hit) -> None:
    assert outcome(count, amount, 9.0) == expected


FEW, MANY = Hit(3, 1, 9.0, True), Hit(9, 8, 9.0, True)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [(None, None, None), (FEW, None, FEW), (None, FEW, FEW), (FEW, MANY, FEW), (MANY, FEW, FEW)],
)
def test_the_tighter_of_two_limits_is_chosen(left: Hit | None, right: Hit | None, expected: Hit | None) -> None:
    assert tighter(left, right) is expected


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("unix:/run/socket", "unix:/run/socket"),
        ("", ""),
    ],
)
def test_ipv6_addresses_share_the_key_of_their_network(address: str, key: str) -> None:
    assert network(address) == key


def test_limit_headers_state_limit_remaining_uses_and_reset() -> None:
    assert limit_headers(Hit(3, 2, 99.9, True)) == {
        "X-RateLimit-Limit": "3",
        "X-RateLimit-Remaining": "2",
        "X-RateLimit-Reset": "99",
    }


def test_a_use_above_the_limit_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counter, "_counter", counter.LocalCounter())
    assert count_use("a", "x", 1, 60).remaining == 0

    with pytest.raises(TooMany) as refused:
        count_use("a", "x", 1, 60)

    assert refused.value.headers["X-RateLimit-Remaining"] == "0"
    assert int(refused.value.headers["Retry-After"]) in range(1, 61)
