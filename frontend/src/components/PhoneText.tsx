/** A phone number in groups, with the flag of its country. Lists use `plain`, because each flag is a request. */
import { Group } from "@mantine/core";
import { countryText } from "../lib/locale";
import { usePhone } from "../lib/usephone";
import classes from "./PhoneText.module.css";

export function PhoneText({ value, plain }: { value: string; plain?: boolean }) {
  const { text, country, waiting } = usePhone(value);
  return (
    <Group component="span" display="inline-flex" wrap="nowrap" gap="xs" className={classes.phone}>
      {!plain && <Flag country={country} />}
      <span data-waiting={waiting || undefined}>{text}</span>
    </Group>
  );
}

export function Flag({ country }: { country: string }) {
  if (!country) return null;
  const name = countryText(country);
  return <img className={classes.flag} src={`${import.meta.env.FLAGS}/${country}.svg`} width={18} height={12} alt="" title={name} loading="lazy" />;
}
