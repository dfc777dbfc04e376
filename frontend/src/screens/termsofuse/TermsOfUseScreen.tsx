/** The terms of use. */
import { config } from "../../api/config";
import { LegalPage } from "../../components/LegalPage";

export function TermsOfUseScreen() {
  return <LegalPage document="terms" brand={config().brandname} />;
}

export { TermsOfUseScreen as Component };
