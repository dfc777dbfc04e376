/** Reveals by the team and the API keys in a month. Tab, month and search are in the address. */
import { Tabs } from "@mantine/core";
import { useAccount } from "../../api/account";
import { Page } from "../../components/ui/Page";
import { monthSpan } from "../../lib/months";
import { t } from "../../lib/i18n.dashboard";
import { ApiReport } from "./ApiReport";
import { PlatformReport } from "./PlatformReport";
import { ReportControls } from "./ReportControls";
import { SaveCsv } from "./SaveCsv";
import classes from "./Usage.module.css";
import { type Tab, useUsageParams } from "./useUsageParams";

export function UsageScreen() {
  const me = useAccount();
  const [{ tab, month, search }, change] = useUsageParams();
  const span = { ...monthSpan(month), clientid: me.clientid, search };
  return (
    <Page title={t("usage.title")} lead={t("usage.lead")} actions={<SaveCsv tab={tab} month={month} span={span} />}>
      <Tabs value={tab} onChange={(to) => change({ tab: to as Tab, search: "" })} keepMounted={false}>
        <Tabs.List aria-label={t("usage.tabs")}>
          <Tabs.Tab value="platform">{t("usage.platform")}</Tabs.Tab>
          <Tabs.Tab value="api">{t("usage.api")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="platform" className={classes.panel}>
          <ReportControls key="platform" month={month} search={search} label={t("usage.searchMember")} onChange={change} />
          <PlatformReport span={span} month={month} />
        </Tabs.Panel>
        <Tabs.Panel value="api" className={classes.panel}>
          <ReportControls key="api" month={month} search={search} label={t("usage.searchKey")} onChange={change} />
          <ApiReport span={span} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

export { UsageScreen as Component };
