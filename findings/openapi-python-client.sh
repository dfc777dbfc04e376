#!/usr/bin/env bash
# openapi-python-client 0.29.1: valid documents whose client fails, and a value that it passes on unchecked.
#
# 1. A property named "d" overwrites the dictionary that the generated from_dict() reads: the next property raises
#    AttributeError, "'str' object has no attribute 'pop'". The generator reports nothing.
# 2. A date that cannot be parsed, such as "infinity", raises ValueError for the whole object if the property is a plain
#    date, and is passed on as a str, against its type, if the property may also be null.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check openapi-python-client==0.29.1
cd "$folder"
cat >document.json <<'DOCUMENT'
{
  "openapi": "3.1.0",
  "info": {"title": "t", "version": "1"},
  "paths": {},
  "components": {"schemas": {
    "Short": {"type": "object", "properties": {"d": {"type": "string"}, "e": {"type": "string"}}},
    "Plain": {"type": "object", "properties": {"day": {"type": "string", "format": "date"}}},
    "Nullable": {"type": "object", "properties": {"day": {"type": ["string", "null"], "format": "date"}}}
  }}
}
DOCUMENT
venv/bin/openapi-python-client generate --path document.json --meta none --output-path client >/dev/null 2>&1
cat >program.py <<'PROGRAM'
from client.models import Nullable, Plain, Short

for model, sent in (
    (Short, {"d": "x", "e": "y"}), (Plain, {"day": "infinity"}), (Nullable, {"day": "infinity"}),
    (Nullable, {"day": "2026-01-31"}),
):
    try:
        found = model.from_dict(sent)
        print(model.__name__, sent, type(found.day).__name__)
    except Exception as error:
        print(model.__name__, sent, type(error).__name__, error)
PROGRAM
venv/bin/python program.py >seen
diff - seen <<'SEEN'
Short {'d': 'x', 'e': 'y'} AttributeError 'str' object has no attribute 'pop'
Plain {'day': 'infinity'} ValueError Invalid isoformat string: 'infinity'
Nullable {'day': 'infinity'} str
Nullable {'day': '2026-01-31'} date
SEEN
echo "openapi-python-client 0.29.1: as described"
