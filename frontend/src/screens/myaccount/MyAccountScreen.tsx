/** The own profile; for the owner, that of the company too. */
import { useAccount } from "../../api/account";
import { Title } from "../../components/Title";
import { t } from "../../lib/i18n";
import { AvatarCard } from "./AvatarCard";
import { ProfileForm } from "./ProfileForm";

export function MyAccountScreen() {
  const me = useAccount();
  return (
    <>
      <Title text={t("settings.myaccount")} />
      <AvatarCard />
      <ProfileForm key={me.email} me={me} />
    </>
  );
}

export { MyAccountScreen as Component };
