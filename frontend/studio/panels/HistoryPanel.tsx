/** The requests made in this browser, newest first. */
import { useState } from "react";
import { parseAddress } from "../lib/address";
import { forget, history, said } from "../lib/history";
import { T } from "../texts";
import { Button, Dialog } from "../ui";

export default function HistoryPanel({ onClose }: { onClose: () => void }) {
  const [asked, setAsked] = useState(history);
  return (
    <Dialog title={T.historyTitle} onClose={onClose} className="wide">
      {asked.length === 0 ? (
        <p className="dim">{T.historyEmpty}</p>
      ) : (
        <>
          <ul className="history">
            {asked.map(({ href, at, milliseconds }) => {
              const { dataset, table, params } = parseAddress(href);
              return (
                <li key={href}>
                  <a href={href} onClick={onClose}>
                    <strong>{dataset}/{table}</strong> <span>{said(params)}</span>
                  </a>
                  <span className="dim">{new Date(at).toLocaleString("en")} · {milliseconds} ms</span>
                </li>
              );
            })}
          </ul>
          <Button onClick={() => { forget(); setAsked([]); }}>{T.historyClear}</Button>
        </>
      )}
    </Dialog>
  );
}
