"""Tables of other programs: their encodings, forms and lines, whatever wrote them."""

from __future__ import annotations

import io
import random

import openpyxl
import orjson
import pytest

from product import sheets
from product.bulk import url_list
from product.contacts import list_file
from product.encodings import likeliest
from product.people import phones
from product.people.import_file import LineReader
from tableapi import Invalid
from tableapi.crypto.vault import Vault

A, B = "https://www.linkedin.com/in/joerg", "https://www.linkedin.com/in/zoe"
PLAIN = f"Full Name,Company,LinkedIn URL\nJörg Groß,Acme,{A}\nZoë Müller,Größe AG,{B}\n"
SEMICOLONS = PLAIN.replace(",", ";")
TABS = PLAIN.replace(",", "\t")
# LinkedIn's own export of connections, of 2024: three lines in front of the header.
CONNECTIONS = (
    'Notes:\n"When exporting your connection data, you may notice that some addresses, or names, are missing."\n\n'
    "First Name,Last Name,URL,Email Address,Company,Position,Connected On\n"
    f'Jörg,Groß,{A},,Acme,"Head of Sales, Nordics",04 Mar 2024\nZoë,Müller,{B},,Größe AG,,02 Feb 2022\n'
)
APOLLO = (
    "First Name,Last Name,Title,Company,Company Name for Emails,Email,Person Linkedin Url,Website,"
    "Company Linkedin Url\n"
    f"Jörg,Groß,CEO,Acme,Acme,,{A},acme.example,https://www.linkedin.com/company/acme\n"
    f"Zoë,Müller,CTO,Größe AG,Größe,,{B},,https://www.linkedin.com/company/groesse\n"
)
PIPEDRIVE = f"Person - Name,Person - Organization,Person - LinkedIn\nJörg Groß,Acme,{A}\nZoë Müller,Größe AG,{B}\n"
SALESFORCE = f"Last Name,First Name,Company / Account,LinkedIn\nGroß,Jörg,Acme,{A}\nMüller,Zoë,Größe AG,{B}\n"
OUTLOOK = f"Vorname,Nachname,Firma,LinkedIn-URL\nJörg,Groß,Acme,{A}\nZoë,Müller,Größe AG,{B}\n"
QUOTED = (
    '"Nachname, Vorname";"Company, city";"LinkedIn URL";Name;Company\n'
    f'"Groß, J";x;{A};Jörg Groß;Acme\nx;y;{B};Zoë Müller;Größe AG\n'
)
TWICE = f"Website,Full Name,Company,LinkedIn URL,Website,,\n,Jörg Groß,Acme,{A},a,b,c\n,Zoë Müller,Größe AG,{B},,,\n"


def _xlsx(text: str) -> bytes:
    book = openpyxl.Workbook()
    for line in text.splitlines():
        book.active.append(line.split(","))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


FILES = {
    "utf-8": PLAIN.encode(),
    "utf-8, marked": b"\xef\xbb\xbf" + PLAIN.encode(),
    "CRLF": PLAIN.replace("\n", "\r\n").encode(),
    "CR, of old Macs": PLAIN.replace("\n", "\r").encode(),
    "Excel of a German machine": SEMICOLONS.replace("\n", "\r\n").encode("cp1252"),
    "Excel's Unicode text": b"\xff\xfe" + TABS.encode("utf-16-le"),
    "UTF-16, big-endian": b"\xfe\xff" + TABS.encode("utf-16-be"),
    "UTF-16 without a mark": TABS.encode("utf-16-le"),
    "UTF-16, big-endian without a mark": TABS.encode("utf-16-be"),
    "Excel's sep= line": b"sep=;\r\n" + SEMICOLONS.encode(),
    "tabs": TABS.encode(),
    "bars": PLAIN.replace(",", "|").encode(),
    "LinkedIn": CONNECTIONS.encode(),
    "LinkedIn, marked": b"\xef\xbb\xbf" + CONNECTIONS.encode(),
    "LinkedIn, saved by Excel": CONNECTIONS.encode("cp1252"),
    "Apollo": APOLLO.encode(),
    "Pipedrive": PIPEDRIVE.encode(),
    "Salesforce": SALESFORCE.encode("cp1252"),
    "Outlook": OUTLOOK.encode("cp1252"),
    "delimiters inside quotes": QUOTED.encode(),
    "columns that repeat": TWICE.encode(),
    "empty lines": ("\n\n" + PLAIN.replace("\n", "\n\n")).encode(),
    "xlsx": _xlsx(PLAIN),
}


