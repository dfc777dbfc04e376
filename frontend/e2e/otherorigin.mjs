/** A page of another origin reads with QUERY: the browser sends its preflight, and reads only where it may. */
import { createServer, request as forward } from "node:http";
import { BASE, check, journey } from "./browser.mjs";

const { PORT } = process.env;
const [LISTED, UNLISTED] = [`http://127.0.0.1:${PORT}`, `http://localhost:${PORT}`];
const IDS = Array.from({ length: 3_000 }, (_, id) => id + 1);

journey("otherorigin", async (open) => {
  const methods = [];
  const site = await listening(createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<!doctype html><title>A shop</title>")), Number(PORT));
  const api = await listening(createServer(recorded(methods)), 0);
  const host = `127.0.0.1:${api.address().port}`;
  const customers = `http://${host}/api/v2/shop/_table/customer`;
  try {
    const page = await open({ hosts: [new URL(LISTED).host, host] });
    await page.goto(LISTED);
    const answer = await page.evaluate(query, { url: customers, body: { filter: `id IN (${IDS})`, include_count: true, limit: 2 } });
    check(answer.status === 200 && answer.body.meta.count === 3_000, `3,000 ids in one filter, not ${JSON.stringify(answer)}`);
    check(methods.join() === "OPTIONS,QUERY", `a preflight and the request, not ${methods}`);
    check(answer.etag?.length > 10, `an ETag that the page may read, not ${answer.etag}`);
    const again = await page.evaluate(query, { url: customers, body: { limit: 1 }, headers: { "If-None-Match": '"other"' } });
    check(again.status === 200, `a condition to pass the preflight, not ${again.status}`);
    const wrong = await page.evaluate(query, { url: customers, body: { filter: "nothing = 1" } });
    check(wrong.body?.error?.context?.reason === "unknown_field", `the error to be readable, not ${JSON.stringify(wrong)}`);
    methods.length = 0;
    await rejected(await page.context().browser().newContext(), customers);
    check(methods.join() === "OPTIONS", `a preflight alone from an origin that is not listed, not ${methods}`);
  } finally {
    site.close();
    api.close();
  }
});

/** An origin that is not listed gets no answer to read. The context is not watched: the browser logs the rejection. */
async function rejected(context, url) {
  const page = await context.newPage();
  await page.goto(UNLISTED);
  const outcome = await page.evaluate(query, { url, body: { limit: 1 } }).catch((error) => error.message);
  check(String(outcome).includes("Failed to fetch"), `the browser to refuse, not ${JSON.stringify(outcome)}`);
  await context.close();
}

const listening = (server, port) => new Promise((done) => server.listen(port, () => done(server)));

/** A proxy in front of the server that notes the method of each request: the browser's tools do not show preflights. */
const recorded = (methods) => (request, response) => {
  methods.push(request.method);
  const passed = forward(new URL(request.url, BASE), { method: request.method, headers: request.headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  request.pipe(passed);
};

async function query({ url, body, headers = {} }) {
  const response = await fetch(url, { method: "QUERY", headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) });
  return { status: response.status, etag: response.headers.get("ETag"), body: await response.json() };
}
