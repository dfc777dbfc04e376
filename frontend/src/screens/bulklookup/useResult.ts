/** Writes the outcome of a job, with the contacts that it found, into bulklookup.xlsx. */
import { useMutation } from "@tanstack/react-query";
import { type BulkJob, useBulkContacts } from "../../api/bulk";
import { explain } from "../../api/explain";
import type { UserContact } from "../../api/types";
import { valuesOf } from "../../lib/contacts";
import { t } from "../../lib/i18n";
import { cell } from "../../lib/sheet";
import { writeSheet } from "../../lib/writesheet";
import { toast } from "../../stores/toasts";

const FILE = "bulklookup.xlsx";
const HEAD = ["Linkedin_url", "Outcome", "Credits", "Full_name", "Personal_Emails", "Business_Emails", "Phone_numbers"];

/** One line for each row of the job, in the order of the file. */
export function resultLines(job: BulkJob, contacts: ReadonlyMap<number, UserContact>): string[][] {
  const lines = job.rows.map((row) => {
    const contact = row.contactid === null ? undefined : contacts.get(row.contactid);
    const outcome = [row.linkedinurl, t(`bulkRow.${row.status}`), String(row.charged)];
    if (!contact) return [...outcome, "", "", "", ""];
    const { phones, business, personal } = valuesOf(contact);
    return [...outcome, contact.name, cell(personal), cell(business), cell(phones)];
  });
  return [HEAD, ...lines];
}

export function useResult() {
  const { mutateAsync: contactsOf } = useBulkContacts();
  const write = useMutation({
    mutationFn: async (job: BulkJob) => writeSheet(FILE, t("bulk.title"), resultLines(job, await contactsOf(job))),
    onError: (error) => toast(explain(error), "bad"),
  });
  return { download: write.mutate, busy: write.isPending };
}
