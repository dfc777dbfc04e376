"""Sets of IP addresses, and the addresses of this machine."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

MAX_KNOWN = 1000  # addresses looked up before, which need no search


class Networks:
    """Addresses such as `10.0.0.7`, and networks such as `10.0.0.0/8`.

    Raises ValueError if a name is neither.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._networks = [ipaddress.ip_network(name, strict=False) for name in names]
        self._known: dict[str, bool] = {}

    def __contains__(self, text: str) -> bool:
        """Return whether the text is an address of one of the networks, in IPv4-mapped form too."""
        if (known := self._known.get(text)) is not None:
            return known
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return False
        if isinstance(address, ipaddress.IPv6Address):
            address = address.ipv4_mapped or address
        found = any(address in network for network in self._networks)
        if len(self._known) < MAX_KNOWN:
            self._known[text] = found
        return found


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
