#!/usr/bin/env bash
# httpx-sse 0.4.3, sseclient-py 1.9.0, @microsoft/fetch-event-source 2.0.1, eventsource 4.1.1 and EventSource of undici
# 7.30.2, which follows the HTML standard: blocks of a stream that have no data, and its end.
#
# 1. A block with only `id:` moves the position that a client resumes from and is no event. eventsource forgets it: the
#    next event has an empty lastEventId. fetch-event-source remembers it, yet no event after it has an id.
# 2. httpx-sse and fetch-event-source pass blocks with only `retry:` or `id:` on as events with an empty text, which is
#    no JSON: json() of httpx-sse raises. So are comments, for httpx-sse once the stream has had an id: every heartbeat
#    is an event then. The name of an event without one is "" in fetch-event-source, "message" elsewhere.
# 3. sseclient-py returns the last block although its blank line is missing, as when a connection is cut in the middle of
#    an event. The others discard it.
#
# Seen with these versions; the script fails if any of it changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check httpx-sse==0.4.3 httpx==0.28.1 sseclient-py==1.9.0
cd "$folder"
echo '{"private": true, "type": "module"}' >package.json
npm install --silent --no-audit --no-fund eventsource@4.1.1 undici@7.30.2 @microsoft/fetch-event-source@2.0.1
printf 'retry: 2000\n\nid: 7\n\n: heartbeat\n\ndata: {"a":1}\n\nevent: row\ndata: {"b":2}\n\nevent: row\ndata: {"cut":\n' >stream
cat >program.py <<'PROGRAM'
import json

import httpx
from httpx_sse import EventSource
from sseclient import SSEClient

stream = open("stream", "rb").read()
response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=stream)
for event in EventSource(response).iter_sse():
    try:
        value = event.json()
    except json.JSONDecodeError:
        value = "JSONDecodeError"
    print("httpx-sse", repr(event.event), repr(event.id), repr(event.data), value)
for event in SSEClient([stream]).events():
    print("sseclient-py", repr(event.event), repr(event.id), repr(event.data))
PROGRAM
cat >program.js <<'PROGRAM'
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fetchEventSource } from "@microsoft/fetch-event-source";
import { EventSource } from "eventsource";
import { EventSource as Undici } from "undici";
const stream = readFileSync("stream");
const server = createServer((request, response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(stream));
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const url = `http://127.0.0.1:${server.address().port}/`;
for (const [name, Source] of Object.entries({ undici: Undici, eventsource: EventSource })) {
  const source = new Source(url);
  const show = ({ type, lastEventId, data }) => console.log(name, JSON.stringify([type, lastEventId, data]));
  source.addEventListener("message", show);
  source.addEventListener("row", show);
  await new Promise((done) => source.addEventListener("error", done, { once: true }));
  source.close();
}
globalThis.window = { fetch, setTimeout, clearTimeout };
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
await fetchEventSource(url, {
  openWhenHidden: true,
  onmessage: ({ event, id, data }) => console.log("fetch-event-source", JSON.stringify([event, id, data])),
});
server.close();
process.exit(0);
PROGRAM
{ venv/bin/python program.py && node --no-warnings program.js; } >seen
diff - seen <<'SEEN'
httpx-sse 'message' '' '' JSONDecodeError
httpx-sse 'message' '7' '' JSONDecodeError
httpx-sse 'message' '7' '' JSONDecodeError
httpx-sse 'message' '7' '{"a":1}' {'a': 1}
httpx-sse 'row' '7' '{"b":2}' {'b': 2}
sseclient-py 'message' None '{"a":1}'
sseclient-py 'row' None '{"b":2}'
sseclient-py 'row' None '{"cut":'
undici ["message","7","{\"a\":1}"]
undici ["row","7","{\"b\":2}"]
eventsource ["message","","{\"a\":1}"]
eventsource ["row","","{\"b\":2}"]
fetch-event-source ["","",""]
fetch-event-source ["","7",""]
fetch-event-source ["","",""]
fetch-event-source ["","","{\"a\":1}"]
fetch-event-source ["row","","{\"b\":2}"]
SEEN
echo "httpx-sse 0.4.3, sseclient-py 1.9.0, fetch-event-source 2.0.1, eventsource 4.1.1, undici 7.30.2: as described"
