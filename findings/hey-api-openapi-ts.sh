#!/usr/bin/env bash
# @hey-api/openapi-ts 0.99.0 with zod 4.6.7.
#
# 1. An input of the form "folder/file.json" is taken for a project of the maker's registry and rejected, although the
#    file exists; "./folder/file.json" works.
# 2. format uuid becomes z.uuid(), which rejects UUIDs without a version and variant of RFC 9562, such as
#    11111111-1111-1111-1111-111111111111, which databases store; z.guid() would accept them.
# 3. type integer becomes z.int(), which rejects 9007199254740993 as unsafe. With format int64, it becomes a bigint that
#    is made of the parsed number, which has already been rounded: the wrong value passes.
#
# Seen with these versions; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
npm install --silent --no-audit --no-fund @hey-api/openapi-ts@0.99.0 zod@4.6.7 typescript@5.9.3 esbuild@0.28.2
mkdir spec
cat >spec/document.json <<'DOCUMENT'
{
  "openapi": "3.1.0",
  "info": {"title": "t", "version": "1"},
  "paths": {},
  "components": {"schemas": {"Row": {"type": "object", "properties": {
    "id": {"type": "string", "format": "uuid"},
    "big": {"type": "integer"},
    "long": {"type": "integer", "format": "int64"}
  }}}}
}
DOCUMENT
npx openapi-ts -i spec/document.json -o out -p @hey-api/typescript zod >first 2>&1 && status=accepted || status=rejected
echo "spec/document.json $status $(grep -o 'Invalid Hey API shorthand format' first | head -1)" >seen
npx openapi-ts -i ./spec/document.json -o out -p @hey-api/typescript zod >/dev/null 2>&1 && echo "./spec/document.json accepted" >>seen
cat >program.ts <<'PROGRAM'
import { zRow } from "./out/zod.gen";
for (const text of [
  '{"id": "11111111-1111-1111-1111-111111111111"}', '{"id": "0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e"}',
  '{"big": 9007199254740991}', '{"big": 9007199254740993}', '{"long": 5}', '{"long": 9007199254740993}',
]) {
  const found = zRow.safeParse(JSON.parse(text));
  console.log(text, found.success ? `${typeof Object.values(found.data)[0]} ${Object.values(found.data)[0]}` : found.error.issues[0]?.code);
}
PROGRAM
npx esbuild program.ts --bundle --platform=node --format=esm --outfile=program.mjs --log-level=error
node program.mjs >>seen
diff - seen <<'SEEN'
spec/document.json rejected Invalid Hey API shorthand format
./spec/document.json accepted
{"id": "11111111-1111-1111-1111-111111111111"} invalid_format
{"id": "0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e"} string 0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e
{"big": 9007199254740991} number 9007199254740991
{"big": 9007199254740993} too_big
{"long": 5} bigint 5
{"long": 9007199254740993} bigint 9007199254740992
SEEN
echo "@hey-api/openapi-ts 0.99.0: as described"
