/** The frame: sidebar with the tables, header with the search, and the open table. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useEffect, useMemo, useState } from "react";
import { ArrowLeft, Book, BookOpen, History, Keyboard, LayoutDashboard, LogOut, Menu, Moon, Network, Search, Webhook } from "lucide-react";
import { MOUNT } from "../api/client";
import { signOut, useCredentials } from "../api/credentials";
import { config, webhooks } from "../api/queries";
import { type Address, go, hrefOf } from "../lib/address";
import { forgetUndo } from "../lib/undo";
import { T } from "../texts";
import { Button, Dialog, ICON, Waiting } from "../ui";
import logo from "../../../tableapi/openapi/docs/logo.svg";
import { Overview } from "./Overview";
import type { Command } from "./Palette";
import { TableList } from "./TableList";
import { TableScreen } from "./TableScreen";
import { keepScheme } from "../../shared/scheme";

const Picture = lazy(() => import("../panels/picture/Picture"));
const HistoryPanel = lazy(() => import("../panels/HistoryPanel"));
const Palette = lazy(() => import("./Palette"));
const Webhooks = lazy(() => import("../panels/webhooks/Webhooks"));

type Layer = "history" | "keys" | "palette" | null;
const TYPED = /^(?:INPUT|TEXTAREA|SELECT)$/;

/** Opens the palette with ⌘K or Ctrl-K anywhere, and the shortcuts with `?` outside of boxes. */
function useShortcuts(open: (layer: Layer) => void): void {
  useEffect(() => {
    function pressed(event: KeyboardEvent): void {
      if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        open("palette");
      } else if (event.key === "?" && !TYPED.test((event.target as HTMLElement).tagName) && !document.querySelector("dialog[open]")) open("keys");
    }
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [open]);
}

