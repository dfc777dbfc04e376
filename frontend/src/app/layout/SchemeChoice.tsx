/** The colour scheme as entries of a menu. */
import { Group, Menu, useMantineColorScheme } from "@mantine/core";
import { Check, Monitor, Moon, Sun } from "lucide-react";
import { t } from "../../lib/i18n.dashboard";
import classes from "./AvatarMenu.module.css";

const SCHEMES = [
  ["auto", Monitor],
  ["light", Sun],
  ["dark", Moon],
] as const;

export function SchemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div role="group" aria-label={t("theme.label")}>
      <Menu.Label aria-hidden="true">{t("theme.label")}</Menu.Label>
      <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as typeof colorScheme)}>
        {SCHEMES.map(([scheme, Icon]) => (
          <Menu.RadioItem key={scheme} value={scheme} checkIcon={<Check size={16} strokeWidth={1.75} aria-hidden="true" />} classNames={{ itemIndicator: classes.tick!, itemLabel: classes.first! }}>
            <Group component="span" gap="xs" wrap="nowrap">
              <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
              {t(`theme.${scheme}`)}
            </Group>
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </div>
  );
}
