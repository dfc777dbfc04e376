/** States that the credits do not suffice, and links the owner to the page that sells more of these kinds. */
import { isFreePlan, isOwner, useAccount } from "../../api/account";
import { Banner } from "../../components/ui/Banner";
import { ButtonLink } from "../../components/ui/ButtonLink";
import type { Kind } from "../../domain/reveal";
import { t } from "../../lib/i18n.people";

// Add-ons contain cell numbers only, and require a paid plan.
const isSoldAlone = (kinds: readonly Kind[]): boolean => kinds.every((kind) => kind === "phone");

export function MoreCredits({ kinds, text }: { kinds: readonly Kind[]; text: string }) {
  const me = useAccount();
  if (!isOwner(me)) {
    return (
      <Banner tone="warn" title={text}>
        {t("search.askOwner")}
      </Banner>
    );
  }
  const addons = isSoldAlone(kinds) && !isFreePlan(me);
  return (
    <Banner
      tone="warn"
      action={
        <ButtonLink to={addons ? "/dashboard/creditaddons" : "/dashboard/upgradeplan"} role="button" variant="default" size="sm">
          {addons ? t("addons.title") : t("search.upgradePlan")}
        </ButtonLink>
      }
    >
      {text}
    </Banner>
  );
}
