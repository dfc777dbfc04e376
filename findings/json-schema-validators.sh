#!/usr/bin/env bash
# jsonschema 4.26.0, jsonschema-rs 0.61.2, ajv 8.20.0 with ajv-formats 3.0.1, and @hyperjump/json-schema 1.18.0: one
# schema of draft 2020-12 and one value, and what each makes of it.
#
# 1. multipleOf 0.01, as descriptions of prices have it: jsonschema and ajv reject 19.99 and 4.35 and accept 1.1, because
#    they divide floats; the other two divide decimals.
# 2. \d and \w are those of Python in jsonschema, so they match digits and letters of every script, and a byte order mark
#    is no \s there. \p{L} raises an error of the module re, which is no error of jsonschema.
# 3. \b in front of an accented letter is a boundary for the two in Python and Rust, and none for those in JavaScript.
# 4. format date-time with a blank instead of T passes in ajv and not in jsonschema-rs; email a@b passes there and not in
#    ajv. jsonschema checks date-time only with its extra `format`, @hyperjump/json-schema no format unless told so.
#
# Seen with these versions; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check jsonschema==4.26.0 jsonschema-rs==0.61.2
cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
npm install --silent --no-audit --no-fund ajv@8.20.0 ajv-formats@3.0.1 @hyperjump/json-schema@1.18.0
cat >cases.json <<'CASES'
[[{"multipleOf": 0.01}, 19.99], [{"multipleOf": 0.01}, 4.35], [{"multipleOf": 0.01}, 1.1],
 [{"pattern": "^\\d+$"}, "١٢"], [{"pattern": "^\\w+$"}, "Zażółć"], [{"pattern": "^\\s$"}, "\ufeff"],
 [{"pattern": "^\\p{L}+$"}, "Zażółć"], [{"pattern": "\\bé"}, "é"],
 [{"format": "date-time"}, "2026-01-01 10:00:00Z"], [{"format": "email"}, "a@b"]]
CASES
cat >program.py <<'PROGRAM'
import json
import re

import jsonschema
import jsonschema_rs

for schema, value in json.load(open("cases.json")):
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    try:
        first = validator.is_valid(value)
    except re.error:
        first = "re.error"
    second = jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid(value)
    print("python", json.dumps(schema), json.dumps(value), first, second)
PROGRAM
cat >program.js <<'PROGRAM'
import { readFileSync } from "node:fs";
import { registerSchema, validate } from "@hyperjump/json-schema/draft-2020-12";
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
const ajv = addFormats(new Ajv({ strict: false }));
for (const [index, [schema, value]] of JSON.parse(readFileSync("cases.json", "utf8")).entries()) {
  const id = `https://schemas.example/${index}`;
  registerSchema({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema }, id);
  console.log("javascript", JSON.stringify(schema), ajv.validate(schema, value), (await validate(id, value)).valid);
}
PROGRAM
{ venv/bin/python program.py && node program.js; } >seen
diff - seen <<'SEEN'
python {"multipleOf": 0.01} 19.99 False True
python {"multipleOf": 0.01} 4.35 False True
python {"multipleOf": 0.01} 1.1 True True
python {"pattern": "^\\d+$"} "\u0661\u0662" True False
python {"pattern": "^\\w+$"} "Za\u017c\u00f3\u0142\u0107" True False
python {"pattern": "^\\s$"} "\ufeff" False True
python {"pattern": "^\\p{L}+$"} "Za\u017c\u00f3\u0142\u0107" re.error True
python {"pattern": "\\b\u00e9"} "\u00e9" True True
python {"format": "date-time"} "2026-01-01 10:00:00Z" True False
python {"format": "email"} "a@b" True True
javascript {"multipleOf":0.01} false true
javascript {"multipleOf":0.01} false true
javascript {"multipleOf":0.01} true true
javascript {"pattern":"^\\d+$"} false false
javascript {"pattern":"^\\w+$"} false false
javascript {"pattern":"^\\s$"} true true
javascript {"pattern":"^\\p{L}+$"} true true
javascript {"pattern":"\\bé"} false false
javascript {"format":"date-time"} true true
javascript {"format":"email"} false true
SEEN
echo "jsonschema 4.26.0, jsonschema-rs 0.61.2, ajv 8.20.0, @hyperjump/json-schema 1.18.0: as described"
