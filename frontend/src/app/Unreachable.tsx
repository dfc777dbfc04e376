/** The page when not even the settings of the server could be read. */
import { MantineProvider } from "@mantine/core";
import { Problem } from "../components/Problem";
import { t } from "../lib/i18n";
import { theme } from "./theme";

export function Unreachable({ retry }: { retry: () => unknown }) {
  return (
    <MantineProvider theme={theme} forceColorScheme="light">
      <main>
        <Problem text={t("problem.offline")} retry={retry} />
      </main>
    </MantineProvider>
  );
}
