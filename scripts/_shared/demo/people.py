"""Two thousand made-up people, the same every time: names, companies and addresses that belong to nobody.

Addresses end in domains reserved for examples, numbers lie in ranges reserved for fiction.
"""

from __future__ import annotations

import random
import re
import unicodedata
from typing import Any

import orjson

from scripts._shared.context import Context
from scripts._shared.people.directory import Person
from tableapi.crypto.vault import Vault

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
    """The fields of all of them."""
    dice = random.Random(2000)  # noqa: S311 - the same every time is the point
    return [_one(number, dice) for number in range(COUNT)]


def _one(number: int, dice: random.Random) -> dict[str, Any]:
    first, last, company = dice.choice(_FIRST), dice.choice(_LAST), dice.choice(_COMPANIES)
    slug, mailbox = _ascii(f"{first}-{last}"), _ascii(f"{first}.{last}")
    domain = f"{_ascii(company)}.example.com"
    business = [(f"{mailbox}{number}@{domain}", dice.choice(("valid", "valid", "unknown")))]
    if dice.random() < 0.2:
        business.append((f"{_ascii(first)}{number}@{domain}", "unknown"))
    personal = [f"{mailbox}{number}@home.example.net"]
    if dice.random() < 0.15:
        personal.append(f"{_ascii(last)}.{number}@post.example.org")
    phones = [f"+1{dice.randint(201, 989)}555{dice.randint(100, 199):04}" for _ in range(dice.choice((1, 1, 1, 2, 3)))]
    return {
        "profilekey": f"in/{slug}-{number:04}",
        "full_name": "=1+1" if number == 0 else f"{first} {last}",
        "title": dice.choice(_TITLES),
        "company": company,
        "company_domain": domain,
        "country": dice.choice(_COUNTRIES),
        "personal": personal if number == 0 or dice.random() < 0.85 else [],
        "business": business if number == 0 or dice.random() < 0.95 else [],
        "phones": phones if number == 0 or dice.random() < 0.8 else [],
    }


def _ascii(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("Ø", "O")).encode("ascii", "ignore").decode()
    return _NOT_IN_HOST.sub("-", plain.lower()).strip("-")


async def load(ctx: Context) -> list[Person]:
    """Put them into the directory; those that are there already stay. Out: those who can be revealed, in order."""
    made = people()
    rows = [_row(ctx.vault, one) for one in made]
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
        found = await connection.fetch(
            "select personid, profilekey from person where profilekey = any($1)", [one["profilekey"] for one in made]
        )
    ids = {row["profilekey"]: row["personid"] for row in found}
    all_of_them = [
        Person(
            personid=ids[one["profilekey"]], key=one["profilekey"], full_name=one["full_name"],
            personal=tuple(one["personal"]), business=tuple(one["business"]), phones=tuple(one["phones"]),
        )
        for one in made
    ]  # fmt: skip
    return [person for person in all_of_them if person.personal or person.business or person.phones]


def _row(vault: Vault, one: dict[str, Any]) -> tuple[Any, ...]:
    def sealed(values: list[Any]) -> bytes | None:
        return vault.seal_bytes(orjson.dumps(values)) if values else None

    texts = (one["profilekey"], one["full_name"], one["title"], one["company"], one["company_domain"], one["country"])
    return (*texts, sealed(one["personal"]), sealed(one["business"]), sealed(one["phones"]))
