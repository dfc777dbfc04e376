/** The command palette for tables, pages and actions: ⌘K or Ctrl-K. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { type LucideIcon, Bookmark, Database, Search, Table2 } from "lucide-react";
import { useChoice } from "../../shared/usechoice";
import { tables } from "../api/queries";
import { go, hrefOf, parseAddress } from "../lib/address";
import { history, said } from "../lib/history";
import { useViews } from "../lib/views";
import { T } from "../texts";
import { ICON } from "../ui";
import { matching } from "./TableList";

export interface Command {
  name: string;
  hint?: string;
  icon: LucideIcon;
  run: () => void;
}

interface Props {
  dataset: string;
  datasets: string[];
  actions: Command[];
  onClose: () => void;
}

const MOST = 12;
const MOST_RECENT = 4;

export default function Palette({ dataset, datasets, actions, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const all = useQuery(tables(dataset));
  const views = useViews(dataset);

  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);

  const found = useMemo((): Command[] => {
    const words = text.trim().toLowerCase();
    const named = (command: Command): boolean => command.name.toLowerCase().includes(words);
    const recent = history().filter(({ href }) => parseAddress(href).dataset === dataset).slice(0, MOST_RECENT).map(({ href }): Command => {
      const { table, params } = parseAddress(href);
      return { name: table, hint: said(params) || T.lately, icon: Table2, run: () => go(href) };
    });
    const saved = views.map(({ name, href }): Command => ({ name, hint: `${T.views} · ${parseAddress(href).table}`, icon: Bookmark, run: () => go(href) }));
    const byName = matching(all.data ?? [], words).slice(0, MOST).map(({ name, description }): Command => ({ name, hint: description ?? "", icon: Table2, run: () => go(hrefOf(dataset, name)) }));
    const others = datasets.filter((name) => name !== dataset).map((name): Command => ({ name, hint: T.dataset, icon: Database, run: () => go(hrefOf(name)) }));
    return words ? [...byName, ...saved.filter(named), ...actions.filter(named), ...others.filter(named)].slice(0, MOST) : [...saved.slice(0, MOST_RECENT), ...recent, ...actions];
  }, [text, all.data, actions, dataset, datasets, views]);

  const run = (command: Command): void => {
    onClose();
    command.run();
  };
  const { index: chosen, setAt, onKeyDown } = useChoice(found, (index) => `command-${index}`, run);

  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Escape closes it, too
    <dialog ref={dialog} className="dialog palette" aria-label={T.commands} onCancel={(event) => { event.preventDefault(); onClose(); }} onClick={(event) => { if (event.target === dialog.current) onClose(); }}>
      <label className="palette-box">
        <Search {...ICON} />
        <input
          type="text"
          role="combobox"
          aria-label={T.commands}
          aria-expanded
          aria-controls="commands"
          aria-activedescendant={found.length > 0 ? `command-${chosen}` : undefined}
          placeholder={T.commandsHint}
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => { setText(event.target.value); setAt(0); }}
          onKeyDown={onKeyDown}
        />
      </label>
      <div id="commands" role="listbox" aria-label={T.commands} className="palette-list">
        {found.map((command, index) => (
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the box handles the keys
          <div key={`${command.name} ${command.hint ?? ""}`} id={`command-${index}`} role="option" aria-selected={index === chosen} onClick={() => run(command)} onPointerMove={() => setAt(index)}>
            <command.icon {...ICON} />
            <span className="palette-name">{command.name}</span>
            <span className="palette-hint">{command.hint}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="dim pad" role="status">{T.commandsNone}</p>}
    </dialog>
  );
}
