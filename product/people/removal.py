"""The removal list: keyed hashes of profile keys, addresses and identifiers from California's DROP.

DROP (Delete Request and Opt-out Platform) publishes unkeyed hashes: SHA-256 over a standardized address or number, in
Base64. A number of ten digits can be guessed from such a hash, so it is stored hashed once more with a key.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence

from product import emails
from product.context import Context
from product.people import phones as phone_numbers
from tableapi import Vault

EMAIL, PHONE = "Email", "Phone"  # DROP lists with identifiers that the directory contains
KINDS = {EMAIL: "dropemail", PHONE: "dropphone"}  # in the table `suppression`
_PHONE_DIGITS = 10

# Shared by imports while they read the list and write people; exclusive for a change to the list, which must see all.
LOCK = 7_201_598
_LISTED = "select exists (select 1 from suppression where hash = any($1) and kind <> 'profile')"


def email_hash(address: str) -> str:
    """Return DROP's hash of an address: without white space, in lower case."""
    return _hash("".join(address.split()).lower())


def phone_hash(number: str) -> str:
    """Return DROP's hash of a number: its last ten digits, without an extension."""
    bare = phone_numbers.without_extension(number)
    return _hash("".join(letter for letter in bare if letter in "0123456789")[-_PHONE_DIGITS:])


def _hash(text: str) -> str:
    return b64encode(hashlib.sha256(text.encode()).digest()).decode()


def stored_hash(vault: Vault, listed: str, hashed: str) -> bytes:
    """Return the stored form of a hash from a DROP list."""
    return vault.index(f"drop:{listed}", hashed)


def drop_hashes(vault: Vault, addresses: Iterable[str], phones: Iterable[str]) -> Iterator[bytes]:
    """Yield the stored DROP hashes, under every key, for a person with these values."""
    for address in addresses:
        for spelling in emails.spellings(address):  # a consumer may have given DROP either
            yield from vault.indexes(f"drop:{EMAIL}", email_hash(spelling))
    for number in phones:
        yield from vault.indexes(f"drop:{PHONE}", phone_hash(number))


def hashes(vault: Vault, addresses: Sequence[str], phones: Sequence[str] = ()) -> list[bytes]:
    """Return every hash under which the removal list may contain a person with these values."""
    spellings = [spelling for address in addresses for spelling in emails.spellings(address)]
    own = [hashed for spelling in spellings for hashed in vault.indexes("email", spelling)]
    return [*own, *drop_hashes(vault, addresses, phones)]


async def lists(ctx: Context, addresses: Sequence[str], phones: Sequence[str] = ()) -> bool:
    """Return whether the removal list contains any of the addresses and numbers."""
    return bool(await ctx.db.fetchval(_LISTED, hashes(ctx.vault, addresses, phones)))
