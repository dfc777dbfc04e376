"""The search terms of people and companies, and the queries of filters.

A term is a letter for the field, a colon and a word: `t:sales`, `y:usa`. Terms are the words of `person.searchable`, a
tsvector, so one index serves every combination of filters, and a query is a tsquery. Terms never contain contact
values; `m:` has the keyed hash of an address, which filters cannot use.
"""

from __future__ import annotations

import gettext
import re
import unicodedata
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import pycountry

from product import emails
from product.people import job_titles
from tableapi import Vault, suggestion

KINDS = ("directdial", "businessemail", "personalemail")
VERIFICATIONS = ("valid", "accept_all", "risky", "unknown", "invalid")
_WORD = re.compile(r"\w+")
_DOMAIN = re.compile(r"[\w-]+(?:\.[\w-]+)+")
_SITE = re.compile(r"(?:[a-z]+:/*)?(?:www\.)?", re.IGNORECASE)
_PATH = re.compile("[/?#:]")
_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ß": "ss", "ł": "l", "đ": "d", "ı": "i"})
LANGUAGES = ("de", "fr", "es", "it", "nl", "pt", "pl", "sv", "da", "nb_NO", "fi", "cs", "tr")  # of names of countries
_USUAL = {
    "UK": "gbr", "U.K.": "gbr", "Great Britain": "gbr", "Britain": "gbr", "England": "gbr", "Scotland": "gbr",
    "Wales": "gbr", "Northern Ireland": "gbr", "U.S.": "usa", "U.S.A.": "usa", "America": "usa",
    "United States of America": "usa", "UAE": "are", "Emirates": "are", "Russia": "rus", "Holland": "nld",
    "Turkey": "tur", "Korea": "kor", "Republic of Korea": "kor", "Brunei": "brn", "Cape Verde": "cpv",
    "Ivory Coast": "civ", "Swaziland": "swz", "Macedonia": "mkd", "Burma": "mmr", "Palestine": "pse",
    "Hong Kong SAR": "hkg", "Macau": "mac", "Vatican": "vat", "Congo": "cog", "DR Congo": "cod",
    "Kosovo": "xkx",  # not in ISO 3166; the code is reserved for users, and this one is usual
}  # fmt: skip
_HASH_BYTES = 12
MAX_WORDS = 12  # per text


def words(text: str) -> list[str]:
    """Split a text into words in lower case, without accents."""
    text = text.lower()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_LETTERS))
        text = "".join(letter for letter in text if not unicodedata.combining(letter)).lower()
    return [word[:60] for word in _WORD.findall(text.replace("_", " "))][:MAX_WORDS]


@lru_cache(maxsize=50_000)
def phrase(text: str) -> str:
    """Return a text to be compared as a whole, with single spaces between its words."""
    return " ".join(words(text))


def _of_words(letter: str, text: str) -> list[str]:
    return [f"'{letter}:{word}'" for word in words(text)]


def _of_phrase(letter: str, text: str) -> list[str]:
    value = phrase(text)
    return [f"'{letter}:{value}'"] if value else []


def domain_of(site: str) -> str:
    """Return the domain in the address of a company's site."""
    return _PATH.split(_SITE.sub("", site.strip(), count=1), maxsplit=1)[0].rstrip(".").lower()


def is_domain(text: str) -> bool:
    """Whether a text has the form of a domain."""
    return _DOMAIN.fullmatch(text) is not None


def _of_domain(domain: str) -> list[str]:
    domain = domain_of(domain)
    return [f"'d:{domain}'"] if is_domain(domain) else []


def email_hash(vault: Vault, address: str, hashed: bytes | None = None) -> bytes:
    """Return the keyed hash by which people and contacts with an address are found."""
    return (hashed or vault.index("email", emails.normal(address)))[:_HASH_BYTES]


def email_hashes(vault: Vault, address: str) -> list[bytes]:
    """Return these hashes under every key, and those that former versions made of a domain in Unicode."""
    return [
        email_hash(vault, address, hashed)
        for spelling in emails.spellings(address)
        for hashed in vault.indexes("email", spelling)
    ]


def email_term(vault: Vault, address: str, hashed: bytes | None = None) -> str:
    """Return the term for an address, a keyed hash by which its person is found."""
    return _email_term(email_hash(vault, address, hashed))


def _email_term(hashed: bytes) -> str:
    return f"'m:{urlsafe_b64encode(hashed).decode()}'"


def email_query(vault: Vault, address: str) -> str:
    """Return the query for people with an address, hashed under any key."""
    return " | ".join(sorted({_email_term(hashed) for hashed in email_hashes(vault, address)}))


@lru_cache(maxsize=100_000)
def of_company(company: str, domain: str, industry: str, size: str) -> str:
    return " ".join((*_of_words("c", company), *_of_domain(domain), *_of_phrase("u", industry), *_of_phrase("s", size)))


@lru_cache(maxsize=10_000)
def country_code(text: str) -> str:
    """Return the lower-case code of a country, given its name or code; unknown text is returned unchanged."""
    try:
        return str(pycountry.countries.lookup(text.strip()).alpha_3).lower()
    except LookupError:
        plain = phrase(text)
        return _names().get(plain.removeprefix("the "), plain)


