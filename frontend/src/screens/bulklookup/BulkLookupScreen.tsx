/** Bulk lookup: choose a file and see its price, then follow the job; the URL holds its number. */
import { Box } from "@mantine/core";
import { useSearchParams } from "react-router";
import { Page } from "../../components/ui/Page";
import { t } from "../../lib/i18n.people";
import { JobList } from "./JobList";
import { JobView } from "./JobView";
import { NewJob } from "./NewJob";

export function BulkLookupScreen() {
  const [params, setParams] = useSearchParams();
  const jobid = Number(params.get("job"));
  return (
    <Box w="100%" maw="var(--ask-w)" mx="auto">
      <Page title={t("bulk.title")} lead={<p>{t("bulk.lead")}</p>} back={{ to: "/dashboard/main/search", text: t("bulk.back") }}>
        {Number.isSafeInteger(jobid) && jobid > 0 ? (
          <JobView key={jobid} jobid={jobid} onAnother={() => setParams({})} />
        ) : (
          <NewJob onStart={(started) => setParams({ job: String(started) })} />
        )}
        <JobList />
      </Page>
    </Box>
  );
}

export { BulkLookupScreen as Component };
