/** The legal texts. That of the browser extension tells which data it reads, and where it is sent. */
import { config } from "../../api/config";
import { LegalPage } from "../../components/LegalPage";

export const Privacy = () => <LegalPage document="privacy" brand={config().brandname} />;
export const Terms = () => <LegalPage document="terms" brand={config().brandname} />;
export const Chrome = () => <LegalPage document="chrome" brand={config().brandname} />;
