/** The page when not even the settings of the server could be read. */
import { MantineProvider } from "@mantine/core";
import { Problem } from "../components/Problem";
import { t } from "../lib/i18n";
import { schemeManager } from "./scheme";
import { cssVariables, theme } from "./theme";

export function Unreachable({ retry }: { retry: () => unknown }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={schemeManager}
      defaultColorScheme="auto"
    >
      <main>
        <Problem text={t("problem.offline")} retry={retry} />
      </main>
    </MantineProvider>
  );
}