@pytest.mark.parametrize("name", list(FILES))
def test_every_program_gives_the_same_people_to_both_doors(name: str) -> None:
    sheet = list_file.read(FILES[name])
    people = list_file.people(sheet, sheet.suggested())
    assert [(one.name, one.company, one.linkedinurl) for one in people] == [
        ("Jörg Groß", "Acme", A),
        ("Zoë Müller", "Größe AG", B),
    ]
    assert url_list.of_csv(FILES[name], "csv") == [A, B]


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("cp1252", "Jörg Groß"), ("cp1250", "Zdeněk Dvořák"), ("cp1251", "Сергей Иванов"), ("cp932", "山田太郎")],
)
def test_a_file_of_another_code_page_is_read_without_replacements(encoding: str, name: str) -> None:
    """The code pages of Windows for Western and Central Europe, Cyrillic and Japanese."""
    text = "Full Name,Company\n" + f"{name},Acme\n" * 20
    assert list_file.read(text.encode(encoding), encoding).rows[0][1][0] == name
    guessed = list_file.read(text.encode(encoding))
    assert "\ufffd" not in guessed.rows[0][1][0]
    assert guessed.encoding != "utf-8"


def test_a_wrong_encoding_is_rejected() -> None:
    with pytest.raises(Invalid, match="UTF-8"):
        list_file.read(PLAIN.encode("cp1252"), "utf-8")
    with pytest.raises(Invalid, match="UTF-8"):
        list_file.read(PLAIN.encode(), "no-such-encoding")
    with pytest.raises(Invalid, match="UTF-8"):
        list_file.read(PLAIN.encode("cp1252").decode("utf-8", "replace"))  # as a browser reads it


def test_damaged_letters_do_not_turn_a_file_into_another_encoding() -> None:
    """Programs that cut texts at a number of bytes leave half a letter, here of the last company."""
    damaged = PLAIN.replace("\n", "\nGünther Weiß,Käse & Söhne,\n", 1).encode()[: -len(f" AG,{B}\n") - 2] + b"\n"
    with pytest.raises(Invalid, match="UTF-8"):
        list_file.read(damaged)
    assert list_file.read(PLAIN.encode("cp1252")).encoding == "cp1252"


def test_the_encoding_of_a_large_file_is_guessed_from_its_other_letters() -> None:
    rows = "Jane Doe,Acme,x/in/a\n" * 900
    text = "Name,Company,URL\n" + rows + "Zdeněk Dvořák,Příklad,x/in/b\n"
    padded = text.replace("Acme", "A" * 300)
    sheet = list_file.read(padded.encode("cp1250"))
    assert (sheet.encoding, sheet.rows[-1][1][0]) == ("cp1250", "Zdeněk Dvořák")


def test_the_column_of_profile_addresses_is_the_one_that_has_them() -> None:
    head, row = "URL,Profile Link,Name,Company\n", "https://acme.example,{},Jane,Acme\n"
    assert url_list.of_csv((head + row.format(A)).encode(), "csv") == [A]
    assert url_list.of_csv(f"Name,Where,Company\nJörg,{A},x\nZoë,{B},y\n".encode(), "csv") == [A, B]
    lead = "https://www.linkedin.com/sales/lead/ACwAAB,x"
    assert url_list.of_csv(f'LinkedIn URL,Profile\n"{lead}",{A}\n'.encode(), "csv") == [A]