@lru_cache(maxsize=10_000)
def country_known(text: str) -> str:
    """Return the code of a country as ISO 3166 writes it, such as DEU; unknown text is returned unchanged."""
    code = country_code(text).upper()
    return code if pycountry.countries.get(alpha_3=code) is not None else text


def country_like(text: str) -> str:
    """Return " Did you mean '...'?" for the country with the closest name, or ""."""
    return suggestion(text, [getattr(country, "common_name", country.name) for country in pycountry.countries])


def is_country(text: str) -> bool:
    """Whether a text is the name or the code of a country."""
    code = country_code(text)
    return code in _USUAL.values() or pycountry.countries.get(alpha_3=code.upper()) is not None


def country_name(text: str) -> str:
    """Return the English name of a country, given its name or code; unknown text is unchanged."""
    country = pycountry.countries.get(alpha_3=country_code(text).upper())
    return text if country is None else str(getattr(country, "common_name", country.name))


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    """Return the codes of countries by names that ISO 3166 lacks: usual and translated ones."""
    names: dict[str, str] = {}
    translations = [gettext.translation("iso3166-1", pycountry.LOCALES_DIR, languages=[one]) for one in LANGUAGES]
    for translation in (gettext.NullTranslations(), *translations):
        for country in pycountry.countries:
            for name in (country.name, getattr(country, "common_name", "")):
                if name and (plain := phrase(translation.gettext(name))):
                    names.setdefault(plain, country.alpha_3.lower())
    return names | {phrase(name): code for name, code in _USUAL.items()}


@lru_cache(maxsize=50_000)
def of_place(country: str, city: str) -> str:
    return " ".join((*([f"'y:{country_code(country)}'"] if phrase(country) else ()), *_of_phrase("i", city)))


@lru_cache(maxsize=100_000)
def of_job(title: str, seniority: str, function: str) -> str:
    return " ".join((
        *_of_words("t", title),
        *([f"'e:{seniority}'"] if seniority else ()),
        *([f"'f:{function}'"] if function else ()),
    ))  # fmt: skip


def of_name(name: str) -> str:
    """Return the terms of a name, which are rarely shared."""
    return "'n:" + "' 'n:".join(words(name)) + "'"


# Queries --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Term:
    """A term to look for, or a prefix of one."""

    text: str
    prefix: bool = False

    def __str__(self) -> str:
        return f"'{self.text}'" + (":*" if self.prefix else "")


# A filter: any of these alternatives, of which a row has all terms.
Condition = tuple[tuple[Term, ...], ...]
NOTHING = Term("x:")  # no row has it


def _all(letter: str, texts: Iterable[str]) -> tuple[Term, ...]:
    return tuple(Term(f"{letter}:{text}") for text in texts) or (NOTHING,)


def _prefixes(letter: str, text: str) -> tuple[Term, ...]:
    """Return the terms for prefixes of the words in a text; numbers are matched whole."""
    return tuple(Term(f"{letter}:{word}", len(word) > 1 and not word.isdigit()) for word in words(text)) or (NOTHING,)


def _company(value: str) -> Condition:
    domain = domain_of(value)
    return (_all("c", words(value)), *([_all("d", [domain])] if is_domain(domain) else []))


def _alternatives(name: str, texts: Sequence[str]) -> Condition:
    match name:
        case "name" | "title":
            return tuple(_prefixes(name[0], text) for text in texts)
        case "company":
            return tuple(terms for text in texts for terms in _company(text))
        case "seniority":
            return tuple(_all("e", [job_titles.canonical(text)]) for text in texts)
        case "function":
            return tuple(_all("f", [job_titles.canonical(text)]) for text in texts)
        case "country":
            return tuple(_all("y", [country_code(text)]) for text in texts)
        case _:
            return tuple(_all(_PHRASES[name], [phrase(text)]) for text in texts)


_PHRASES = {"company_size": "s", "industry": "u", "city": "i"}


def conditions(filters: Mapping[str, str | list[str]]) -> list[Condition]:
    """Return the conditions of the filters that are set."""
    return [
        _alternatives(name, [value] if isinstance(value, str) else value) for name, value in filters.items() if value
    ]


def _text(condition: Condition) -> str:
    return f"({' | '.join(_joined(terms) for terms in condition)})"


def _joined(terms: Iterable[Term]) -> str:
    return f"({' & '.join(map(str, terms))})"


def tsquery(included: Iterable[Condition], excluded: Iterable[Condition] = ()) -> str:
    """Return the tsquery of conditions; "" if there are none."""
    return " & ".join([*map(_text, included), *(f"!{_text(condition)}" for condition in excluded)])


def exact_name(name: str) -> str:
    """Return the query for people with every word of a name."""
    return _joined(_all("n", words(name)))


def company_prefixes(text: str) -> str:
    """Return the query for companies, by prefixes of the words in a name."""
    return _joined(_prefixes("c", text))
