/** A menu that copies the request for the shown list, for other programs.

 `dataset`, `table`, `query`  of the request; without the page, it starts at the first row
*/
import { Button, Menu } from "@mantine/core";
import { ClipboardCopy } from "lucide-react";
import { copyText } from "../../shared/clipboard";
import type { Params } from "../../shared/requests";
import { toast } from "../../shared/toasts";
import { t } from "../lib/i18n.dashboard";

const NAMES = ["curl", "Python", "JavaScript", "MCP"];

interface Props {
  dataset: string;
  table: string;
  query: Params;
}

export function CopyAs({ dataset, table, query }: Props) {
  const copy = async (name: string) => {
    const { WAYS } = await import("../../shared/requests");
    const address = `${location.origin}/api/v2/${dataset}/_table/${table}`;
    const shown = { address, dataset, table, params: query, credentials: { key: true, session: true }, isOneOfMany: false };
    await copyText(WAYS.find(([way]) => way === name)?.[1](shown) ?? "");
    toast(t("copyAs.done", { name }));
  };
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button size="sm" variant="default" leftSection={<ClipboardCopy size={16} strokeWidth={1.75} aria-hidden="true" />}>
          {t("copyAs.open")}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {NAMES.map((name) => (
          <Menu.Item key={name} onClick={() => void copy(name)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
