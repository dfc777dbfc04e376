/** Bulk lookup: choose a file and see its price, then follow the job; the URL holds its number. */
import { useSearchParams } from "react-router";
import { BackLink } from "../../components/BackLink";
import { Title } from "../../components/Title";
import { t } from "../../lib/i18n.dashboard";
import classes from "./BulkLookup.module.css";
import { JobView } from "./JobView";
import { NewJob } from "./NewJob";

export function BulkLookupScreen() {
  const [params, setParams] = useSearchParams();
  const jobid = Number(params.get("job"));
  return (
    <>
      <Title text={t("bulk.title")} />
      <BackLink to="/dashboard/main/search">{t("bulk.back")}</BackLink>
      <div className={classes.head}>
        <h1>{t("bulk.title")}</h1>
        <p>{t("bulk.lead")}</p>
      </div>
      {Number.isSafeInteger(jobid) && jobid > 0 ? (
        <JobView key={jobid} jobid={jobid} onAnother={() => setParams({})} />
      ) : (
        <NewJob onStart={(started) => setParams({ job: String(started) })} />
      )}
    </>
  );
}

export { BulkLookupScreen as Component };
