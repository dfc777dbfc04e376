"""The guessed encoding of lists of names, which are too short for a detector."""

from __future__ import annotations

import random

import pytest

from product.encodings import likeliest

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
