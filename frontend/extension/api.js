/** The calls to the app's server, with the session of the person who is signed in there. */

/** Where the app keeps its session and what it is called. Runs in the app's page: it may use nothing from outside. */
export async function sessionOfPage() {
  try {
    const response = await fetch("/api/v2/config");
    const { brandname, dataset, appkey } = await response.json();
    const session = JSON.parse(localStorage.getItem("session") ?? "null")?.state?.session;
    if (!dataset || !session) return null;
    return { origin: location.origin, brand: brandname, appkey, token: session.sessionToken, email: session.emailid };
  } catch {
    return null;
  }
}

/** Starts a look-up of the addresses, or with `estimateonly` says what it would cost. */
export async function lookUp({ origin, appkey, token }, urls, kinds, options) {
  const response = await fetch(`${origin}/api/v2/bulklookup`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": appkey, "X-Session-Token": token },
    body: JSON.stringify({ urls, kinds, ...options }),
  });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error?.message ?? "Something went wrong!"), { status: response.status });
  return answer;
}
