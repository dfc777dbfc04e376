"""Check tax numbers by the rules of their country, as far as python-stdnum knows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module

import pycountry
from stdnum import exceptions
from stdnum.util import get_cc_module

from product.context import Context
from tableapi import FieldError, Invalid

_PUNCTUATION = re.compile(r"[\s./,\u2010-\u2015-]")
_PREFIXED = re.compile(r"([A-Z]{2})([0-9].*|.*[0-9].*)")
# Prefixes that are not the country's code: Greece, Northern Ireland, the one-stop shop for sellers outside the EU.
_OTHER_PREFIXES = {"EL": "GR", "XI": "GB", "EU": "EU"}
_EU = {
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT", "LU", "LV",
    "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
}  # fmt: skip
# Countries of which all schemes are known, so that a number without a prefix is checked, too.
_COMPLETE = _EU | {"CH", "GB", "NO", "US"}
# Schemes beside the VAT number that businesses give, by country.
_SCHEMES = {
    "AT": ("tin", "businessid"), "CH": ("uid",), "DE": ("stnr", "idnr"), "ES": ("cif", "dni", "nie"), "EU": ("oss",),
    "FI": ("ytunnus", "veronumero"), "FR": ("siren", "siret", "nif"), "GB": ("utr",), "IE": ("pps",),
    "IT": ("codicefiscale",), "NL": ("bsn",), "NO": ("orgnr",), "PL": ("regon", "pesel"), "RO": ("cui", "cnp"),
    "SE": ("orgnr", "personnummer"), "US": ("ein",),
}  # fmt: skip
_RESEMBLING = (exceptions.InvalidChecksum, exceptions.InvalidComponent)
_PROBLEMS: tuple[tuple[type[Exception], FieldError], ...] = (
    (
        exceptions.InvalidChecksum,
        FieldError("taxid_checksum", "The check digit does not fit. Look for a mistyped character"),
    ),
    (
        exceptions.InvalidComponent,
        FieldError("taxid_component", "A part of this tax number does not exist. Look for a mistyped character"),
    ),
    (exceptions.InvalidLength, FieldError("taxid_length", "This tax number has too few or too many characters")),
    (exceptions.InvalidFormat, FieldError("taxid_format", "This tax number does not have the form of its country")),
)
PREFIX = FieldError("taxid_prefix", "No country has this prefix. Begin with one such as DE, EL or CHE")
_STORED = "select taxid, country from client where clientid = $1"


@dataclass(frozen=True, slots=True)
class _Stored:
    taxid: str
    country: str | None


async def check(ctx: Context, company: Mapping[str, object]) -> None:
    """Raise Invalid (422) if the tax number among changes of the caller's company is wrong.

    A stored number that is sent again unchanged is not checked, so that other fields can be saved.
    """
    number = company.get("taxid")
    if not isinstance(number, str):
        return
    stored = await ctx.db.one(_Stored, _STORED, ctx.actor.clientid)
    country = str(company.get("country") or stored.country or "")
    if number != stored.taxid and (error := problem(number, country)):
        raise Invalid({"taxid": error})


def problem(number: str, country: str = "") -> FieldError | None:
    """Return what is wrong with a tax number, or None.

    Args:
        country: of the company, as an alpha-3 code. Its rules apply to a number without a prefix.
    """
    text = _PUNCTUATION.sub("", number).upper()
    found = pycountry.countries.get(alpha_3=country.upper()) if country else None
    home = str(found.alpha_2) if found else ""
    if not text or (home and _fits(home, text)):
        return None
    prefix, body = _split(text)
    if prefix:
        return None if _fits(prefix, body) or _fits(prefix, text) else _error(prefix, body)
    if home in _COMPLETE:
        return _error(home, text)
    match = re.match(r"([A-Z]{2})[0-9]", text)
    return PREFIX if match and pycountry.countries.get(alpha_2=match[1]) is None else None


def _split(text: str) -> tuple[str, str]:
    """Return the country that a prefix means, and the rest; empty texts without such a prefix."""
    if text.startswith("CHE"):
        return "CH", text
    match = _PREFIXED.fullmatch(text)
    country = _OTHER_PREFIXES.get(match[1], match[1]) if match else ""
    if match is None or (country not in {*_COMPLETE, "EU"} and not (match[2][0].isdigit() and _validators(country))):
        return "", ""
    return country, match[2]


@cache
def _validators(country: str) -> tuple[Callable[[str], object], ...]:
    """Return the functions that validate a number of a country, the usual scheme first."""
    return tuple(_modules(country))


def _modules(country: str) -> Iterator[Callable[[str], object]]:
    code = country.lower()
    if country != "EU" and (module := get_cc_module(code, "vat")) is not None:
        yield module.validate
    for name in _SCHEMES.get(country, ()):
        yield import_module(f"stdnum.{code}.{name}").validate


def _fits(country: str, number: str) -> bool:
    for validate in _validators(country):
        try:
            validate(number)
        except exceptions.ValidationError:
            continue
        return True
    return False


def _error(country: str, number: str) -> FieldError:
    """Return the error of the usual scheme of a country, or of another that the number resembles."""
    errors: list[Exception] = []
    for validate in _validators(country):
        try:
            validate(number)
        except exceptions.ValidationError as error:
            errors.append(error)
    resembling = [error for error in errors if isinstance(error, _RESEMBLING)]
    return next(problem for kind, problem in _PROBLEMS if isinstance([*resembling, *errors][0], kind))
