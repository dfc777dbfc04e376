/** A phone number with the flag of its country. The flags are our own files: nothing is fetched from elsewhere. */
import "react-international-phone/style.css";
import { TextInput } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { CountrySelector, defaultCountries, parseCountry } from "react-international-phone";
import { type DialCode, countryOf, withDialCode } from "../../lib/phone";
import classes from "./PhoneInput.module.css";

const CODES: DialCode[] = defaultCountries.map((data) => {
  const { iso2, dialCode, name, priority } = parseCountry(data);
  return { iso2, dialCode, name, priority: priority ?? 0 };
});
const FLAGS = CODES.map(({ iso2 }) => ({ iso2, src: `${import.meta.env.FLAGS}/${iso2.toUpperCase()}.svg` }));

interface Props {
  label: string;
  countryLabel: string;
  value: string;
  onChange: (value: string) => void;
  error?: ReactNode;
}

export function PhoneInput({ label, countryLabel, value, onChange, error }: Props) {
  const [chosen, setChosen] = useState("us");
  const input = useRef<HTMLInputElement>(null);
  // The typed digits decide; the chosen country matters only among several that share a code.
  const country = countryOf(value, CODES, chosen);

  return (
    <TextInput
      ref={input}
      type="tel"
      autoComplete="tel"
      label={label}
      error={error}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      leftSectionWidth={62}
      leftSectionPointerEvents="all"
      leftSection={
        <CountrySelector
          flags={FLAGS}
          selectedCountry={country.iso2}
          onSelect={({ iso2, dialCode }) => {
            setChosen(iso2);
            onChange(withDialCode(value, country, dialCode));
            input.current?.focus();
          }}
          className={classes.selector}
          dropdownStyleProps={{ className: classes.dropdown }}
          renderButtonWrapper={({ children, rootProps }) => (
            <button {...rootProps} type="button" className={classes.country} aria-label={`${countryLabel}: ${country.name}`}>
              {children}
            </button>
          )}
        />
      }
    />
  );
}
