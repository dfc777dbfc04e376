/** A phone number with the flag of its country, in groups while nothing is typed. The flags are our own files: nothing is fetched from elsewhere. */
import "react-international-phone/style.css";
import { TextInput } from "@mantine/core";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { CountrySelector, defaultCountries, parseCountry } from "react-international-phone";
import { groupedPhone } from "../../lib/usephone";
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
  /** The two-letter code of the country that the form names, or "". */
  home: string;
  value: string;
  onChange: (value: string) => void;
  /** The country that was chosen in the list of codes. */
  onCountry?: (iso2: string) => void;
  error?: ReactNode;
}

export function PhoneInput({ label, countryLabel, home, value, onChange, onCountry, error }: Props) {
  const [chosen, setChosen] = useState({ iso2: "us", home: "" });
  const [typing, setTyping] = useState(false);
  const [grouped, setGrouped] = useState({ value: "", text: "" });
  const input = useRef<HTMLInputElement>(null);
  // The typed digits decide; the country chosen last, here or in the form, only before them and among several that
  // share a code.
  const country = countryOf(value, CODES, home && home !== chosen.home ? home : chosen.iso2);

  const shown = !typing && grouped.value === value ? grouped.text : value;
  useEffect(() => {
    if (!typing && value) void groupedPhone(value).then((text) => setGrouped({ value, text }));
  }, [typing, value]);

  return (
    <TextInput
      ref={input}
      type="tel"
      autoComplete="tel"
      label={label}
      error={error}
      value={shown}
      onChange={(event) => onChange(event.currentTarget.value)}
      onFocus={() => setTyping(true)}
      onBlur={() => setTyping(false)}
      leftSectionWidth={62}
      leftSectionPointerEvents="all"
      leftSection={
        <CountrySelector
          flags={FLAGS}
          selectedCountry={country.iso2}
          onSelect={({ iso2, dialCode }) => {
            setChosen({ iso2, home: home || iso2 });
            onCountry?.(iso2);
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
