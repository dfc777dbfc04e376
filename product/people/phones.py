"""Phone numbers as people and programs write them: ITU-T E.123, RFC 3966, national forms, extensions.

Values without a country code are read with the country of the person. Numbers are judged by Google's libphonenumber.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

import phonenumbers
import pycountry
from phonenumbers import PhoneNumber, PhoneNumberFormat

from product.people import search_terms

Form = Literal["e164", "international"]
MAX_CHARS = 80
_FORMS = {"e164": PhoneNumberFormat.E164, "international": PhoneNumberFormat.INTERNATIONAL}
# Kept as it is, and not parsed: a million people are imported in a minute.
PLAIN = re.compile(r"\+[0-9](?:[ ().-]*[0-9]){6,14}")
# Between numbers: a semicolon, though the parameters of a tel: URI stay with it, and the signs of other programs in
# front of a whole number. A comma before a few digits is a pause before an extension.
_NUMBERS = re.compile(
    r";(?!\s*(?:ext|isub|phone-context)=)|:::|[,|\n](?=\s*(?:tel:)?[+(]*(?:[^\d,;|]{0,3}\d){6})", re.IGNORECASE
)
# A spreadsheet shows 4.91511E+12 and saves 4915112345678.0 for a number in a column without the format Text.
_SPREADSHEET = re.compile(r"[0-9.,]+E\+?[0-9]+|[0-9]{5,}[.,]0+", re.IGNORECASE)
_MARKED_AS_TEXT = re.compile(r"""'(?=[+0-9(])|="(?P<text>[^"]*)"\Z""")
# Until 2019, Mexican mobile numbers were dialled with 1 from abroad, and with 044 or 045 at home (IFT, Plan Técnico
# Fundamental de Numeración); WhatsApp and old address books keep them. Zeros in front are not in the number.
_MEXICAN_MOBILE = re.compile(r"(?:1|44|45)(?=[0-9]{10}\Z)")
_SIGNS = {"Zs": " ", "Pd": "-", "Cf": ""}
_IDD = re.compile(r"\A\s*00(?=[1-9 ])")
# "(Zentrale)": a parser takes its letters for the keys of a telephone.
_REMARK = re.compile(r"\s*[(\[][^()\[\]\d]*[^\W\d_][^()\[\]\d]*[)\]]")


class Unreadable(ValueError):
    """A phone number that cannot be dialled. The message does not quote it."""


def split(text: str) -> list[str]:
    """Return the numbers in a cell."""
    return [part for part in map(str.strip, _NUMBERS.split(text)) if part] if text else []


def stored(text: str, country: str = "") -> str:
    """Return a number as it is stored: as typed if it has a usual form with a country code, else in E.164.

    An extension follows as ` ext. 12`. country: of the person, as a code or a name.

    Raises:
        Unreadable: no possible number, or a national one of an unknown country.
    """
    text = _MARKED_AS_TEXT.sub(lambda match: match["text"] or "", text.strip())
    if PLAIN.fullmatch(text):
        return text
    text = _in_ascii(text)
    if _SPREADSHEET.fullmatch(text):
        raise Unreadable("a spreadsheet shortened a phone number; format its column as text")
    number = read(text, country)
    if number is None:
        raise Unreadable("a phone number cannot be read; write it as +49 30 123456")
    return _with_extension(phonenumbers.format_number(number, PhoneNumberFormat.E164), number)


def dialled(text: str, country: str = "", form: Form = "e164") -> str:
    """Return a stored number in one form for other programs; a text that is not a number stays as it is."""
    number = read(text, country)
    return text if number is None else _with_extension(phonenumbers.format_number(number, _FORMS[form]), number)


def read(text: str, country: str = "") -> PhoneNumber | None:
    """Return the possible number that a text stands for, or None."""
    return next((number for number in _readings(text, country) if phonenumbers.is_possible_number(number)), None)


def cannot_exist(text: str, country: str = "") -> bool:
    """Return whether no reading of a number is assigned in its country; False if it cannot be read at all."""
    readings = _readings(text, country)
    return bool(readings) and not any(phonenumbers.is_valid_number(number) for number in readings)


def without_extension(text: str) -> str:
    """Return a stored number without its extension."""
    return text.partition(" ext. ")[0]


def _readings(text: str, country: str) -> list[PhoneNumber]:
    """Return the numbers that a text may stand for, the likeliest first."""
    if len(text) > MAX_CHARS or _SPREADSHEET.fullmatch(text):
        return []
    text, region = _REMARK.sub("", _in_ascii(text)), region_of(country)
    # 00 is dialled before a country code in most countries, but read as a national number in those where it is not.
    texts = dict.fromkeys((text, _IDD.sub("+", text)))
    found = []
    for one in texts:
        try:
            number = phonenumbers.parse(one, region)
        except phonenumbers.NumberParseException:
            continue
        if number.country_code == 52 and not phonenumbers.is_possible_number(number):
            national = int(_MEXICAN_MOBILE.sub("", str(number.national_number)))
            number = PhoneNumber(country_code=52, national_number=national, extension=number.extension)
        found.append(number)
    return found


def _in_ascii(text: str) -> str:
    """Return a text with ASCII digits, blanks and dashes, without invisible characters.

    libphonenumber 9.0 knows few of them: U+202F, which French typography sets between groups, is not one.
    """
    if text.isascii():
        return text
    folded = unicodedata.normalize("NFKC", text).replace("\u2212", "-")  # a minus sign
    return "".join(_SIGNS.get(unicodedata.category(letter), letter) for letter in folded)


@lru_cache(maxsize=1024)
def region_of(country: str) -> str | None:
    """Return the ISO 3166 alpha-2 code of a country given by a code or a name that searches know, or None."""
    code = search_terms.country_code(country)
    found = pycountry.countries.get(alpha_3=code.upper()) if len(code) == 3 else None
    return None if found is None else str(found.alpha_2)


def _with_extension(formatted: str, number: PhoneNumber) -> str:
    bare = formatted.partition(" ext. ")[0]
    return f"{bare} ext. {number.extension}" if number.extension else bare
