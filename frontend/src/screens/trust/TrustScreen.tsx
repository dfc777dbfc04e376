/** Retention, protection, sub-processors and the security contact if there is one, readable without an account. */
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
  return <LegalPage document="trust" brand={config().brandname} further={data && [processors(data), ...(data.securitycontact ? [reports(data.securitycontact)] : [])]} />;
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

const reports = (contact: string): Further => ({
  heading: t("trust.report"),
  content: (
    <>
      <p>{t("trust.reportText")}</p>
      <p>
        <Anchor href={contact}>{contact.replace(/^(mailto|tel):/, "")}</Anchor>
      </p>
    </>
  ),
});

export { TrustScreen as Component };
