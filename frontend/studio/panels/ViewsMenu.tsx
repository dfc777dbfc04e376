/** Saves the current view of the table under a name, opens saved views, and copies links to them. */
import { type FormEvent, useState } from "react";
import { Bookmark, Link2, X } from "lucide-react";
import { toast } from "../../shared/toasts";
import { copyAndReport } from "../lib/copy";
import { go, hrefOf, parseAddress } from "../lib/address";
import { said } from "../lib/history";
import { MAX_NAME, removeView, saveView, useViews } from "../lib/views";
import { T } from "../texts";
import { Button, Popover } from "../ui";

/** The address of the current view, without the open record. */
function shownNow(): string {
  const { dataset, table, params } = parseAddress(location.hash);
  params.delete("open");
  return hrefOf(dataset, table, params);
}

export function ViewsMenu({ dataset, table }: { dataset: string; table: string }) {
  const views = useViews(dataset, table);
  return (
    <Popover label={T.views} icon={Bookmark} badge={views.length > 0 ? String(views.length) : ""}>
      {(close) => (
        <>
          {views.length > 0 && (
            <ul className="menu-list">
              {views.map((view) => (
                <li key={view.name} className="view-line">
                  <Button tone="ghost" title={said(parseAddress(view.href).params)} onClick={() => { go(view.href); close(); }}>{view.name}</Button>
                  <Button tone="ghost" icon={X} aria-label={T.viewRemove(view.name)} onClick={() => removeView(view)} />
                </li>
              ))}
            </ul>
          )}
          <SaveForm onSaved={close} />
          <Button tone="ghost" icon={Link2} onClick={() => { void copyAndReport(location.href.split("#")[0] + shownNow()); close(); }}>{T.viewLink}</Button>
        </>
      )}
    </Popover>
  );
}

function SaveForm({ onSaved }: { onSaved: () => void }) {
  const [name, setName] = useState("");

  function submit(event: FormEvent): void {
    event.preventDefault();
    const kept = saveView({ name: name.trim(), href: shownNow() });
    if (kept) toast(T.viewSaved(name.trim()));
    else toast(T.viewNotKept, "bad");
    onSaved();
  }

  return (
    <form className="view-form" onSubmit={submit}>
      <input type="text" aria-label={T.viewName} placeholder={T.viewName} value={name} maxLength={MAX_NAME} onChange={(event) => setName(event.target.value)} />
      <Button type="submit" disabled={name.trim() === ""}>{T.save}</Button>
    </form>
  );
}
