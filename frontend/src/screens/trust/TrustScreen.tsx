/** Retention, protection, sub-processors and the security contact, readable without an account. */
import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { config } from "../../api/config";
import { trust } from "../../api/trust";
import { LegalPage } from "../../components/LegalPage";
import { type TextKey, t } from "../../lib/i18n.dashboard";
import classes from "../../components/LegalText.module.css";

const PURPOSES: Record<string, TextKey> = {
  payment: "trust.payment",
  signin: "trust.signin",
  mail: "trust.mail",
  data: "trust.data",
};

export function TrustScreen() {
  const { data } = useQuery(trust);
  const contact = data?.securitycontact;
  return (
    <LegalPage document="trust" brand={config().brandname}>
      {data && (
        <div className={classes.text}>
          <section>
            <h2>{t("trust.who")}</h2>
            {data.subprocessors.length === 0 && <p>{t("trust.nobody")}</p>}
            {data.subprocessors.map(({ name, purpose }) => (
              <p key={name + purpose}>
                {name}: {PURPOSES[purpose] ? t(PURPOSES[purpose]) : purpose}
              </p>
            ))}
          </section>
          <section>
            <h2>{t("trust.report")}</h2>
            <p>{t(contact ? "trust.reportText" : "trust.reportNone")}</p>
            {contact && (
              <p>
                <Anchor href={contact}>{contact.replace(/^(mailto|tel):/, "")}</Anchor>
              </p>
            )}
          </section>
        </div>
      )}
    </LegalPage>
  );
}

export { TrustScreen as Component };
