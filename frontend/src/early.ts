/** The first script of the page. It requests the data that every screen needs, in parallel with the app itself. */
import "./app/styles.css";
import { loadConfig } from "./api/config";
import { asksForAccount, sendEarly } from "./api/early";
import { contactsPage } from "./api/lists";
import { loadLanguage } from "./lib/language";
import { numberFormat, timeZone } from "./lib/locale";
import { pageNumber, pageSize } from "./lib/paging";
import { readStoredSession } from "./stores/storedsession";

const HOME = "/dashboard/main/dashboardmain";
const CONTACTS = "/dashboard/main/mycontacts";

/** The most common first screens, loaded together with the app. */
const SCREENS: Record<string, () => Promise<unknown>> = {
  "/": () => import("./screens/login/LoginScreen"),
  "/login": () => import("./screens/login/LoginScreen"),
  [HOME]: () => import("./screens/dashboardmain/DashboardMainScreen"),
  "/dashboard/main/search": () => import("./screens/search/SearchScreen"),
  [CONTACTS]: () => import("./screens/mycontacts/MyContactsScreen"),
};

/** The account, and the list of the screen: both need the settings of the server only for the name of the dataset. */
async function requestData({ pathname, search }: Location): Promise<void> {
  const session = readStoredSession();
  if (!asksForAccount(session, { pathname, search })) return;
  const params = new URLSearchParams(search);
  const credentials = { appkey: session.apiKey, token: session.sessionToken };
  sendEarly({ method: "PUT", path: "user/session" }, credentials);
  if (pathname !== CONTACTS || [...params.keys()].some((name) => name !== "page" && name !== "size")) return;
  const { dataset } = await loadConfig();
  const size = pageSize(params.get("size"));
  const query = contactsPage({ limit: size, offset: (pageNumber(params.get("page")) - 1) * size });
  sendEarly({ method: "GET", path: `${dataset}/_table/usercontact`, query, contacts: true }, credentials);
}

function loadScripts(pathname: string): Promise<unknown> {
  const app = import("./main");
  const parts = [SCREENS[pathname]];
  if (pathname.startsWith("/dashboard")) parts.push(() => import("./app/layout/Dashboard"));
  // A part that fails is loaded again by the router, which reports the failure.
  for (const load of parts) load?.().catch(() => undefined);
  return app;
}

void loadConfig().catch(() => undefined);
void requestData(window.location).catch(() => undefined);
void loadLanguage().then(() => {
  void loadScripts(window.location.pathname);
  // The first formatters take 15 ms on a fast processor, which is idle until the scripts arrive.
  numberFormat();
  timeZone();
});
