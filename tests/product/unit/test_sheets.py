"""Tables of other programs: the same people, whatever the encoding, the delimiter and the form of the file."""

from __future__ import annotations

import io

import openpyxl
import pytest

from product import sheets
from product.bulk import url_list
from product.contacts import list_file
from tableapi import Invalid

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
    assert url_list.of_csv(FILES[name]) == [A, B]


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
    assert url_list.of_csv((head + row.format(A)).encode()) == [A]
    assert url_list.of_csv(f"Name,Where,Company\nJörg,{A},x\nZoë,{B},y\n".encode()) == [A, B]
    lead = "https://www.linkedin.com/sales/lead/ACwAAB,x"
    assert url_list.of_csv(f'LinkedIn URL,Profile\n"{lead}",{A}\n'.encode()) == [A]


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
