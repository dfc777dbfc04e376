"""Generate two thousand fictional people, the same every time.

Addresses use domains reserved for examples, phone numbers use ranges that are not in use.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import islice
from typing import TypedDict

import orjson

from product.context import Context
from product.people import companies, directory
from product.people.directory import COLUMNS, Person
from tableapi import Vault

COUNT = 2000
_STAGE = """
    create temporary table demoperson (profilekey text, full_name text, title text, company text, company_domain text,
        country text, personalcipher bytea, businesscipher bytea, phonecipher bytea, city text, industry text,
        company_size text, seniority text, jobfunction text, verification text, searchable text) on commit drop
"""
_NOT_IN_HOST = re.compile(r"[^a-z.]+")


def _words(text: str, separator: str = " ") -> list[str]:
    return text.split(separator)


_FIRST = _words(
    "Ada Alan Alice Amara Ana Andrei Anja Astrid Beatriz Bilal Björn Carla Carlos Chen Chiara Chloe Claire Daniel "
    "Dara David Diego Dmitri Elena Emeka Emma Erik Farah Fatima Felix Fiona Grace Hana Hassan Hiro Hugo Imani "
    "Ines Isla Ivan Jane Jonas José Julia Kai Karin Kwame Lars Leila Liam Lina Lucía Maeve Marco Maria Mateo Maya "
    "Mei Mia Milan Nadia Naomi Niels Nina Noah Nora Olga Oscar Paula Pedro Priya Quentin Rafael Raj Rosa Ruth "
    "Samira Sara Sofia Søren Stefan Tara Theo Tomás Uma Victor Wanda Wei Yara Yuki Zoe"
)
_LAST = _words(
    "Abara Adeyemi Almeida Andersen Baker Bauer Bianchi Brown Carter Castillo Chen Costa Dubois Eriksen Evans "
    "Fischer Flores Garcia Gruber Haddad Hansen Hoffmann Ibrahim Ito Jansen Johnson Kaya Keller Khan Kim Kowalski "
    "Kumar Larsen Laurent Lee Lopez Maier Martin Mbeki Meyer Moreau Müller Murphy Nakamura Nguyen Novak Okafor "
    "Olsen Patel Petrov Pinto Ramos Reyes Ricci Rossi Santos Sato Schmidt Silva Singh Smith Sørensen Tanaka "
    "Torres Varga Vogel Walker Wang Weber Weiss Yamamoto Young Zhang Zimmermann"
)
_TITLES = _words(
    "Account Executive,Chief Executive Officer,Chief Technology Officer,Customer Success Manager,Data "
    "Engineer,Finance Director,Head of Growth,Head of Sales,HR Business Partner,Marketing Manager,Operations "
    "Lead,Procurement Manager,Product Manager,Sales Director,Software Engineer,VP Engineering,VP Marketing,VP "
    "Sales",
    ",",
)
_COMPANIES = _words(
    "Aurora Freight,Basalt Energy,Bluefin Software,Cedar Health,Cobalt Bank,Copperline,Driftwood Media,Evergrain "
    "Foods,Fernhill Logistics,Glasswing,Granite Works,Harbor Analytics,Ironbark,Juniper Robotics,Kestrel "
    "Aviation,Lighthouse Insurance,Meadow Retail,Northwind Systems,Orchard Labs,Pinecrest Hotels,Quarry "
    "Construction,Riverbend Pharma,Saltmarsh Studios,Summit Telecom,Tidewater Shipping,Umber Design,Vantage "
    "Cloud,Willow Biotech",
    ",",
)
_COUNTRIES = ("USA", "GBR", "DEU", "FRA", "ESP", "ITA", "DNK", "NLD", "IND", "JPN", "BRA", "CAN", "AUS", "SGP", "ZAF")


_INDUSTRIES = (
    "Logistics", "Energy", "Software", "Healthcare", "Banking", "Metals", "Media", "Food", "Logistics", "Software",
    "Construction", "Analytics", "Timber", "Robotics", "Aviation", "Insurance", "Retail", "Software", "Biotech",
    "Hospitality", "Construction", "Pharmaceuticals", "Media", "Telecommunications", "Logistics", "Design", "Software",
    "Biotech",
)  # fmt: skip
_SIZES = ("11-50", "51-200", "201-500", "501-1000", "1001-5000", "5001-10000", "10001+")
_CITIES = {
    "USA": ("New York", "Austin", "Chicago", "Seattle", "Boston"), "GBR": ("London", "Manchester", "Leeds"),
    "DEU": ("Berlin", "Hamburg", "Munich", "Cologne"), "FRA": ("Paris", "Lyon", "Lille"),
    "ESP": ("Madrid", "Barcelona", "Valencia"), "ITA": ("Milan", "Rome", "Turin"), "DNK": ("Copenhagen", "Aarhus"),
    "NLD": ("Amsterdam", "Rotterdam", "Utrecht"), "IND": ("Mumbai", "Bengaluru", "Delhi"), "JPN": ("Tokyo", "Osaka"),
    "BRA": ("São Paulo", "Rio de Janeiro"), "CAN": ("Toronto", "Vancouver", "Montréal"),
    "AUS": ("Sydney", "Melbourne"), "SGP": ("Singapore",), "ZAF": ("Cape Town", "Johannesburg"),
}  # fmt: skip


# With # for a digit: ranges reserved for fiction (NANPA, Ofcom, ACMA, Arcep, Bundesnetzagentur), and in other countries
# ranges that the numbering plan does not assign.
_NUMBERS = {
    "USA": ("+1212555010#", "+1512555011#", "+1312555012#", "+1206555013#", "+1617555014#"),
    "GBR": ("+447700900###", "+442079460###"), "DEU": ("+4917139200##", "+493023125###"),
    "FRA": ("+3363998####", "+3319900####"), "ESP": ("+34555######",), "ITA": ("+39300######",),
    "DNK": ("+456000####",), "NLD": ("+3160000####",), "IND": ("+91220000####",), "JPN": ("+819000######",),
    "BRA": ("+5520912######",), "CAN": ("+1416555015#", "+1604555016#", "+1514555017#"),
    "AUS": ("+6125550####", "+6135550####"), "SGP": ("+653000####",), "ZAF": ("+2799000####",),
}  # fmt: skip


class Example(TypedDict):
    """The fields of a person, with its contact data in clear."""

    profilekey: str
    full_name: str
    title: str
    company: str
    company_domain: str
    country: str
    city: str
    industry: str
    company_size: str
    seniority: str
    personal: list[str]
    business: list[tuple[str, str]]
    phones: list[str]


def people() -> list[Example]:
    """Return the fields of every person."""
    rng = random.Random(2000)  # noqa: S311 - reproducible on purpose
    return [_person(number, rng) for number in range(COUNT)]


@cache
def examples() -> tuple[Example, ...]:
    """Return three people with every kind of data that the demo account has not revealed."""
    chosen = (one for one in people()[1000:] if one["phones"] and one["business"] and one["personal"])
    return tuple(islice(chosen, 3))


def _person(number: int, rng: random.Random) -> Example:
    first, last, company = rng.choice(_FIRST), rng.choice(_LAST), rng.choice(_COMPANIES)
    slug, mailbox = _ascii(f"{first}-{last}"), _ascii(f"{first}.{last}")
    domain = f"{_ascii(company)}.example.com"
    business = [(f"{mailbox}{number}@{domain}", rng.choice(("valid", "valid", "unknown")))]
    if rng.random() < 0.2:
        business.append((f"{_ascii(first)}{number}@{domain}", "unknown"))
    personal = [f"{mailbox}{number}@home.example.net"]
    if rng.random() < 0.15:
        personal.append(f"{_ascii(last)}.{number}@post.example.org")
    drawn = [(rng.randint(201, 989), rng.randint(100, 199)) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    title, country = rng.choice(_TITLES), rng.choice(_COUNTRIES)
    phones = [_phone(country, one) for one in drawn]
    place = random.Random(number)  # noqa: S311 - separate generator, so the other fields do not change
    at = _COMPANIES.index(company)
    return {
        "profilekey": f"in/{slug}-{number:04}",
        "full_name": "=1+1" if number == 0 else f"{first} {last}",
        "title": title,
        "company": company,
        "company_domain": domain,
        "country": country,
        "city": place.choice(_CITIES[country]),
        "industry": _INDUSTRIES[at],
        "company_size": _SIZES[at * 5 % len(_SIZES)],
        "seniority": "",
        "personal": personal if number == 0 or rng.random() < 0.85 else [],
        "business": business if number == 0 or rng.random() < 0.95 else [],
        "phones": phones if number == 0 or rng.random() < 0.8 else [],
    }


def _phone(country: str, drawn: tuple[int, int]) -> str:
    digits = iter(f"{drawn[1]}{drawn[0]}"[::-1])
    ranges = _NUMBERS[country]
    return "".join(next(digits) if sign == "#" else sign for sign in ranges[drawn[1] % len(ranges)])


def _ascii(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("Ø", "O")).encode("ascii", "ignore").decode()
    return _NOT_IN_HOST.sub("-", plain.lower()).strip("-")


async def load(ctx: Context) -> list[Person]:
    """Insert the people that are missing from the directory, and return those with contact data, in order."""
    generated = people()
    rows = [_row(ctx.vault, fields) for fields in generated]
    names = ", ".join(("profilekey", *COLUMNS))
    async with ctx.db.connection() as connection:
        await connection.execute(_STAGE)
        await connection.copy_records_to_table("demoperson", records=rows, columns=("profilekey", *COLUMNS))
        await connection.execute(
            f"insert into person ({names}) select {names.replace('searchable', 'searchable::tsvector')} from demoperson"  # noqa: S608
            " on conflict (profilekey) do nothing"
        )
        await companies.add_up(connection)
        stored = await connection.fetch(
            "select personid, profilekey from person where profilekey = any($1)",
            [fields["profilekey"] for fields in generated],
        )
    ids = {row["profilekey"]: row["personid"] for row in stored}
    persons = [
        Person(
            personid=ids[fields["profilekey"]], key=fields["profilekey"], full_name=fields["full_name"],
            personal=tuple(fields["personal"]), business=tuple(fields["business"]), phones=tuple(fields["phones"]),
        )
        for fields in generated
    ]  # fmt: skip
    return [person for person in persons if person.personal or person.business or person.phones]


def _row(vault: Vault, fields: Example) -> tuple[object, ...]:
    def sealed(values: Sequence[object]) -> bytes | None:
        return vault.seal_bytes(orjson.dumps(values)) if values else None

    phones, business, personal = fields["phones"], fields["business"], fields["personal"]
    ciphers: dict[str, Sequence[object]] = {
        "phonecipher": phones,
        "businesscipher": business,
        "personalcipher": personal,
    }
    columns: dict[str, object] = {**fields, **directory.search_columns_of(vault, fields, phones, business, personal)}
    columns |= {name: sealed(values) for name, values in ciphers.items()}
    return tuple(columns[name] for name in ("profilekey", *COLUMNS))
