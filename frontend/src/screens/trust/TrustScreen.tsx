/** Retention, protection, sub-processors and the security contact, readable without an account. */
import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { config } from "../../api/config";
import { type Trust, trust } from "../../api/trust";
import { type Further, LegalPage } from "../../components/LegalPage";
import { type TextKey, t } from "../../lib/i18n.dashboard";

const PURPOSES: Record<string, TextKey> = {
  payment: "trust.payment",
  signin: "trust.signin",
  mail: "trust.mail",
  data: "trust.data",
};

export function TrustScreen() {
  const { data } = useQuery(trust);
  return <LegalPage document="trust" brand={config().brandname} further={data && [processors(data), reports(data)]} />;
}

const processors = ({ subprocessors }: Trust): Further => ({
  heading: t("trust.who"),
  content:
    subprocessors.length === 0 ? (
      <p>{t("trust.nobody")}</p>
    ) : (
      subprocessors.map(({ name, purpose }) => (
        <p key={name + purpose}>
          {name}: {PURPOSES[purpose] ? t(PURPOSES[purpose]) : purpose}
        </p>
      ))
    ),
});

const reports = ({ securitycontact: contact }: Trust): Further => ({
  heading: t("trust.report"),
  content: (
    <>
      <p>{t(contact ? "trust.reportText" : "trust.reportNone")}</p>
      {contact && (
        <p>
          <Anchor href={contact}>{contact.replace(/^(mailto|tel):/, "")}</Anchor>
        </p>
      )}
    </>
  ),
});

export { TrustScreen as Component };
