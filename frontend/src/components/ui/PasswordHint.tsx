/** The four rules for a password, each ticked as soon as it is met. */
import { Check, Dot } from "lucide-react";
import { t } from "../../lib/i18n";
import { PASSWORD_RULES } from "../../lib/validate";
import classes from "./PasswordHint.module.css";

export function PasswordHint({ password }: { password: string }) {
  return (
    <ul className={classes.rules}>
      {PASSWORD_RULES.map(({ name, holds }) => {
        const done = holds(password);
        const Icon = done ? Check : Dot;
        return (
          <li key={name} data-done={done || undefined}>
            <Icon size={16} aria-hidden="true" />
            {t(`passwordRule.${name}`)}
          </li>
        );
      })}
    </ul>
  );
}
