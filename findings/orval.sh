#!/usr/bin/env bash
# orval 8.38.0: operation ids in other alphabets.
#
# Letters other than Latin ones are left out of operation ids. getСтрана and get東京 both become get, so the file declares
# this function twice and does not compile; the generator reports success. getZażółć remains as it is.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
npm install --silent --no-audit --no-fund orval@8.38.0 typescript@5.9.3
cat >document.json <<'DOCUMENT'
{
  "openapi": "3.1.0",
  "info": {"title": "t", "version": "1"},
  "paths": {
    "/a": {"get": {"operationId": "getСтрана", "responses": {"200": {"description": "a"}}}},
    "/b": {"get": {"operationId": "get東京", "responses": {"200": {"description": "b"}}}},
    "/c": {"get": {"operationId": "getZażółć", "responses": {"200": {"description": "c"}}}}
  }
}
DOCUMENT
npx orval --input ./document.json --output ./api.ts --client fetch >/dev/null 2>&1 && echo "generated" >seen
grep -oE "^export const get\w* = async" api.ts >>seen
{ npx tsc --strict --noEmit --target es2022 --lib es2022,dom,dom.iterable --module esnext --skipLibCheck api.ts || true; } |
  grep -oE "TS[0-9]+: .*'get'\.$" | sort -u >>seen
diff - seen <<'SEEN'
generated
export const get = async
export const get = async
export const getZażółć = async
TS2451: Cannot redeclare block-scoped variable 'get'.
SEEN
echo "orval 8.38.0: as described"
