/** A menu that copies the request for the shown list, for other programs.

 `dataset`, `table`, `query`  of a table's rows; without the page, they start at the first row
 `call`, `body`               of a call that returns rows; without the page as well
 `size`                       of the button, that of its neighbours
*/
import { Button, Menu } from "@mantine/core";
import { ClipboardCopy } from "lucide-react";
import { copyText } from "../../shared/clipboard";
import type { Params, Shown } from "../../shared/requests";
import { toast } from "../../shared/toasts";
import { t } from "../lib/i18n.dashboard";

const NAMES = ["curl", "Python", "TypeScript", "MCP"];

type Asked = { dataset: string; table: string; query: Params } | { call: string; body: object };
type Props = Asked & { size?: "sm" | "md" };

function shownBy(props: Asked): Shown {
  const credentials = { key: true, session: true };
  const at = (path: string) => ({ address: `${location.origin}/api/v2/${path}`, credentials });
  if ("call" in props) return { ...at(props.call), call: props.call, body: { ...props.body } };
  const { dataset, table, query } = props;
  return { ...at(`${dataset}/_table/${table}`), dataset, table, params: query, isOneOfMany: false };
}

export function CopyAs({ size = "sm", ...props }: Props) {
  const copy = async (name: string) => {
    const { WAYS } = await import("../../shared/requests");
    await copyText(WAYS.find(([way]) => way === name)?.[1](shownBy(props)) ?? "");
    toast(t("copyAs.done", { name }));
  };
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button size={size} variant="default" leftSection={<ClipboardCopy size={16} strokeWidth={1.75} aria-hidden="true" />}>
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
