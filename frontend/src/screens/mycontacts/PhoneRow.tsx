/** A contact on a phone: its name and best value. A press opens the details. */
import { Badge, UnstyledButton } from "@mantine/core";
import { ChevronRight } from "lucide-react";
import { use } from "react";
import type { UserContact } from "../../api/types";
import { Address } from "../../components/Address";
import { PhoneText } from "../../components/PhoneText";
import { t } from "../../lib/i18n.dashboard";
import classes from "./MyContacts.module.css";
import { VotingContext, votableOf } from "./voting";

export function PhoneRow({ row }: { row: UserContact }) {
  const { onOpen } = use(VotingContext);
  const values = votableOf(row);
  const about = [row.title, row.company].filter(Boolean).join(" · ");
  return (
    <UnstyledButton className={classes.phoneRow} onClick={() => onOpen(row)}>
      <span className={classes.phoneText}>
        <strong>
          {row.name}
          {Boolean(row.deleted) && (
            <Badge color="gray" variant="light">
              {t("contacts.deleted")}
            </Badge>
          )}
        </strong>
        {about && <span className={classes.about}>{about}</span>}
        <span>
          <span>{values[0] ? values[0].kind === "phone" ? <PhoneText value={values[0].value} plain /> : <Address text={values[0].value} /> : t("contacts.noValue")}</span>
          {values.length > 1 && <em>+{values.length - 1}</em>}
        </span>
      </span>
      <ChevronRight size={16} strokeWidth={1.75} aria-hidden="true" />
    </UnstyledButton>
  );
}
