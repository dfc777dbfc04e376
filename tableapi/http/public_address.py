"""Whether an address is on the public internet, for requests to addresses that a client chose."""

from __future__ import annotations

import ipaddress

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
# Networks that Python considers public: Azure's host address, and protocol assignments with Oracle's metadata service.
_RESERVED = tuple(map(ipaddress.ip_network, ("168.63.129.16/32", "192.0.0.0/24")))
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def is_public_address(text: str) -> bool:
    """Return whether an address is on the public internet, including an IPv4 address embedded in IPv6."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return all(
        part.is_global
        and not (part.is_multicast or part.is_reserved or part.is_unspecified or part.is_loopback or part.is_link_local)
        and not any(part in network for network in _RESERVED)
        for part in (address, *_embedded(address))
        if part not in _NAT64
    )


def _embedded(address: _Address) -> list[ipaddress.IPv4Address]:
    """Return the IPv4 addresses embedded in an IPv6 address: mapped, compatible, 6to4, Teredo, NAT64."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    inside = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64 or int(address) >> 32 == 0:
        inside.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [part for part in inside if part is not None]
