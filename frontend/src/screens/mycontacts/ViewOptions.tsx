/** The visible columns, and the density of the rows. */
import { Button, Checkbox, Popover, Stack } from "@mantine/core";
import { SlidersHorizontal } from "lucide-react";
import { Segment } from "../../components/ui/Segment";
import { t } from "../../lib/i18n.dashboard";
import { HIDEABLE } from "./columns";
import classes from "./MyContacts.module.css";
import type { ChangeList, ListParams } from "./useListParams";

const DENSITIES = [
  { value: "comfortable", label: t("contacts.comfortable") },
  { value: "compact", label: t("contacts.compact") },
] as const;

export function ViewOptions({ shown, change }: { shown: ListParams; change: ChangeList }) {
  const { hide, compact } = shown;
  const toggle = (key: string) => change({ hide: hide.includes(key) ? hide.filter((one) => one !== key) : [...hide, key] });
  return (
    <Popover position="bottom-end" width={248} withinPortal={false} trapFocus returnFocus>
      <Popover.Target>
        <Button size="sm" variant="default" flex="none" leftSection={<SlidersHorizontal size={16} strokeWidth={1.75} aria-hidden="true" />}>
          {t("contacts.view")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("contacts.view")}>
        <Stack className={classes.options}>
          <Segment
            label={t("contacts.density")}
            options={DENSITIES}
            value={compact ? "compact" : "comfortable"}
            onChange={(value) => change({ compact: value === "compact" })}
          />
          <fieldset>
            <legend>{t("contacts.columns")}</legend>
            {HIDEABLE.map(([key, text]) => (
              <Checkbox key={key} label={t(text)} checked={!hide.includes(key)} onChange={() => toggle(key)} />
            ))}
          </fieldset>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
