/** The data that the browser extension reads, and where it is sent. */
import { config } from "../../api/config";
import { LegalPage } from "../../components/LegalPage";

export function ChromePrivacyScreen() {
  return <LegalPage document="chrome" brand={config().brandname} />;
}

export { ChromePrivacyScreen as Component };
