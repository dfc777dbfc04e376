/** The user's profile and, for the owner, the company's. The link mailed to a new address opens the dialog. */
import { Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useSearchParams } from "react-router";
import { useAccount } from "../../api/account";
import { Page } from "../../components/ui/Page";
import { t } from "../../lib/i18n.dashboard";
import { AvatarCard } from "./AvatarCard";
import { ChangeEmail } from "./ChangeEmail";
import { LanguageCard } from "./LanguageCard";
import { ProfileForm } from "./ProfileForm";

export function MyAccountScreen() {
  const me = useAccount();
  const [params, setParams] = useSearchParams();
  const linked = { newemail: params.get("newemail") ?? "", code: params.get("code") ?? "" };
  const [opened, { open, close }] = useDisclosure(Boolean(linked.code));

  const leave = () => {
    close();
    setParams({}, { replace: true });
  };
  return (
    <Page title={t("settings.myaccount")} width="form">
      <Stack>
        <AvatarCard />
        <ProfileForm me={me} onChangeEmail={open} />
        <LanguageCard />
      </Stack>
      <ChangeEmail opened={opened} onClose={leave} me={me} linked={linked} />
    </Page>
  );
}

export { MyAccountScreen as Component };
