/** The privacy policy. */
import { config } from "../../api/config";
import { LegalPage } from "../../components/LegalPage";

export function PrivacyPolicyScreen() {
  return <LegalPage document="privacy" brand={config().brandname} />;
}

export { PrivacyPolicyScreen as Component };
