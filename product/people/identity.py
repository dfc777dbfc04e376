"""Tell whether a profile address has passed to another person, as a vanity name can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from product.accounts import person_names
from product.people import search_terms


@dataclass(frozen=True, slots=True)
class Known:
    """The texts by which a person is recognized."""

    full_name: str
    company: str
    company_domain: str = ""


def is_other(stored: Known, new: Known) -> bool:
    """Return whether two people differ in both name and company.

    A name in another order, with a title, a further name or an initial is the same; so is a company without its legal
    form, or with the same domain. Without a company, nothing can be told.
    """
    if not (stored.company and new.company):
        return False
    if stored.company_domain and stored.company_domain == new.company_domain:
        return False
    return not (_is_alike(_words(stored.full_name), _words(new.full_name))
                or _is_alike(search_terms.words(stored.company), search_terms.words(new.company)))  # fmt: skip


def _words(name: str) -> list[str]:
    return search_terms.words(" ".join(person_names.split(name)))


def _is_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether every word of the shorter text begins one of the longer, or the other way round."""
    short, long = sorted((one, other), key=len)
    return all(any(a.startswith(b) or b.startswith(a) for b in long) for a in short)