def test_line_numbers_are_those_on_which_records_begin() -> None:
    text = 'sep=,\nNotes:\n\nName,Company\n\n"Jane\nvan\nDoe",Acme\nJoe,Acme\n'
    sheet = list_file.read(text)
    assert [number for number, _ in sheet.rows] == [6, 9]
    assert sheet.columns == ("Name", "Company")


def test_repeated_and_empty_columns_have_distinct_names() -> None:
    sheet = list_file.read(TWICE)
    assert sheet.columns == ("Website", "Full Name", "Company", "LinkedIn URL", "Website (2)", "Column 6", "Column 7")


@pytest.mark.parametrize(
    ("data", "case"),
    [
        (b"", "nothing_to_import"),
        (b"Name,Company\n", "nothing_to_import"),
        (b'Name,Company\n"Jane,Acme', "file_unreadable"),
        (b'Name,Company\n"Jane"x,Acme', "file_unreadable"),
        (b"Name,Company\n" + b"," * 501, "too_many_columns"),
        (b"\n" * 6000 + b"Name,Company\n", "too_many_empty_lines"),
        (b"Name,Company\n" + b"x" * 200_000, "line_too_long"),
        (b'Name,Company\n"' + b"x\n" * 200_000, "line_too_long"),
        (b"PK\x03\x04", "workbook_unreadable"),
        (b"linkedin.com/in/x\n" * 1001, "file_too_long"),
        (b"Name,Company\n" + b"Jane,Acme\n" * 1001, "file_too_long"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(data: bytes, case: str) -> None:
    with pytest.raises(Invalid) as error:
        list_file.read(data)
    assert error.value.context["field_errors"]["text"]["case"] == case


def test_reading_stops_after_the_last_row_that_is_wanted() -> None:
    rows = iter([(1, ["Name", "Company"]), *((number, ["Jane", "Acme"]) for number in range(2, 100_000))])
    assert len(sheets._sheet(sheets._table(rows), 1000).rows) < 1100
    assert next(rows)[0] < 1100


# Names and cities as people write them; made up.
NAMES = {
    ("cp1252", "German"): [
        "Jörg Müller",
        "Weiß;Köln",
        "Günther Groß",
        "Käthe Schäfer;Düsseldorf",
        "Özil",
        "Anna Bauer",
    ],
    ("cp1252", "French"): [
        "François Lefèvre",
        "Hélène Brûlé;Orléans",
        "Anaïs Benoît",
        "Thérèse;Besançon",
        "Noël Aubry",
    ],
    ("cp1252", "Spanish"): ["José Núñez", "María Ibáñez;Málaga", "Ángel Peña", "Lucía;León", "Andrés Muñoz"],
    ("cp1252", "Portuguese"): ["João Simões", "São Paulo", "Conceição;Guimarães", "Luís Gonçalves", "Estêvão"],
    ("cp1252", "Italian"): ["Nicolò Rossi;Forlì", "Niccolò", "Ada Bonfà"],
    ("cp1252", "Danish"): ["Søren Kjær;Ærø", "Bjørn Ødegård", "Åse Bækkelund", "Jørgensen;København"],
    ("cp1252", "Swedish"): ["Åsa Öberg;Malmö", "Östen Sjögren", "Mårten Ström"],
    ("cp1252", "Icelandic"): ["Guðrún Þórsdóttir;Reykjavík", "Sigurður Jónsson", "Þóra Ágústsdóttir"],
    ("cp1252", "marks"): ["Sinéad O’Brien", "Genève – Zürich", "Renée “Ré” Marchand"],
    ("cp1250", "Czech"): ["Zdeněk Dvořák", "Jiří Havel;Plzeň", "Růžena Němcová", "Tomáš Bělohlávek"],
    ("cp1250", "Polish"): ["Łukasz Pawłowski;Łódź", "Kamiński;Poznań", "Małgorzata Dąbrowska", "Żaneta Mąka"],
    ("cp1250", "Hungarian"): ["Gergő Kővári;Győr", "Erdős Pál", "Szőke Ödön"],
    ("cp1250", "Romanian"): ["Cătălin Ionescu;Brăila", "Mădălina", "Ionaşcu"],
    ("cp1250", "Croatian"): ["Kovačić;Šibenik", "Žarko Đurić", "Novak;Črnomelj", "Matošević"],
    ("cp1254", "Turkish"): ["Ayşe Yılmaz;İstanbul", "Şahin Doğan;Ağrı", "Işıl Öztürk", "Çağlar Güneş"],
    ("cp1251", "Russian"): ["Сергей Иванов;Москва", "Юрий Петров", "Ольга Смирнова;Казань"],
    ("cp1251", "Ukrainian"): ["Олександр Шевченко;Київ", "Наталія Ткаченко"],
    ("cp1253", "Greek"): ["Γιώργος Παπαδόπουλος;Αθήνα", "Ελένη Νικολάου"],
    ("cp932", "Japanese"): ["山田太郎;東京", "鈴木一郎;大阪", "さくら 田中"],
    ("cp949", "Korean"): ["김철수;서울", "이영희;부산", "박지민;인천"],
    ("mac_roman", "German"): ["Jörg Müller", "Käthe Schäfer;Köln"],
    ("mac_roman", "French"): ["François Lefèvre", "Hélène Aubry"],
}


@pytest.mark.parametrize(("encoding", "language"), list(NAMES))
def test_one_name_in_an_encoding_keeps_its_letters(encoding: str, language: str) -> None:
    for name in NAMES[encoding, language]:
        data = name.encode(encoding)
        assert data.isascii() or data.decode(likeliest(data)) == name, name


@pytest.mark.parametrize(("encoding", "language"), list(NAMES))
def test_a_list_in_an_encoding_keeps_its_letters(encoding: str, language: str) -> None:
    source = random.Random(3)
    for count in (2, 5, 40):
        lines = ["Name;City;LinkedIn URL", *source.choices(NAMES[encoding, language], k=count), "John Smith;Boston"]
        data = "\r\n".join(lines).encode(encoding)
        assert data.isascii() or data.decode(likeliest(data)) == "\r\n".join(lines)


GOOD = (
    b"https://www.linkedin.com/in/jane,Jane Doe,CEO,Acme,acme.example,USA,j@x.example,j@acme.example:valid,+12025550100"
)


def reader(*suppressed: bytes) -> LineReader:
    return LineReader(("secret",), "linkedin.com", frozenset(suppressed))


def test_a_row_has_no_contact_value_in_clear() -> None:
    parsed = reader().block(2, GOOD + b"\n")
    assert (parsed.good, parsed.bad) == (1, [])
    assert parsed.rows.startswith(
        b"2\tin/jane\tJane Doe\tCEO\tAcme\tacme.example\tUSA\t\t\t\tc_suite\tmanagement\tvalid\t\\\\x"
    )
    assert b"j@" not in parsed.rows
    assert b"2025550100" not in parsed.rows


def test_quotes_and_empty_values_are_escaped() -> None:
    parsed = reader().block(2, b'linkedin.com/in/x,"Doe, Jane","a\\b",,,,,,\r\n')
    assert b"\tDoe, Jane\ta\\\\b\t\t\t\t\t\t\tstaff\t\t\\N\t\\N\t\\N\t\\N\t" in parsed.rows


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"a,b,c", "expected 9 fields, found 3"),
        (b"example.com/in/x,Jane,,,,,,,", "not a profile address"),
        (b"linkedin.com/in/x,,,,,,,,", "full_name is empty"),
        (b'"linkedin.com/in/x,Jane,,,,,,,', "quote"),
        (b"linkedin.com/in/x,Jane\0,,,,,,,", "NUL"),
        (b"linkedin.com/in/x,\xff\xfe,,,,,,,", "UTF-8"),
        (b"linkedin.com/in/x," + b"x" * 400 + b",,,,,,,", "longer"),
    ],
)
def test_an_invalid_line_is_reported_by_number_and_does_not_stop_others(line: bytes, why: str) -> None:
    parsed = reader().block(7, GOOD + b"\n" + line + b"\n" + GOOD)
    assert parsed.good == 2
    assert parsed.bad[0][0] == 8
    assert why in parsed.bad[0][1]


