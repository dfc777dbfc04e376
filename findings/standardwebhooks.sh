#!/usr/bin/env bash
# standardwebhooks 1.1.0 for Python and 1.1.1 for Node.
#
# 1. Python: sign() takes the wall clock of its datetime as UTC, whatever its zone. The same moment in two zones gives two
#    signatures, and verify() rejects the one of another zone under its right timestamp. Pass a datetime in UTC. The
#    package for Node takes a Date, which has no zone, and signs as Python does in UTC.
# 2. Python: verify(json_parse=False) returns None for a valid signature, so its result is no truth value.
# 3. Node: verify() needs a plain object. The Headers of a fetch Request are "Missing required headers".
# 4. Node: a body that is not JSON is verified first and raises SyntaxError then, not WebhookVerificationError.
#
# Seen with these versions; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check standardwebhooks==1.1.0
(cd "$folder" && npm install --silent --no-audit --no-fund standardwebhooks@1.1.1)
cat >"$folder/program.py" <<'PROGRAM'
from datetime import UTC, datetime, timedelta, timezone

from standardwebhooks import Webhook, WebhookVerificationError

webhook = Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
noon = datetime(2026, 11, 27, 12, tzinfo=UTC)
berlin = noon.astimezone(timezone(timedelta(hours=2)))
print("same moment", noon == berlin)
print("utc", webhook.sign("msg_1", noon, "{}"))
print("+02", webhook.sign("msg_1", berlin, "{}"))
print("two hours later", webhook.sign("msg_1", noon + timedelta(hours=2), "{}"))
for zone in (UTC, timezone(timedelta(hours=2))):
    now = datetime.now(zone)
    headers = {"webhook-id": "msg_1", "webhook-timestamp": str(int(now.timestamp()))}
    headers["webhook-signature"] = webhook.sign("msg_1", now, "{}")
    try:
        print("verified", webhook.verify("{}", headers), webhook.verify("{}", headers, json_parse=False))
    except WebhookVerificationError as error:
        print("rejected", error)
PROGRAM
cat >"$folder/program.js" <<'PROGRAM'
const { Webhook } = require("standardwebhooks");
const webhook = new Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
console.log("node", webhook.sign("msg_1", new Date("2026-11-27T14:00:00+02:00"), "{}"));
const now = new Date();
const headersOf = (body) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": String(Math.floor(now / 1000)),
  "webhook-signature": webhook.sign("msg_1", now, body),
});
const outcome = (body, headers) => {
  try {
    return JSON.stringify(webhook.verify(body, headers));
  } catch (error) {
    return error.constructor.name;
  }
};
console.log("object", outcome("{}", headersOf("{}")));
console.log("Headers", outcome("{}", new Headers(headersOf("{}"))));
console.log("text", outcome("ping", headersOf("ping")));
PROGRAM
{ "$folder/venv/bin/python" "$folder/program.py" && node "$folder/program.js"; } >"$folder/seen"
diff - "$folder/seen" <<'SEEN'
same moment True
utc v1,1jno5qGe0sMhREg2ZZdpyzYpsPH2rBGEfD+e9ssHpuQ=
+02 v1,cgO9etLraWlfkuR6xADmd6w1U0hazhsTzPowxkmyjYQ=
two hours later v1,cgO9etLraWlfkuR6xADmd6w1U0hazhsTzPowxkmyjYQ=
verified {} None
rejected No matching signature found
node v1,1jno5qGe0sMhREg2ZZdpyzYpsPH2rBGEfD+e9ssHpuQ=
object {}
Headers WebhookVerificationError
text SyntaxError
SEEN
echo "standardwebhooks 1.1.0 and 1.1.1: as described"
