"""Guess the encoding of a text of names and addresses.

A detector needs prose to tell encodings apart: of a list of names it makes Chinese of "Jörg" and "Săo" of "São". It is
asked for the family of scripts only, and corrected where the words contradict it: letters of Western and Central Europe
stand among ASCII ones, those of other scripts by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import charset_normalizer

_SAMPLE, _BEGIN = 200_000, 4096  # bytes; the first ones belong to the sample in any case

_CHINESE = ("cp932", "gb18030", "big5", "cp949")  # and Japanese and Korean
_OTHER = ("cp1251", "cp1253")  # Cyrillic and Greek
_LATIN = ("cp1252", "cp1250", "cp1254", "mac_roman")
_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
_MIXED = re.compile(rb"[A-Za-z]")
# An ideograph, kana or Hangul next to an ASCII letter, which names do not have.
_IDEOGRAPH = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]"
_BESIDE_LETTER = re.compile(f"[A-Za-z]{_IDEOGRAPH}|{_IDEOGRAPH}[A-Za-z]")
# Bytes in words that are letters in Mac OS Roman, and signs or capitals elsewhere.
_OF_MAC = re.compile(
    rb"(?<=[A-Za-z])[\x80-\x89\x8b-\x8d\x8f\x90\x93-\x99\x9b\x9d\x9f\xa7](?=[a-z])"
    rb"|(?<=[a-z])[\x8a\x8e\x9f]|(?<![A-Za-z\x80-\xff])[\x81\x83](?=[a-z])"
)
_OF_WINDOWS = re.compile(rb"[A-Za-z][\xc0-\xff]|[\xc0-\xff][A-Za-z]")
# What text in cp1250 looks like when it is read as cp1252, each with an example of what was meant.
_CENTRAL = re.compile(
    "(?<=[A-Za-zÀ-ÿ])[³¹¿](?=[a-z])|[³¹¿]\\b"  # Pawłowski, Dąb
    "|\\b[£¯][a-zó]"  # Łukasz, Żak
    "|(?<=[a-z])[ªº](?=[a-z])"  # Ionaşcu
    "|[ŠŽšž\x8d\x9d]"  # Šimek, also in cp1252
    "|(?<=[A-Za-zÀ-ÿ])[ìòù](?=[a-z])"  # Zdeněk
    "|[øØ][áíéýúì]|[áíéýúì]ø"  # Dvořák, Jiří
    "|õ(?!e)"  # Gergő
    "|ã[bcdfglmnprstvzjþº]"  # Cătălin
    "|ñ(?![aeiouáéíóúü])"  # Kamiński
    "|[aeio]æ\\b"  # Kovačić
    "|[aeiou]è|\\bÈ[b-df-hj-np-t]"  # Novač, Črnomelj
)
_CAPITALISED = {
    "cp1251": re.compile("[А-ЯЁІЇЄҐЎ][а-яёіїєґў]+"), "cp1253": re.compile("[Α-ΩΆΈΉΊΌΎΏ][α-ωάέήίόύώϊϋΐΰ]+"),
}  # fmt: skip
_TURKISH = re.compile("[A-Za-zçöüý]ð|[þÞÝ]|(?<=[A-Za-z])ý(?=[a-z])")  # Doğan, Şahin, İpek, Yılmaz
_ICELANDIC = re.compile("[áéíóúæÁÉÍÓÚÆ]")


def sample_of(blocks: Iterable[bytes]) -> bytes:
    """Return the beginning of a file, and the lines after it that are not ASCII."""
    sample = b""
    for block in blocks:
        sample, block = (sample, block) if sample else (block[:_BEGIN], block[_BEGIN:])
        if not block.isascii():
            sample += b"\n".join(line for line in block.split(b"\n") if not line.isascii()) + b"\n"
        if len(sample) > _SAMPLE:
            break
    return sample[:_SAMPLE]


def guesses(data: bytes) -> Iterator[str]:
    """Yield the encodings that a file may have, the likeliest first."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield "utf-16"
    yield "utf-8-sig"
    sample = sample_of([data])
    if sample.count(b"\0") > len(sample) // 5:  # ASCII letters in UTF-16 without a mark
        yield "utf-16-le" if sample[1::2].count(b"\0") > sample[::2].count(b"\0") else "utf-16-be"
    elif not is_utf8(sample):
        yield likeliest(sample)
        yield "cp1252"


def is_utf8(sample: bytes) -> bool:
    """Return whether a sample is UTF-8. A few damaged letters are not taken for another encoding."""
    text = sample.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    return 2 * damaged <= sum(not letter.isascii() for letter in text) - damaged


def likeliest(sample: bytes) -> str:
    """Return the likeliest encoding of a sample with bytes above 127."""
    words = _WORD.findall(sample)
    mixed = sum(_MIXED.search(word) is not None for word in words)
    by_itself = mixed * 3 < len(words)  # most words have no ASCII letter
    if by_itself and (found := _capitalised(sample, words)):
        return found
    found = _detected(sample, (*_CHINESE, *_OTHER, *_LATIN))
    if found in _CHINESE and not _is_plausible(sample, found):
        found = ""
    if found in _OTHER and not by_itself:
        found = ""
    if found not in (*_CHINESE, *_OTHER) and by_itself and sum(map(len, words)) > 2 * len(words):
        found = _detected(sample, (*_CHINESE, *_OTHER)) or found
    return found if found in (*_CHINESE, *_OTHER) else _latin(sample)


def _detected(sample: bytes, encodings: tuple[str, ...]) -> str:
    best = charset_normalizer.from_bytes(sample, cp_isolation=list(encodings), enable_fallback=False).best()
    return best.encoding if best is not None else ""


def _capitalised(sample: bytes, words: list[bytes]) -> str:
    """Return the encoding in which nearly all words are a capital and small letters, or ""."""
    for encoding, name in _CAPITALISED.items():
        count = sum(name.fullmatch(word.decode(encoding, "replace")) is not None for word in words)
        if 5 * count > 4 * len(words):
            return encoding
    return ""


def _is_plausible(sample: bytes, encoding: str) -> bool:
    """Return whether ideographs stand beside one another and not inside words of ASCII letters."""
    text = sample.decode(encoding, "ignore")
    return 5 * len(_BESIDE_LETTER.findall(text)) < len(re.findall(_IDEOGRAPH, text))


def _latin(sample: bytes) -> str:
    if _OF_MAC.search(sample) and not _OF_WINDOWS.search(sample):
        return "mac_roman"
    text = sample.decode("cp1252", "replace")
    if "\ufffd" in text:  # a byte that cp1252 does not have
        text = sample.decode("latin-1")
    if _TURKISH.search(text) and not _ICELANDIC.search(text):
        return "cp1254"
    return "cp1250" if _CENTRAL.search(text) else "cp1252"
