#!/usr/bin/env bash
# i18n-iso-countries 7.14.0: conversions that check nothing.
#
# 1. toAlpha2() returns any two letters as they are, and toAlpha3() any three: UK and QQ are codes for it, although
#    isValid() is false and getName() undefined. Two letters to three is looked up, so toAlpha3("UK") is undefined.
# 2. The names are the reverse: getAlpha2Code("UK", "en") is GB, yet getName("UK", "en") is undefined.
# 3. England, Korea, Holland and Macedonia have no code; Turkey and Ivory Coast have one.
#
# Seen with this version; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund i18n-iso-countries@7.14.0
cat >"$folder/program.cjs" <<'PROGRAM'
const countries = require("i18n-iso-countries");
console.log("version", require("i18n-iso-countries/package.json").version);
for (const code of ["GB", "UK", "QQ"]) {
  console.log(code, countries.toAlpha2(code), countries.toAlpha3(code), countries.isValid(code), countries.getName(code, "en"));
}
console.log("QQQ", countries.toAlpha3("QQQ"), countries.toAlpha2("QQQ"));
for (const name of ["UK", "England", "Korea", "Holland", "Macedonia", "Turkey", "Ivory Coast"]) {
  console.log(name, countries.getAlpha2Code(name, "en"));
}
PROGRAM
node "$folder/program.cjs" >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
version 7.14.0
GB GB GBR true United Kingdom
UK UK undefined false undefined
QQ QQ undefined false undefined
QQQ QQQ undefined
UK GB
England undefined
Korea undefined
Holland undefined
Macedonia undefined
Turkey TR
Ivory Coast CI
SEEN
echo "i18n-iso-countries 7.14.0: as described"