@pytest.mark.parametrize(
    ("country", "typed", "kept"),
    [
        ("", "+12025550100", ["+12025550100"]),
        ("", "+1 (415) 555-0132", ["+1 (415) 555-0132"]),
        ("", "+44 (0)20 7946 0018", ["+44 (0)20 7946 0018"]),
        ("USA", "(415) 555-0132", ["+14155550132"]),
        ("United States", "415.555.0132", ["+14155550132"]),
        ("us", "1-415-555-0132", ["+14155550132"]),
        ("DEU", "0151/12345678", ["+4915112345678"]),
        ("ITA", "06 1234 5678", ["+390612345678"]),  # the zero is a part of Italian numbers
        ("", "+1-608-271-9000-x11", ["+16082719000 ext. 11"]),
        ("USA", "415-555-0132 ext. 12; (202) 555-0100", ["+14155550132 ext. 12", "+12025550100"]),
        ("", "tel:+1-201-555-0123;ext=4", ["+12015550123 ext. 4"]),  # RFC 3966
        ("", "tel:+4722123456; +4722123457", ["+4722123456", "+4722123457"]),
        ("", "+47\u00a022\u00a012\u00a034\u00a056", ["+4722123456"]),
        ("", "+33\u202f1\u202f23\u202f45\u202f67\u202f89", ["+33123456789"]),
        ("", "+1 415\u2011555\u20110132", ["+14155550132"]),
        ("", "\uff0b49 30 123456", ["+4930123456"]),
        ("", "\u202a+4722123456\u202c", ["+4722123456"]),  # as copied from an address book
        ("USA", "00 47 22 12 34 56", ["+4722123456"]),
        ("MEX", "044 55 1234 5678", ["+525512345678"]),
        ("ARG", "011 15-2345-6789", ["+5491123456789"]),
        ("", "'+4722123456", ["+4722123456"]),
        ("", '=""+4722123456""', ["+4722123456"]),
        ("", "0151 12345678", []),  # of an unknown country
        ("Atlantis", "0151 12345678", []),
        ("USA", "4.15556E+09", []),
        ("USA", "14155550132.0", []),
        ("USA", "call me", []),
        ("USA", "+1 415 555 0132 / 555 0133", []),
        ("USA", "n/a; +12025550100", ["+12025550100"]),
    ],
)
def test_a_phone_number_is_read_or_left_out_and_never_costs_the_person(
    country: str, typed: str, kept: list[str]
) -> None:
    line = f'linkedin.com/in/x,Jane,,,,{country},,,"{typed}"'.encode()
    parsed = reader().block(7, line)
    assert (parsed.good, parsed.bad) == (1, [])
    sealed = parsed.rows.decode().rstrip("\n").split("\t")[15].removeprefix("\\\\x")
    stored = [] if sealed == "\\N" else orjson.loads(Vault(["secret"]).open_bytes(bytes.fromhex(sealed)))
    assert stored == kept
    lost = len(phones.split(typed)) - len(kept)
    assert [number for number, _ in parsed.left_out] == [7] * lost
    assert not any("555" in reason for _, reason in parsed.left_out)


def test_people_on_the_removal_list_are_left_out() -> None:
    vault = Vault(["secret"])
    for kind, value in (("profile", "in/jane"), ("email", "j@x.example")):
        parsed = reader(vault.index(kind, value)).block(2, GOOD)
        assert (parsed.good, parsed.suppressed) == (0, 1)
