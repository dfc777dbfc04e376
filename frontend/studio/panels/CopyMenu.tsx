/** Copy the request for the current view. */
import { useQueryClient } from "@tanstack/react-query";
import { ClipboardCopy } from "lucide-react";
import { type Shown, WAYS } from "../../shared/requests";
import { API, type Params, tablePath } from "../api/client";
import { useCredentials } from "../api/credentials";
import type { TableInfo } from "../api/types";
import { copyAndReport } from "../lib/copy";
import { T } from "../texts";
import { Button, Popover } from "../ui";

const SHOWN_ROWS = 100;

export function CopyMenu({ dataset, info, request }: { dataset: string; info: TableInfo; request: Params }) {
  const client = useQueryClient();
  const credentials = useCredentials();
  const datasets = client.getQueryData<string[]>(["datasets", credentials.key, credentials.session]) ?? [];
  const shown: Shown = {
    address: `${location.origin}${API}${tablePath(dataset, info.name)}`,
    dataset,
    table: info.name,
    params: { ...request, limit: SHOWN_ROWS },
    credentials: { key: credentials.key !== "", session: credentials.session !== "" },
    isOneOfMany: datasets.length > 1,
  };
  return (
    <Popover label={T.copyAs} icon={ClipboardCopy}>
      {(close) => (
        <ul className="menu-list">
          {WAYS.map(([name, text]) => (
            <li key={name}><Button tone="ghost" onClick={() => { void copyAndReport(text(shown)); close(); }}>{name}</Button></li>
          ))}
        </ul>
      )}
    </Popover>
  );
}
