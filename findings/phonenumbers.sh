#!/usr/bin/env bash
# phonenumbers 9.0.42 (the Python port of libphonenumber): spellings of valid numbers that are read otherwise.
#
# 1. A no-break space (U+00A0) and an en dash separate digits; a thin space (U+2009) and a narrow no-break space (U+202F),
#    which French and Swiss typography puts into numbers, make them "no phone number".
# 2. A remark with letters after an extension becomes digits of the number, as on a telephone's keys: "ext. 4 or 5" is
#    accepted by parse() and adds nine digits instead of raising.
# 3. Mexico's mobile prefix 1, which was dialled until 2019 and is in many address books, is TOO_LONG, while Argentina's
#    two mobile spellings, 9 and 15, become one number.
# 4. An Italian number without the zero of its area is "possible" and not "valid"; with it, it is both: the zero belongs
#    to the number also behind +39.
# 5. 00 in front of a country's prefix is read in the region where 00 is dialled; with region US it becomes a number of 15
#    digits in +1, without an error.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check phonenumbers==9.0.42
cat >"$folder/program.py" <<'PROGRAM'
import phonenumbers as p

for text, region in (
    ("+49\u00a030\u00a0901820", None), ("+49\u201330\u2013901820", None), ("+49\u200930\u2009901820", None),
    ("+33\u202f1\u202f23\u202f45\u202f67\u202f89", None), ("+1 201 555 0123 ext. 4", None),
    ("+1 201 555 0123 ext. 4 or 5", None), ("+52 1 55 1234 5678", None), ("+52 55 1234 5678", None),
    ("+54 9 11 2345 6789", None), ("011 15 2345 6789", "AR"), ("+39 06 1234 5678", None), ("+39 6 1234 5678", None),
    ("0044 7911 223456", "DE"), ("0044 7911 223456", "US"),
):
    try:
        number = p.parse(text, region)
    except p.NumberParseException as error:
        print(ascii(text), region, "error", error.error_type)
        continue
    form = p.format_number(number, p.PhoneNumberFormat.E164)
    print(ascii(text), region, form, number.extension, p.is_possible_number(number), p.is_valid_number(number))
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
'+49\xa030\xa0901820' None +4930901820 None True True
'+49\u201330\u2013901820' None +4930901820 None True True
'+49\u200930\u2009901820' None error 1
'+33\u202f1\u202f23\u202f45\u202f67\u202f89' None error 1
'+1 201 555 0123 ext. 4' None +12015550123 4 True True
'+1 201 555 0123 ext. 4 or 5' None +120155501233984675 None False False
'+52 1 55 1234 5678' None +5215512345678 None False False
'+52 55 1234 5678' None +525512345678 None True True
'+54 9 11 2345 6789' None +5491123456789 None True True
'011 15 2345 6789' AR +5491123456789 None True True
'+39 06 1234 5678' None +390612345678 None True True
'+39 6 1234 5678' None +39612345678 None True False
'0044 7911 223456' DE +447911223456 None True True
'0044 7911 223456' US +100447911223456 None False False
SEEN
echo "phonenumbers 9.0.42: as described"
