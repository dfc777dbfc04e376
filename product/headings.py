"""The meaning of columns in tables of other programs, by their headings and by what is in them.

The headings are those of LinkedIn, Sales Navigator, Apollo, HubSpot, Salesforce, Pipedrive, Outlook, Google, ZoomInfo,
Lusha and Cognism, and words for them in German, French, Polish, Spanish, Italian and Japanese. Of one meaning the most
specific comes first. Columns of companies, such as `Company Phone`, have no meaning.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

ADDRESS = "linkedinurl"
_HEADINGS: Mapping[str, str] = {
    ADDRESS: "linkedinurl, LinkedIn URL, LinkedIn Profile URL, Person Linkedin Url, LinkedIn Contact Profile URL,"
    " Contact LinkedIn, Contact LinkedIn Profile URL, Person - LinkedIn, LinkedIn Profile, Profil LinkedIn,"
    " LinkedIn-Profil, LinkedIn Link, LinkedIn Member Profile URL, defaultProfileUrl, Public Profile URL, LinkedIn,"
    " LinkedIn Bio, Profile URL, Profile Link, Profile, URL",
    "name": "Full Name, Contact Name, Person Name, Person - Name, Display Name, Anzeigename, Vollständiger Name,"
    " Nom complet, Imię i nazwisko, Nombre completo, Nome completo, 氏名, 名前, Name, Person, Contact",
    "firstname": "First Name, Given Name, Contact First Name, Person - First name, Vorname, Prénom, Imię, Nombre, Nome,"
    " 名",
    "lastname": "Last Name, Surname, Family Name, Contact Last Name, Person - Last name, Nachname, Familienname,"
    " Nom de famille, Nom, Nazwisko, Apellidos, Apellido, Cognome, 姓",
    "title": "Job Title, Current Job Title, Current Position, Person Title, Person - Job title, Position,"
    " Berufsbezeichnung, Stellenbezeichnung, Poste, Fonction, Intitulé du poste, Stanowisko, Cargo, Puesto, 役職,"
    " Title",
    "company": "Company, Company Name, Current Company, Organization, Organization Name, Organisation, Account Name,"
    " Account, Company / Account, Person - Organization, Associated Company, Primary Associated Company, Employer,"
    " Firma, Firmenname, Unternehmen, Arbeitgeber, Entreprise, Société, Empresa, Azienda, Nazwa firmy, 会社名,"
    " 会社, 勤務先",
    "company_domain": "company_domain, Company Domain, Company Domain Name, Company Website, Website, Website URL,"
    " Domain, Webseite, Site web",
    "country": "Country, Country/Region, Contact Country, Person Country, Mailing Country, Business Country/Region,"
    " Work Country, Land, Land/Region, Pays, Kraj, País, Paese, 国",
    "city": "City, Contact City, Person City, Mailing City, Business City, Ort, Stadt, Ville, Miasto, Ciudad, Città,"
    " 市区町村",
    "industry": "Industry, Branche, Secteur, Branża",
    "company_size": "company_size, Company Size, Employees, Number of Employees",
    "personal_emails": "personal_emails, Personal Email, Home Email, Private Email, Person - Email - Home",
    "business_emails": "business_emails, Work Email, Business Email, Corporate Email, Person - Email - Work",
    "emails": "Email, E-mail, Email Address, E-mail Address, E-Mail-Adresse, Person - Email, Primary Email,"
    " Secondary Email, Tertiary Email, Additional email addresses, E-mail - Value, Adresse e-mail, Courriel,"
    " Adres e-mail, Correo electrónico, メールアドレス",
    "phones": "phones, Phone, Phone Number, Mobile, Mobile Phone, Mobile Phone Number, Cell Phone, Direct Phone,"
    " Direct Phone Number, Direct Dial, Work Phone, Work Direct Phone, Business Phone, Home Phone, Other Phone,"
    " Primary Phone, Phone - Value, Person - Phone, Person - Phone - Work, Person - Phone - Mobile,"
    " Person - Phone - Home, Telefon, Telefonnummer, Telefon geschäftlich, Mobiltelefon, Handy, Téléphone,"
    " Téléphone portable, Telefon komórkowy, Teléfono, Telefono, 電話番号, 携帯電話",
    "tags": "tags, tag, labels, label, Person - Label, categories, Kategorien",
    "note": "note, notes, comment, comments, Notizen, Bemerkung",
}  # fmt: skip
_PROFILE = re.compile(r"(?:^|[./])linkedin\.[^?#]*/(?:in|pub)/[^/\s]|/in/[^/\s]", re.IGNORECASE)
_LOOKED_AT = 50  # rows


def bare(heading: str) -> str:
    """Return a heading in lower case without accents, spaces, digits and punctuation."""
    folded = unicodedata.normalize("NFKD", heading.casefold())
    return "".join(letter for letter in folded if letter.isalpha())


_MEANINGS = {
    bare(heading): (meaning, rank)
    for meaning, headings in _HEADINGS.items()
    for rank, heading in enumerate(headings.split(","))
}


def is_known(heading: str) -> bool:
    """Return whether the meaning of a column can be told from its heading."""
    return bare(heading) in _MEANINGS


def is_profile(cell: str) -> bool:
    """Return whether a cell looks like the address of a person's profile."""
    return _PROFILE.search(cell) is not None


def places(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    """Return the columns of each meaning, the best first.

    Of several columns for profile addresses, the one with the most of them is the best; without a known heading, it is
    the column that mostly has such addresses.
    """
    found: dict[str, list[tuple[int, int]]] = {}
    for place, heading in enumerate(columns):
        if (known := _MEANINGS.get(bare(heading))) is not None:
            found.setdefault(known[0], []).append((known[1], place))
    chosen = {meaning: [place for _, place in sorted(ranked)] for meaning, ranked in found.items()}
    counts = [
        sum(place < len(row) and is_profile(row[place]) for row in rows[:_LOOKED_AT]) for place in range(len(columns))
    ]
    if ADDRESS in chosen:
        chosen[ADDRESS].sort(key=lambda place: -counts[place])
    elif counts and 2 * max(counts) > len(rows[:_LOOKED_AT]):
        best = counts.index(max(counts))
        chosen = {meaning: left for meaning, kept in chosen.items() if (left := [one for one in kept if one != best])}
        chosen[ADDRESS] = [best]
    return chosen
