#!/usr/bin/env bash
# pycountry 26.2.16: which names of a country lookup() and search_fuzzy() know.
#
# 1. lookup() knows "Türkiye" and not "Turkey", "Bolivia" and not "Brunei", "South Korea" and not "Korea", "Netherlands"
#    and not "The Netherlands". UK, the name that most people write, is unknown.
# 2. search_fuzzy() finds UK first, but also 28 others, Uganda before Ukraine, through names of their subdivisions. For
#    "Niger" the country of that name is not the first: Nigeria is.
# 3. Names in 130 other languages are installed with the package, as translations of gettext; neither function reads them.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pycountry==26.2.16
cat >"$folder/program.py" <<'PROGRAM'
import gettext

import pycountry


def known(function, text):
    try:
        found = function(text)
    except LookupError:
        return "LookupError"
    return [one.alpha_3 for one in found] if isinstance(found, list) else found.alpha_3


for text in ("UK", "Turkey", "Türkiye", "Brunei", "Bolivia", "Korea", "South Korea", "The Netherlands", "Ivory Coast"):
    print("lookup", text, known(pycountry.countries.lookup, text))
for text in ("UK", "Niger", "Guinea", "Turkey", "Deutschland"):
    print("search_fuzzy", text, known(pycountry.countries.search_fuzzy, text))
german = gettext.translation("iso3166-1", pycountry.LOCALES_DIR, languages=["de"])
print(german.gettext("Germany"), known(pycountry.countries.lookup, german.gettext("Germany")))
PROGRAM
"$folder/venv/bin/python" "$folder/program.py" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
lookup UK LookupError
lookup Turkey LookupError
lookup Türkiye TUR
lookup Brunei LookupError
lookup Bolivia BOL
lookup Korea LookupError
lookup South Korea KOR
lookup The Netherlands LookupError
lookup Ivory Coast LookupError
search_fuzzy UK ['GBR', 'UGA', 'UKR', 'JPN', 'THA', 'LVA', 'TUV', 'IDN', 'KOR', 'LTU', 'ALB', 'CAN', 'HRV', 'PHL', 'SVN', 'TZA', 'DZA', 'IRQ', 'PRK', 'RUS', 'SAU', 'BTN', 'FSM', 'MHL', 'CIV', 'DMA', 'KHM', 'MAR', 'TUR']
search_fuzzy Niger ['NGA', 'NER']
search_fuzzy Guinea ['GIN', 'GNB', 'PNG', 'GNQ']
search_fuzzy Turkey LookupError
search_fuzzy Deutschland LookupError
Deutschland LookupError
SEEN
echo "pycountry 26.2.16: as described"
