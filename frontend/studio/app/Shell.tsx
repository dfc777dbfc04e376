/** Header, list of tables, and what is shown of the chosen one. */
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import { History, Keyboard, LogOut, Menu, Moon, Network } from "lucide-react";
import { signOut, useCredentials } from "../api/credentials";
import { type Address, go, hrefOf } from "../lib/address";
import { T } from "../texts";
import { Button, Dialog, Waiting } from "../ui";
import logo from "../../../tableapi/openapi/docs/logo.svg";
import { Overview } from "./Overview";
import { switchScheme } from "./scheme";
import { TableList } from "./TableList";
import { TableScreen } from "./TableScreen";

const Picture = lazy(() => import("../panels/picture/Picture"));
const HistoryPanel = lazy(() => import("../panels/HistoryPanel"));

export function Shell({ datasets, address }: { datasets: string[]; address: Address }) {
  const client = useQueryClient();
  const { key, session } = useCredentials();
  const [dialog, setDialog] = useState<"history" | "keys" | null>(null);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const { dataset, table, params } = address;
  const isPicture = !table && params.get("view") === "picture";

  return (
    <div className="shell">
      <a className="skip" href="#content" onClick={(event) => { event.preventDefault(); document.getElementById("content")?.focus(); }}>{T.grid}</a>
      <header className="header">
        <Button tone="ghost" icon={Menu} className="menu-button" aria-label={T.openMenu} aria-expanded={isMenuOpen} onClick={() => setMenuOpen(!isMenuOpen)} />
        <img src={logo} alt="" width={24} height={24} />
        <span className="header-title">{T.title}</span>
        <select className="input small" aria-label={T.dataset} value={dataset} onChange={(event) => go(hrefOf(event.target.value))}>
          {(datasets.includes(dataset) ? datasets : [dataset, ...datasets]).map((name) => <option key={name}>{name}</option>)}
        </select>
        <div className="spring" />
        <Button tone="ghost" icon={Network} aria-pressed={isPicture} aria-label={T.picture} title={T.picture} onClick={() => go(hrefOf(dataset, "", { view: "picture" }))} />
        <Button tone="ghost" icon={History} aria-label={T.history} title={T.history} onClick={() => setDialog("history")} />
        <Button tone="ghost" icon={Keyboard} className="wide-only" aria-label={T.help} title={T.help} onClick={() => setDialog("keys")} />
        <Button tone="ghost" icon={Moon} aria-label={T.theme} title={T.theme} onClick={switchScheme} />
        {(key || session) && <Button tone="ghost" icon={LogOut} aria-label={T.signOut} title={T.signOut} onClick={() => { client.clear(); signOut(); }} />}
      </header>
      <TableList dataset={dataset} current={table} isOpen={isMenuOpen} onChosen={() => setMenuOpen(false)} />
      <main id="content" className="content" tabIndex={-1}>
        <Suspense fallback={<Waiting />}>
          {isPicture && <Picture key={dataset} dataset={dataset} />}
          {table && <TableScreen key={`${dataset}/${table}`} address={address} />}
          {!table && !isPicture && <Overview key={dataset} dataset={dataset} onAll={() => setMenuOpen(true)} />}
        </Suspense>
      </main>
      <Suspense>{dialog === "history" && <HistoryPanel onClose={() => setDialog(null)} />}</Suspense>
      {dialog === "keys" && (
        <Dialog title={T.help} onClose={() => setDialog(null)}>
          <dl className="keys">
            {T.keys.map(([name, meaning]) => <div key={name}><dt><kbd>{name}</kbd></dt><dd>{meaning}</dd></div>)}
          </dl>
        </Dialog>
      )}
    </div>
  );
}