export function Shell({ datasets, address }: { datasets: string[]; address: Address }) {
  const client = useQueryClient();
  const { key, session } = useCredentials();
  const [layer, setLayer] = useState<Layer>(null);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const settings = useQuery(config());
  const { dataset, table, params } = address;
  const hooks = useQuery(webhooks(dataset));
  const view = table ? "" : (params.get("view") ?? "");
  const isSignedIn = key !== "" || session !== "";
  const hasWebhooks = (hooks.data?.length ?? 0) > 0;
  useShortcuts(setLayer);

  const actions = useMemo((): Command[] => {
    const docs = settings.data?.docsurl;
    return [
      { name: T.overviewName, icon: LayoutDashboard, run: () => go(hrefOf(dataset)) },
      { name: T.picture, icon: Network, run: () => go(hrefOf(dataset, "", { view: "picture" })) },
      ...(hasWebhooks ? [{ name: T.webhooks, icon: Webhook, run: () => go(hrefOf(dataset, "", { view: "webhooks" })) }] : []),
      { name: T.history, icon: History, run: () => setLayer("history") },
      { name: T.help, hint: "?", icon: Keyboard, run: () => setLayer("keys") },
      { name: T.theme, icon: Moon, run: switchScheme },
      { name: T.reference, icon: BookOpen, run: () => location.assign(`${MOUNT}/api/docs`) },
      ...(docs ? [{ name: T.documentation, icon: Book, run: () => location.assign(docs) }] : []),
      ...(settings.data?.appkey ? [{ name: T.backToApp, icon: ArrowLeft, run: () => location.assign(`${MOUNT}/`) }] : []),
    ];
  }, [dataset, hasWebhooks, settings.data]);

  function leave(): void {
    client.clear();
    forgetUndo();
    signOut();
  }

  const pages = [
    { view: "", name: T.overviewName, icon: LayoutDashboard },
    { view: "picture", name: T.picture, icon: Network },
    ...(hasWebhooks ? [{ view: "webhooks", name: T.webhooks, icon: Webhook }] : []),
  ];
  return (
    <div className="shell">
      <a className="skip" href="#content" onClick={(event) => { event.preventDefault(); document.getElementById("content")?.focus(); }}>{T.grid}</a>
      <aside className={`sidebar ${isMenuOpen ? "open" : ""}`} aria-label={T.title}>
        <div className="sidebar-head">
          <a className="sidebar-logo" href={hrefOf(dataset)} onClick={() => setMenuOpen(false)}>
            <img src={logo} alt="" width={24} height={24} />
            <span>{T.title}</span>
          </a>
          <select className="input small" aria-label={T.dataset} value={dataset} onChange={(event) => go(hrefOf(event.target.value))}>
            {(datasets.includes(dataset) ? datasets : [dataset, ...datasets]).map((name) => <option key={name}>{name}</option>)}
          </select>
        </div>
        <nav aria-label={T.pages} className="sidebar-pages">
          {pages.map(({ view: name, name: text, icon: Icon }) => (
            <a key={name} href={hrefOf(dataset, "", name ? { view: name } : {})} aria-current={!table && view === name ? "page" : undefined} onClick={() => setMenuOpen(false)}>
              <Icon {...ICON} />
              <span>{text}</span>
            </a>
          ))}
        </nav>
        <TableList dataset={dataset} current={table} onChosen={() => setMenuOpen(false)} />
        <div className="sidebar-foot">
          {settings.data?.appkey && <a href={`${MOUNT}/`}><ArrowLeft {...ICON} /><span>{T.backToApp}</span></a>}
          {isSignedIn && <button type="button" onClick={leave}><LogOut {...ICON} /><span>{T.signOut}</span></button>}
        </div>
      </aside>
      <header className="header">
        <Button tone="ghost" icon={Menu} className="menu-button" aria-label={T.openMenu} aria-expanded={isMenuOpen} onClick={() => setMenuOpen(!isMenuOpen)} />
        <button type="button" className="header-search" onClick={() => setLayer("palette")}>
          <Search {...ICON} />
          <span>{T.commandsShort}</span>
          <kbd>{T.shortcut}</kbd>
        </button>
        <div className="spring" />
        <Button tone="ghost" icon={History} className="wide-only" onClick={() => setLayer("history")}>{T.history}</Button>
        <Button tone="ghost" icon={Keyboard} className="wide-only" onClick={() => setLayer("keys")}>{T.helpShort}</Button>
        <Button tone="ghost" icon={Moon} aria-label={T.theme} title={T.theme} onClick={switchScheme} />
      </header>
      <main id="content" className="content" tabIndex={-1}>
        <Suspense fallback={<Waiting />}>
          {view === "picture" && <Picture key={dataset} dataset={dataset} />}
          {view === "webhooks" && <Webhooks key={dataset} dataset={dataset} />}
          {table && <TableScreen key={`${dataset}/${table}`} address={address} />}
          {!table && view !== "picture" && view !== "webhooks" && <Overview key={dataset} dataset={dataset} onAll={() => setMenuOpen(true)} />}
        </Suspense>
      </main>
      <Suspense>
        {layer === "history" && <HistoryPanel onClose={() => setLayer(null)} />}
        {layer === "palette" && <Palette dataset={dataset} datasets={datasets} actions={actions} onClose={() => setLayer(null)} />}
      </Suspense>
      {layer === "keys" && (
        <Dialog title={T.help} onClose={() => setLayer(null)}>
          <dl className="keys">
            {T.keys.map(([name, meaning]) => <div key={name}><dt><kbd>{name}</kbd></dt><dd>{meaning}</dd></div>)}
          </dl>
        </Dialog>
      )}
    </div>
  );
}

const ATTRIBUTE = "data-mantine-color-scheme";

/** Switches between light and dark. */
function switchScheme(): void {
  const root = document.documentElement;
  const scheme = root.getAttribute(ATTRIBUTE) === "dark" ? "light" : "dark";
  root.setAttribute(ATTRIBUTE, scheme);
  keepScheme(scheme);
}
