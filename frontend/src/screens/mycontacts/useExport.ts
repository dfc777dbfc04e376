/** Writes contacts into mycontacts.xlsx. */
import { useMutation } from "@tanstack/react-query";
import type { UserContact } from "../../api/types";
import { valuesOf } from "../../lib/contacts";
import { t } from "../../lib/i18n";
import { cell } from "../../lib/sheet";
import { writeSheet } from "../../lib/writesheet";
import { toast } from "../../stores/toasts";

const FILE = "mycontacts.xlsx";
const HEAD = ["Full_name", "Linkedin_url", "Personal_Emails", "Business_Emails", "Phone_numbers"];

/** The cells of the sheet, all text, so that nothing in them can act as a formula. */
export function cellsOf(rows: UserContact[]): string[][] {
  const body = rows.map((row) => {
    const { phones, business, personal } = valuesOf(row);
    return [row.name, row.linkedinurl, cell(personal), cell(business), cell(phones)];
  });
  return [HEAD, ...body];
}

export function useExport() {
  const write = useMutation({
    mutationFn: (rows: UserContact[]) => writeSheet(FILE, t("contacts.title"), cellsOf(rows)),
    onError: () => toast(t("somethingWrong"), "bad"),
  });
  const exportRows = (rows: UserContact[]) => {
    if (rows.length === 0) toast(t("contacts.selectToExport"), "bad");
    else write.mutate(rows);
  };
  return { exportRows, busy: write.isPending };
}
