#!/usr/bin/env bash
# datamodel-code-generator 0.89.0 with pydantic 2: a text that is a number.
#
# 1. {"type": "string", "format": "decimal"} becomes Decimal, which pydantic also reads from a JSON number, so 0.1 passes,
#    and which rejects "NaN" and "Infinity", values of every decimal type of SQL and of decimal.Decimal itself.
# 2. {"type": "string", "format": "int64"} becomes str with a warning, so 7 is rejected and "x" passes.
# 3. {"type": ["number", "string"]} becomes float | str: pydantic's smart mode keeps "1.50" a str, so its digits remain.
#
# Seen with these versions; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check datamodel-code-generator==0.89.0 pydantic==2.13.4
cd "$folder"
cat >document.json <<'DOCUMENT'
{
  "openapi": "3.1.0",
  "info": {"title": "t", "version": "1"},
  "paths": {},
  "components": {"schemas": {"Row": {"type": "object", "properties": {
    "price": {"type": "string", "format": "decimal"},
    "number": {"type": "string", "format": "int64"},
    "rate": {"type": ["number", "string"]}
  }}}}
}
DOCUMENT
venv/bin/datamodel-codegen --input document.json --input-file-type openapi --output models.py \
  --output-model-type pydantic_v2.BaseModel --formatters builtin 2>/dev/null
cat >program.py <<'PROGRAM'
from models import Row

for text in (
    '{"price": "1.50"}', '{"price": 0.1}', '{"price": "NaN"}', '{"price": "Infinity"}', '{"number": "7"}', '{"number": 7}',
    '{"number": "x"}', '{"rate": 1.5}', '{"rate": "1.50"}', '{"rate": "NaN"}',
):
    try:
        [value] = Row.model_validate_json(text).model_dump(exclude_unset=True).values()
        print(text, repr(value))
    except ValueError as error:
        print(text, error.errors()[0]["type"])
PROGRAM
venv/bin/python program.py >seen
diff - seen <<'SEEN'
{"price": "1.50"} Decimal('1.50')
{"price": 0.1} Decimal('0.1')
{"price": "NaN"} finite_number
{"price": "Infinity"} finite_number
{"number": "7"} '7'
{"number": 7} string_type
{"number": "x"} 'x'
{"rate": 1.5} 1.5
{"rate": "1.50"} '1.50'
{"rate": "NaN"} 'NaN'
SEEN
echo "datamodel-code-generator 0.89.0: as described"
