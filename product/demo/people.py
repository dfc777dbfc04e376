"""Generate two thousand fictional people, the same every time.

Addresses use domains reserved for examples, phone numbers use ranges reserved for fiction.
"""

from __future__ import annotations

import random
import re
import unicodedata
from typing import Any

import orjson

from product.context import Context
from product.people.directory import Person
from tableapi import Vault

COUNT = 2000
_NOT_IN_HOST = re.compile(r"[^a-z.]+")


def _words(text: str, separator: str = " ") -> list[str]:
    return text.split(separator)


_FIRST = _words(
    "Ada Alan Alice Amara Ana Andrei Anja Astrid Beatriz Bilal Björn Carla Carlos Chen Chiara Chloe Claire Daniel "
    "Dara David Diego Dmitri Elena Emeka Emma Erik Farah Fatima Felix Fiona Grace Hana Hassan Hiro Hugo Imani "
    "Ines Isla Ivan Jane Jonas José Julia Kai Karin Kwame Lars Leila Liam Lina Lucía Maeve Marco Maria Mateo Maya "
    "Mei Mia Milan Nadia Naomi Niels Nina Noah Nora Olga Oscar Paula Pedro Priya Quentin Rafael Raj Rosa Ruth "
    "Samira Sara Sofia Søren Stefan Tara Theo Tomás Uma Victor Wanda Wei Yara Yuki Zoe",
)
_LAST = _words(
    "Abara Adeyemi Almeida Andersen Baker Bauer Bianchi Brown Carter Castillo Chen Costa Dubois Eriksen Evans "
    "Fischer Flores Garcia Gruber Haddad Hansen Hoffmann Ibrahim Ito Jansen Johnson Kaya Keller Khan Kim Kowalski "
    "Kumar Larsen Laurent Lee Lopez Maier Martin Mbeki Meyer Moreau Müller Murphy Nakamura Nguyen Novak Okafor "
    "Olsen Patel Petrov Pinto Ramos Reyes Ricci Rossi Santos Sato Schmidt Silva Singh Smith Sørensen Tanaka "
    "Torres Varga Vogel Walker Wang Weber Weiss Yamamoto Young Zhang Zimmermann",
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


def people() -> list[dict[str, Any]]:
    """Return the fields of every person."""
    rng = random.Random(2000)  # noqa: S311 - reproducible on purpose
    return [_person(number, rng) for number in range(COUNT)]


def _person(number: int, rng: random.Random) -> dict[str, Any]:
    first, last, company = rng.choice(_FIRST), rng.choice(_LAST), rng.choice(_COMPANIES)
    slug, mailbox = _ascii(f"{first}-{last}"), _ascii(f"{first}.{last}")
    domain = f"{_ascii(company)}.example.com"
    business = [(f"{mailbox}{number}@{domain}", rng.choice(("valid", "valid", "unknown")))]
    if rng.random() < 0.2:
        business.append((f"{_ascii(first)}{number}@{domain}", "unknown"))
    personal = [f"{mailbox}{number}@home.example.net"]
    if rng.random() < 0.15:
        personal.append(f"{_ascii(last)}.{number}@post.example.org")
    phones = [f"+1{rng.randint(201, 989)}555{rng.randint(100, 199):04}" for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    return {
        "profilekey": f"in/{slug}-{number:04}",
        "full_name": "=1+1" if number == 0 else f"{first} {last}",
        "title": rng.choice(_TITLES),
        "company": company,
        "company_domain": domain,
        "country": rng.choice(_COUNTRIES),
        "personal": personal if number == 0 or rng.random() < 0.85 else [],
        "business": business if number == 0 or rng.random() < 0.95 else [],
        "phones": phones if number == 0 or rng.random() < 0.8 else [],
    }


def _ascii(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("Ø", "O")).encode("ascii", "ignore").decode()
    return _NOT_IN_HOST.sub("-", plain.lower()).strip("-")


async def load(ctx: Context) -> list[Person]:
    """Insert the people that are missing from the directory, and return those with contact data, in order."""
    generated = people()
    rows = [_row(ctx.vault, fields) for fields in generated]
    columns = ("profilekey", "full_name", "title", "company", "company_domain", "country", "personalcipher",
               "businesscipher", "phonecipher")  # fmt: skip
    async with ctx.db.connection() as connection:
        await connection.execute("create temporary table demoperson (like person including defaults) on commit drop")
        await connection.execute("alter table demoperson alter personid drop not null")
        await connection.copy_records_to_table("demoperson", records=rows, columns=columns)
        names = ", ".join(columns)
        await connection.execute(
            f"insert into person ({names}) select {names} from demoperson on conflict (profilekey) do nothing"  # noqa: S608
        )
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


def _row(vault: Vault, fields: dict[str, Any]) -> tuple[Any, ...]:
    def sealed(values: list[Any]) -> bytes | None:
        return vault.seal_bytes(orjson.dumps(values)) if values else None

    texts = (
        fields["profilekey"],
        fields["full_name"],
        fields["title"],
        fields["company"],
        fields["company_domain"],
        fields["country"],
    )
    return (*texts, sealed(fields["personal"]), sealed(fields["business"]), sealed(fields["phones"]))
